// SPDX-License-Identifier: Apache-2.0
// Optimisation of runs: the values of parameters and initial values for which a measure of the run is least or greatest,
//
//   min f(x)   subject to   left_i(x) <= right_i(x), left_j(x) == right_j(x),   lower <= x <= upper
//
// by sequential quadratic programming (NLopt's SLSQP: Kraft, ACM TOMS 20 (1994)) with gradients along the run, from several starts; where there are none, by
// linear models of values (NLopt's COBYLA). A
// point counts only if its run reaches its end and its verdict holds. What is found is the best point of all starts, which may be a local optimum.
// The digits of the answer do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/compile/compile.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/model/model.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

struct OptimizationStatement {
  bool maximize = false;
  MappedText objective;                      ///< a measure: "max(abs(lambda(pin)))"
  std::vector<StudyStatement::Named> free;   ///< "0.1 m : 0.3 m": from the smallest to the largest value
  std::vector<MappedText> constraints = {};  ///< "max(x) >= 0.5 m": two measures with <=, >= or ==
};

struct OptimizeOptions {
  int starts =
      8;  ///< the first is the model's own values, brought into the bounds; others are points of a Sobol' sequence
  std::uint64_t seed = 0;  ///< of the sequence
  int threads = 0;         ///< 0: one for each processor of this process
  int max_points = 300;    ///< largest number of points that are tried from a start
  /// Called by the calling thread about ten times a second with the number of runs so far; if it returns false, the best point so far is the answer.
  std::function<bool(std::int64_t)> progress = {};
};

/// A constraint or a bound that holds with equality at the answer.
struct ActiveLimit {
  enum class Kind { kConstraint, kLower, kUpper } kind = Kind::kConstraint;
  std::size_t index = 0;  ///< of the constraint, or of the quantity
  std::string text;       ///< "max(x) >= 0.5 m", "L1 >= 0.1 m"
  /// The Lagrange multiplier: by how much the objective gets better if the limit is relaxed by one unit. Of an equation: by how much it gets
  /// better if the right side grows by one unit.
  double multiplier = std::numeric_limits<double>::quiet_NaN();
  std::string unit = {};  ///< of the multiplier; empty if unknown
};

struct OptimizationStart {
  std::vector<double> from, to;  ///< SI; `to` is the best point from this start, empty if there is none
  bool feasible = false;         ///< whether `to` satisfies the constraints
  double objective = std::numeric_limits<double>::quiet_NaN();  ///< at `to`
  std::string ended;  ///< why the search from here ended: "converged", …; "without derivatives: converged", …
  std::string without_derivatives = {};  ///< why the search, or its last part, had none
  std::int64_t points = 0;               ///< number of points that were tried
};

struct Optimum {
  enum class Status {
    kFound,       ///< the conditions of first order hold (stationarity)
    kNotProved,   ///< a feasible point, at which they do not hold, or derivatives are unknown
    kInfeasible,  ///< no point satisfies the constraints; the values are those of the one that comes nearest
    kNothing,  ///< no point counts (no run reached its end with a verdict that holds and a value of each measure); there are no values
    kInterrupted,  ///< the best point so far
  };
  Status status = Status::kNothing;
  std::string message;  ///< one sentence
  std::vector<std::string> names, units;
  std::vector<double> values, lower, upper;  ///< SI
  double objective = std::numeric_limits<double>::quiet_NaN();
  std::string objective_unit = {};
  /// left − right of each constraint at the answer, and the constraints as text.
  std::vector<double> differences = {};
  std::vector<std::string> constraints = {};
  std::vector<ActiveLimit> active = {};
  /// max_k |∂L/∂x_k| (upper_k − lower_k) divided by max_k |∂f/∂x_k| (upper_k − lower_k), where L is the Lagrangian with the multipliers of `active`: 0 at an
  /// optimum. NaN: unknown.
  double stationarity = std::numeric_limits<double>::quiet_NaN();
  std::vector<OptimizationStart> starts = {};
  std::size_t best = 0;        ///< the start whose point is the answer
  std::int64_t runs = 0;       ///< integrations
  std::int64_t gradients = 0;  ///< points at which derivatives were computed
  /// Why runs did not count, and how many.
  std::vector<std::pair<std::string, std::int64_t>> failures = {};
  Diagnostics warnings = {};  ///< W0103: numbers without a unit where the model has one
  /// What was decided on the way, such as where the objective has corners.
  std::vector<std::string> notes = {};
  Trajectory run = {};  ///< with the values
};
std::string_view to_text(Optimum::Status status);

/// The document of `dalembert optimize --json`.
Json optimum_json(const Optimum& optimum);

/// Errors: E0435 for what the statement says; E0421, E0203 and those of expressions and of derive(); E0438 without NLopt.
Result<Optimum> optimize(const Model& model, const OptimizationStatement& statement, const IntegrateOptions& run,
                         const OptimizeOptions& options = {}, const CompileOptions& compile = {});

}  // namespace dalembert

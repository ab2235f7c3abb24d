// SPDX-License-Identifier: Apache-2.0
// What is to be optimised: the objective and the constraints as numbers of runs, their derivatives, and whether a run counts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/study/changing_system.h"
#include "dalembert/study/measures.h"
#include "dalembert/study/optimize.h"

namespace dalembert::optimizing {

/// One side of a constraint: a measure, or a number in SI.
struct Side {
  int measure = -1;  ///< index of the measure; −1: a number
  double number = 0;
  std::optional<Dimension> dimension = {};
  double of(const std::vector<double>& measures) const {
    return measure < 0 ? number : measures[static_cast<std::size_t>(measure)];
  }
};

/// sign·(left − right).
struct Formula {
  Side left, right;
  double sign = 1;
  double of(const std::vector<double>& measures) const { return sign * (left.of(measures) - right.of(measures)); }
};

struct Condition {
  enum class Relation { kAtMost, kAtLeast, kEqual } relation = Relation::kAtMost;
  std::string text;  ///< as the user wrote it
  Side left, right;
  bool equation() const { return relation == Relation::kEqual; }
  double sign() const { return relation == Relation::kAtLeast ? -1 : 1; }  ///< of left − right in the excess
};

/// Measure 0 is the objective.
struct Problem {
  std::optional<BuiltModel> system;
  Measures measures;
  std::vector<StudyQuantity> quantities;
  std::vector<double> lower, upper;  ///< SI
  bool maximize = false;
  std::vector<Condition> conditions;
  IntegrateOptions options;
  std::string objective_unit;

  double sign() const { return maximize ? -1 : 1; }  ///< of the measure in what is minimised
  std::size_t rows() const { return conditions.size() + 1; }
  Formula formula(std::size_t row) const;  ///< row 0 is the objective
  /// The extremes in an objective or inequality.
  std::vector<std::size_t> extremes_in(std::size_t row) const;
  static Result<Problem> read(const Model& model, const OptimizationStatement& statement,
                              const IntegrateOptions& options, const CompileOptions& compile, UnitDoubts& doubts);
};

/// What a row is with local extremes in place of the extremes in it.
struct Piece {
  std::vector<double> t;  ///< of the local extremes, in the order of Problem::extremes_in()
  double value = 0;
  std::vector<double> gradient;
};

/// The objective, to be minimised, or the excess of a condition: left − right, or right − left for `>=`; at most 0, or 0, where it holds.
struct Row {
  double value = 0;
  double size = 0;               ///< the larger side
  std::vector<double> gradient;  ///< by the quantities, SI; empty if it was not asked for or is unknown
  /// If the row is the largest of its values at the local extremes of outputs, so that it has a corner where two of them are equal: all these.
  std::vector<Piece> pieces = {};
};

/// A point that was tried.
struct Trial {
  std::vector<double> x;  ///< SI
  bool counts = false;    ///< the run reached its end, its verdict holds, and all numbers exist
  std::string reason;     ///< why it does not count
  std::vector<Row> rows;
  bool differentiated = false;  ///< all gradients are known
  std::string unknown;          ///< why not, if they were asked for
  Trajectory run = {};

  /// The largest excess of the conditions, relative to `tolerances`; at most 1 where all hold.
  double violation(const Problem& problem, const std::vector<double>& tolerances) const;
};

/// Makes runs at points. Belongs to one thread; the problem must outlive it.
class Evaluator {
 public:
  explicit Evaluator(const Problem& problem);

  /// The point at x, with gradients if they are asked for and can be had. The reference is valid until the next call.
  const Trial& at(const std::vector<double>& x, bool gradients);
  /// Forgets the points that it knows, so that a search does not depend on those before it.
  void forget() { known_.clear(); }
  /// The run with these values.
  Trajectory run(const std::vector<double>& x);

  std::int64_t runs = 0, gradients = 0;
  std::vector<char> matters;       ///< for each quantity whether a row has had a derivative by it other than 0
  bool unknown_somewhere = false;  ///< some derivatives were asked for and are not known
  std::map<std::string, std::int64_t> failures;  ///< why points did not count, and how many
  std::function<bool()> keep_on = {};            ///< runs end where this returns false
  bool stopped = false;                          ///< it did

 private:
  Trajectory run(const std::vector<double>& x, const IntegrateOptions& options, std::span<const double> sizes);
  void measure(Trial& point);
  void differentiate(Trial& point);
  void find_pieces(Trial& point, const Trajectory& second, std::span<const Tangent> tangents,
                   std::vector<std::string>& unknown);
  void find_pieces_of(Trial& point, std::size_t row, std::span<const std::vector<OtherExtreme>> local,
                      std::span<const std::vector<double>> times, const Trajectory& second,
                      std::span<const Tangent> tangents, std::vector<std::string>& unknown);
  std::vector<double> gradient_of(std::size_t row, const MeasureDerivatives& found, std::string& unknown) const;
  std::vector<double> sizes(const Trial& point) const;
  IntegrateOptions watched() const;

  const Problem& problem_;
  ChangingSystem system_;
  const double start_;
  std::vector<Trial> known_;  // the last points, the newest one last
};

}  // namespace dalembert::optimizing

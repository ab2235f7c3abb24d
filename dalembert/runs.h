// SPDX-License-Identifier: Apache-2.0
// Runs in one call, and what they give by name:
//
//   const Path path = simulate(model, {.until = 10.0});                 // from the start that the model states
//   path["q/theta"].back();  path.at(2.0).q("theta");  path.at(2.0).lambda("pin[1]");
//
// An unknown name throws ModelError (E0102). How a run ended is a value: path.status, path.verdict.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/analyze/run_options.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/stepper.h"
#include "dalembert/model_error.h"
#include "dalembert/models.h"
#include "dalembert/named.h"
#include "dalembert/start.h"

namespace dalembert {

/// A state on the constraints with its accelerations and multipliers, SI.
class Moment {
 public:
  Moment(const Dynamics& dynamics, State state)
      : state_(named(dynamics, state)), solution_(named(dynamics, solve_kkt(dynamics, state))) {}
  double t() const { return state_.t; }
  double q(const CoordinateName& coordinate) const { return state_.q[coordinate.name]; }
  double v(const CoordinateName& velocity) const { return state_.v[velocity.name]; }
  double qdd(const CoordinateName& velocity) const { return solution_.qdd[velocity.name]; }
  double lambda(std::string_view row) const { return solution_.lambda[row]; }

 private:
  NamedState state_;
  NamedSolution solution_;
};

/// A Trajectory whose series are found by name.
class Path : public Trajectory {
 public:
  Path(Dynamics dynamics, IntegrateOptions options, Trajectory run)
      : Trajectory(std::move(run)), dynamics_(std::move(dynamics)), options_(std::move(options)) {}

  /// One value for each row: "q/theta", "lambda/pin[1]", "energy/total", or short as find_series() takes them.
  std::span<const double> operator[](std::string_view name) const {
    std::vector<std::string> names;
    for (const Column& column : columns()) names.push_back(column.name);
    if (const auto found = find_series(names, name)) return columns()[*found].values;
    return columns()[face::find(names, name, "series")].values;
  }
  std::span<const double> operator[](const Coordinate& coordinate) const { return (*this)["q/" + coordinate.name]; }

  /// At any time of the run, as precise as the run is: steps are made from the row before. Throws ModelError (E0403) for
  /// another time, and (E0304) where no step leads there.
  Moment at(double t) const {
    const double direction = size() > 0 && time.back() < time.front() ? -1 : 1;
    if (size() == 0 || !(direction * (t - time.front()) >= 0) || !(direction * (time.back() - t) >= 0))
      throw ModelError({error("E0403", "the run is from " + (size() > 0 ? to_text(time.front()) : "nothing") + " to " +
                                           (size() > 0 ? to_text(time.back()) : "nothing") + " s, and not at " +
                                           to_text(t) + " s")});
    std::size_t row = size() - 1;
    while (row > 0 && direction * (time[row] - t) > 0) --row;
    if (time[row] == t) return Moment(dynamics_, state(row));
    IntegrateOptions options;
    options.until = t;
    options.rtol = options_.rtol;
    options.atol = options_.atol;
    options.method = options_.method;
    options.error_estimate = options.power_balance = false;
    options.output_times = {t};
    const Trajectory beyond = integrate(dynamics_, state(row), options);
    if (beyond.status != RunStatus::kOk || beyond.size() == 0) throw ModelError({error("E0304", beyond.reason)});
    return Moment(dynamics_, beyond.final_state());
  }

 private:
  Dynamics dynamics_;
  IntegrateOptions options_;
};

/// integrate(), with names.
inline Path simulate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options = {}) {
  return {dynamics, options, integrate(dynamics, start, options)};
}

/// From the start that the model states. Throws ModelError for a wrong model, and (E0301 to E0303) where no consistent start
/// is found.
inline Path simulate(Model model, IntegrateOptions options) {
  const Equations equations = derive(std::move(model));
  const Dynamics dynamics = compile(equations);
  if (options.formulation == Formulation::kReduced && options.quasi_velocities == nullptr)
    options.quasi_velocities = compile_quasi_velocities(equations);
  return simulate(dynamics, assemble(equations, dynamics).state(), options);
}
/// As the model says ([simulation] of a model file).
inline Path simulate(Model model) {
  IntegrateOptions options = or_throw(run_options(model));
  return simulate(std::move(model), std::move(options));
}
/// From another start.
inline Path simulate(Model model, const Start& start, const IntegrateOptions& options) {
  const Dynamics dynamics = compile(derive(std::move(model)));
  return simulate(dynamics, assemble(dynamics, start).state(), options);
}

/// A Stepper whose numbers are found by name.
class NamedStepper : public Stepper {
 public:
  NamedStepper(const Dynamics& dynamics, const State& start, IntegrateOptions options = {})
      : Stepper(dynamics, start, options), dynamics_(dynamics), options_(std::move(options)) {}
  using Stepper::lambda;
  using Stepper::q;
  using Stepper::qdd;
  using Stepper::v;
  double q(const CoordinateName& coordinate) const {
    return of(Stepper::q(), names().coordinates, coordinate.name, "coordinate");
  }
  double v(const CoordinateName& velocity) const {
    return of(Stepper::v(), names().of_motion(), velocity.name, "velocity");
  }
  double qdd(const CoordinateName& velocity) const {
    return of(Stepper::qdd(), names().of_motion(), velocity.name, "velocity");
  }
  double lambda(std::string_view row) const { return of(Stepper::lambda(), names().rows, row, "constraint row"); }
  Path finish() { return {dynamics_, options_, Stepper::finish()}; }

 private:
  static double of(std::span<const double> values, const std::vector<std::string>& names, std::string_view name,
                   std::string_view kind) {
    return values[face::find(names, name, kind)];
  }

  const Names& names() const { return dynamics_.names(); }

  Dynamics dynamics_;
  IntegrateOptions options_;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// From a model to a run in one call, and results by name:
//
//   const Path path = simulate(model, {.until = 10.0});                 // from the start that the model states
//   path["q/theta"].back();  path.at(2.0).q("theta");  path.at(2.0).lambda("pin[1]");
//
// An unknown name throws ModelError (E0102). How a run ended is a value: path.status, path.verdict. Invalid input
// throws ModelError.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/named.h"
#include "dalembert/report/equations_text.h"

namespace dalembert {

/// A model from the text of a model file. Throws ModelError. From a file: or_throw(load_model_file(path)).
inline Model parse_model(std::string text) { return or_throw(load_model(make_source("<model>", std::move(text)))); }

/// Derives the equations of motion. Throws ModelError. Warnings are in equations.model->diagnostics().
inline Equations derive(Model model) { return or_throw(derive(std::make_shared<const Model>(std::move(model)))); }

/// The equations as LaTeX, printed with the default options of print_equations().
inline std::string latex(const Equations& equations) {
  EquationsFormat format;
  format.notation = Notation::kLatex;
  return print_equations(equations, format);
}

namespace face {

// Sets each prescribed coordinate to its prescribed value and rate, and holds it there. A value that the caller holds
// already is kept.
inline void follow(const Dynamics& dynamics, State& state, AssembleOptions& options) {
  const Names& names = dynamics.names();
  if (names.actuated == 0 || !dynamics.layout().v_is_qdot) return;
  // The rows of prescribed coordinates, q − f(t) and v − f'(t), come last.
  const std::vector<double> h = position_residual(dynamics, state), rate = velocity_residual(dynamics, state);
  const auto count = static_cast<std::size_t>(names.actuated);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = find(names.coordinates, names.rows[names.constraint_rows() + k], "coordinate");
    if (!options.hold_position[i]) state.q[i] -= h[h.size() - count + k];
    if (!options.hold_velocity[i]) state.v[i] -= rate[rate.size() - count + k];
    options.hold_position[i] = options.hold_velocity[i] = true;
  }
}

// The state that was found. Throws ModelError (E0301 to E0303) where none was.
inline NamedState found(const Dynamics& dynamics, const Assembly& assembly, const AssembleOptions& options) {
  if (!assembly.ok()) throw ModelError({explain_failure(dynamics, assembly, options)});
  return named(dynamics, assembly.state);
}

}  // namespace face

/// Assembles a consistent state. A coordinate that is not named starts from the guess 0, a prescribed one takes its prescribed
/// value. Throws ModelError: E0102 for an unknown coordinate, E0301 to E0303 where no consistent state is found.
inline NamedState assemble(const Dynamics& dynamics, const Start& start) {
  const auto nq = static_cast<std::size_t>(dynamics.nq()), nv = static_cast<std::size_t>(dynamics.nv());
  if (!start.quasi_velocity.empty())
    throw ModelError({error("E0301", "this start holds quasi-velocities: system_at(built, &start) takes them",
                            start.quasi_velocity.front().span)});
  State state{start.t.value_or(0), std::vector<double>(nq), std::vector<double>(nv)};
  AssembleOptions options;
  options.hold_position.assign(nq, false);
  options.hold_velocity.assign(nv, false);
  const auto set = [&](const Start::Value& value, bool hold) {
    const std::size_t i = face::find(dynamics.names().coordinates, value.coordinate.name, "coordinate");
    if (value.position) state.q[i] = *value.position, options.hold_position[i] = hold;
    if (value.velocity) state.v[i] = *value.velocity, options.hold_velocity[i] = hold;
  };
  for (const Start::Value& value : start.guess) set(value, false);
  for (const Start::Value& value : start.fixed) set(value, true);  // overrides a guess of the same coordinate
  for (const Start::Number& value : start.position) set({value.coordinate, value.value}, true);
  for (const Start::Number& value : start.velocity) set({value.coordinate, {}, value.value}, true);
  face::follow(dynamics, state, options);
  return face::found(dynamics, assemble(dynamics, state, options), options);
}

/// Assembles from the initial values that the model states ([initial] of a model file). Throws ModelError (E0301 to E0303) where
/// no consistent state is found.
inline NamedState assemble(const Dynamics& dynamics, const Model& model) {
  if (!model.initial.quasi_velocity.empty())
    throw ModelError({error("E0301", "this start holds quasi-velocities: assemble(equations, dynamics) takes them",
                            model.initial.quasi_velocity.front().span)});
  const AssembleOptions held = held_values(model);
  return face::found(dynamics, assemble(dynamics, initial_state(model), held), held);
}

/// Assembles from the model's initial values, and holds the quasi-velocities among them too.
inline NamedState assemble(const Equations& equations, const Dynamics& dynamics) {
  return face::found(dynamics, assemble_start(equations, dynamics), held_values(*equations.model));
}

/// One row of a run: the state, the accelerations and the multipliers at one time, in SI units.
class Moment {
 public:
  Moment(const Trajectory& path, std::size_t row)
      : t_(path.time[row]),
        q_("coordinate", path.names.coordinates, of(path.q, row)),
        v_("velocity", path.names.of_motion(), of(path.v, row)),
        qdd_("velocity", path.names.of_motion(), of(path.a, row)),
        lambda_("constraint row", path.names.rows, of(path.lambda, row)) {}
  double t() const { return t_; }
  double q(const CoordinateName& coordinate) const { return q_[coordinate.name]; }
  double v(const CoordinateName& velocity) const { return v_[velocity.name]; }
  double qdd(const CoordinateName& velocity) const { return qdd_[velocity.name]; }
  double lambda(std::string_view row) const { return lambda_[row]; }

 private:
  static std::vector<double> of(const std::vector<std::vector<double>>& series, std::size_t row) {
    std::vector<double> values;
    for (const std::vector<double>& one : series) values.push_back(one[row]);
    return values;
  }

  double t_;
  NamedValues q_, v_, qdd_, lambda_;
};

/// A Trajectory whose series are found by name.
class Path : public Trajectory {
 public:
  /// `inputs_held`: whether the caller held inputs constant in some steps (Stepper::hold_input).
  Path(Dynamics dynamics, IntegrateOptions options, Trajectory run, bool inputs_held = false)
      : Trajectory(std::move(run)),
        dynamics_(std::move(dynamics)),
        options_(std::move(options)),
        inputs_held_(inputs_held) {}

  /// The values of a series, one for each row: "q/theta", "lambda/pin[1]", "energy/total", or a short form that
  /// find_series() accepts.
  std::span<const double> operator[](std::string_view name) const {
    const std::vector<Column> all = columns();
    std::vector<std::string> names;
    for (const Column& column : all) names.push_back(column.name);
    const auto found = find_series(names, name);
    return all[found ? *found : face::find(names, name, "series")].values;
  }
  std::span<const double> operator[](const Coordinate& coordinate) const { return (*this)["q/" + coordinate.name]; }

  /// The state at a row, or at any time between two rows. Between rows the equations are integrated again from the row
  /// before, with the tolerances of the run. Throws ModelError: E0403 for a time outside the run, or between two rows
  /// of a run whose inputs were held; E0304 where that integration fails.
  Moment at(double t) const {
    const double direction = size() > 0 && time.back() < time.front() ? -1 : 1;
    if (size() == 0 || !(direction * (t - time.front()) >= 0) || !(direction * (time.back() - t) >= 0))
      throw ModelError(
          {error("E0403", size() == 0 ? "the run has no rows"
                                      : "the run is from " + to_text(time.front()) + " to " + to_text(time.back()) +
                                            " s, and not at " + to_text(t) + " s")});
    std::size_t row = size() - 1;
    while (row > 0 && direction * (time[row] - t) > 0) --row;
    if (time[row] == t) return Moment(*this, row);
    if (inputs_held_)
      throw ModelError({error("E0403", "inputs were held in this run: it is known at its rows, and " + to_text(t) +
                                           " s is between two of them")});
    IntegrateOptions options;
    options.until = t;
    options.rtol = options_.rtol;
    options.atol = options_.atol;
    options.method = options_.method;
    options.error_estimate = options.power_balance = false;
    options.output_times = {t};
    const Trajectory beyond = integrate(dynamics_, state(row), options);
    if (beyond.status != RunStatus::kOk || beyond.size() == 0) throw ModelError({error("E0304", beyond.reason)});
    return Moment(beyond, beyond.size() - 1);
  }

 private:
  Dynamics dynamics_;
  IntegrateOptions options_;
  bool inputs_held_;
};

/// integrate(), with results found by name.
inline Path simulate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options = {}) {
  return {dynamics, options, integrate(dynamics, start, options)};
}

namespace face {

inline Path run(const Equations& equations, const Dynamics& dynamics, const State& start, IntegrateOptions options) {
  if (options.formulation == Formulation::kReduced && options.quasi_velocities == nullptr)
    options.quasi_velocities = compile_quasi_velocities(equations);
  return simulate(dynamics, start, options);
}

}  // namespace face

/// Runs from the start that the model states. Throws ModelError for an invalid model, and (E0301 to E0303) where no
/// consistent start is found.
inline Path simulate(Model model, const IntegrateOptions& options) {
  const Equations equations = derive(std::move(model));
  const Dynamics dynamics = compile(equations);
  return face::run(equations, dynamics, assemble(equations, dynamics).state(), options);
}
/// Runs with the options that the model states ([simulation] of a model file).
inline Path simulate(Model model) {
  const IntegrateOptions options = or_throw(run_options(model));
  return simulate(std::move(model), options);
}
/// Runs from `start` instead of the start that the model states.
inline Path simulate(Model model, const Start& start, const IntegrateOptions& options) {
  const Equations equations = derive(std::move(model));
  const Dynamics dynamics = compile(equations);
  return face::run(equations, dynamics, assemble(dynamics, start).state(), options);
}

/// A Stepper whose results are found by name.
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
  [[nodiscard]] bool hold_input(std::string_view name, double value) {
    inputs_held_ = true;
    return Stepper::hold_input(name, value);
  }
  Path finish() { return {dynamics_, options_, Stepper::finish(), inputs_held_}; }

 private:
  static double of(std::span<const double> values, const std::vector<std::string>& names, std::string_view name,
                   std::string_view kind) {
    return values[face::find(names, name, kind)];
  }

  const Names& names() const { return dynamics_.names(); }

  Dynamics dynamics_;
  IntegrateOptions options_;
  bool inputs_held_ = false;
};

}  // namespace dalembert

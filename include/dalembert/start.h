// SPDX-License-Identifier: Apache-2.0
// A consistent start, assembled from values by coordinate or from the initial values of the model.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"
#include "dalembert/named.h"

namespace dalembert {

/// Where to start, by coordinate: `{.position = {{theta, 1.05}}, .velocity = {{theta, 4.0}}, .guess = {{phi, 2.8}, {"x", 0.8}}}`,
/// or positions and velocities together, `{.fixed = {{theta, 1.05, 4.0}}, …}`. `fixed`, `position` and `velocity` are kept exactly;
/// guesses may change. A coordinate that is not named starts from the guess 0. SI units.
struct Start {
  struct Value {
    CoordinateName coordinate;
    std::optional<double> position = {}, velocity = {};
  };
  struct Number {
    CoordinateName coordinate;
    double value = 0;
  };
  std::vector<Value> fixed = {}, guess = {};
  double t = 0;
  std::vector<Number> position = {}, velocity = {};
};

/// The outcome of assembly: a state, or the reason why there is none.
class Assembled {
 public:
  Assembled(const Dynamics& dynamics, const State& guess, const AssembleOptions& options)
      : Assembled(dynamics, dalembert::assemble(dynamics, guess, options), options) {}
  Assembled(const Dynamics& dynamics, Assembly assembly, const AssembleOptions& options)
      : assembly_(std::move(assembly)) {
    if (!assembly_.ok()) diagnostics_.push_back(explain_failure(dynamics, assembly_, options));
  }
  bool ok() const { return assembly_.ok(); }
  /// The consistent state. Throws ModelError (E0301 to E0303) if assembly failed.
  State state() const { return ok() ? assembly_.state : throw ModelError(diagnostics_); }
  const Assembly& assembly() const { return assembly_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Assembly assembly_;
  Diagnostics diagnostics_;
};

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

}  // namespace face

/// Assembles a consistent state. Prescribed coordinates take their prescribed values. Throws ModelError (E0102) for an
/// unknown coordinate.
inline Assembled assemble(const Dynamics& dynamics, const Start& start) {
  const auto nq = static_cast<std::size_t>(dynamics.nq()), nv = static_cast<std::size_t>(dynamics.nv());
  State state{start.t, std::vector<double>(nq), std::vector<double>(nv)};
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
  return {dynamics, state, options};
}

namespace face {

inline AssembleOptions held_in(const InitialState& initial) {
  AssembleOptions options;
  options.hold_position = initial.hold_position;
  options.hold_velocity = initial.hold_velocity;
  return options;
}

}  // namespace face

/// Assembles from the initial values that the model states ([initial] of a model file).
inline Assembled assemble(const Dynamics& dynamics, const Model& model) {
  if (!model.initial.quasi_velocity.empty())
    throw ModelError({error("E0301", "this start holds quasi-velocities: assemble(equations, dynamics) takes them",
                            model.initial.quasi_velocity.front().span)});
  const InitialState initial = initial_state(model);
  return {dynamics, initial.state, face::held_in(initial)};
}

/// Assembles from the model's initial values, and holds the quasi-velocities among them too.
inline Assembled assemble(const Equations& equations, const Dynamics& dynamics) {
  const InitialState initial = initial_state(*equations.model);
  return {dynamics, assemble_start(equations, dynamics, initial), face::held_in(initial)};
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// A consistent start from values by coordinate, or from those that the model states.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"
#include "dalembert/named.h"

namespace dalembert {

/// Where to start, by coordinate: `{.fixed = {{theta, 1.05, 4.0}}, .guess = {{phi, 2.8}, {"x", 0.8}}, .t = 0}`. Fixed
/// values are kept exactly, guesses may move; what is not named starts from the guess 0. SI.
struct Start {
  struct Value {
    CoordinateName coordinate;
    std::optional<double> position = {}, velocity = {};
  };
  std::vector<Value> fixed = {}, guess = {};
  double t = 0;
};

/// The outcome of assembly: a state, or the reason why there is none.
class Assembled {
 public:
  Assembled(const Dynamics& dynamics, const State& guess, const AssembleOptions& options)
      : assembly_(dalembert::assemble(dynamics, guess, options)) {
    if (!assembly_.ok()) diagnostics_.push_back(explain_failure(dynamics, assembly_, options));
  }
  bool ok() const { return assembly_.ok(); }
  /// Consistent. Throws ModelError (E0301 to E0303) when there is none.
  State state() const { return ok() ? assembly_.state : throw ModelError(diagnostics_); }
  const Assembly& assembly() const { return assembly_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Assembly assembly_;
  Diagnostics diagnostics_;
};

/// Throws ModelError (E0102) for a name that is no coordinate.
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
  return {dynamics, state, options};
}

/// From the initial values that the model states ([initial] of a model file).
inline Assembled assemble(const Dynamics& dynamics, const Model& model) {
  const InitialState initial = initial_state(model);
  AssembleOptions options;
  options.hold_position = initial.hold_position;
  options.hold_velocity = initial.hold_velocity;
  return {dynamics, initial.state, options};
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// STATE.json: {"t": 0, "q": {"theta": 1}, "qd": {"theta": 4}, "inputs": {"tau": 0}, "parameters": {"L": 0.5}}, all in
// SI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/model/model.h"
#include "dalembert/modelfile/load.h"

namespace dalembert::app {

/// What a state file says; what it leaves out comes from the model.
struct StateFile {
  struct Value {
    std::string name;
    double value = 0;
    Span span;  ///< of the name
  };
  std::optional<double> t;
  std::vector<Value> q, qd, inputs, parameters;
  std::vector<Value> v;  ///< quasi-velocities; velocities by their own names where frames have quaternions
};

/// Throws Failure: exit 5 when it cannot be read; E0406 with exit 1 for text that is not JSON, unknown members, values
/// that are not numbers.
StateFile read_state_file(const std::string& path);

/// Names that the model does not have: E0406 with the nearest one, exit 1. Beside quaternions `x'` is `x`.
void check_names(StateFile& file, const Model& model);

/// Inputs and parameters as overrides of the model file.
std::vector<Override> overrides_of(const StateFile& file);
/// t, q and qd put into a state; quasi-velocities are left to assembly (system_at.h).
void apply(const StateFile& file, const Model& model, State& state);

/// The document for a state.
std::string state_text(const Model& model, const State& state);

}  // namespace dalembert::app

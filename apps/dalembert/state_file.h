// SPDX-License-Identifier: Apache-2.0
// Reads STATE.json: {"t": 0, "q": {"theta": 1}, "qd": {"theta": 4}, "inputs": {"tau": 0}, "parameters": {"L": 0.5}},
// all in SI.
#pragma once

#include <string>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/model/model.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/system_at.h"

namespace dalembert::app {

/// What a state file says; what it leaves out is taken from the model.
struct StateFile : Start {
  std::vector<Number> inputs = {}, parameters = {};
};

/// Throws Failure: exit 5 if the file cannot be read; E0406 with exit 1 if it is not JSON, has unknown members, or has
/// values that are not numbers.
StateFile read_state_file(const std::string& path);

/// Throws Failure (exit 1, E0406) for names that the model does not have.
void require_names(StateFile& file, const Model& model);

/// Inputs and parameters as overrides of the model file.
std::vector<Override> overrides_of(const StateFile& file);
/// A state as the text of a state file.
std::string state_text(const Model& model, const State& state);

}  // namespace dalembert::app

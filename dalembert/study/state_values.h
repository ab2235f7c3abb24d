// SPDX-License-Identifier: Apache-2.0
// What a user says of a state: values by name, all in SI. A state file (`--at STATE.json`) is read into it, and so is
// what Python is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// What it leaves out comes from the model.
struct StateValues {
  struct Value {
    std::string name;
    double value = 0;
    Span span = {};  ///< of the name, where it was read
  };
  std::optional<double> t = {};
  std::vector<Value> q = {}, qd = {}, inputs = {}, parameters = {};
  std::vector<Value> v = {};  ///< quasi-velocities; velocities by their own names where frames have quaternions
};

/// E0406 for names that the model does not have, with the nearest one. Beside quaternions `x'` is `x`, and becomes it.
Diagnostics check_names(StateValues& values, const Model& model);

/// t, q and qd put into a state; quasi-velocities are left to assembly (system_at.h). The names are the model's.
void apply(const StateValues& values, const Model& model, State& state);

/// What `qd` names: coordinates; with quaternions angular velocities among them.
std::vector<std::string> velocity_names(const Model& model);

}  // namespace dalembert

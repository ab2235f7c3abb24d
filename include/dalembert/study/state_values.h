// SPDX-License-Identifier: Apache-2.0
// A state as a user gives it: values by name, all in SI. State files (`--at STATE.json`) and arguments from Python
// become this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// A state's values by name. Missing values are taken from the model.
struct StateValues {
  struct Value {
    std::string name;
    double value = 0;
    Span span = {};  ///< position of the name in the input
  };
  std::optional<double> t = {};
  std::vector<Value> q = {}, qd = {}, inputs = {}, parameters = {};
  std::vector<Value> v = {};  ///< quasi-velocities; in models with quaternions, all velocities
};

/// E0406, with the nearest name, for names that the model does not have. In models with quaternions the velocity name
/// `x'` is replaced by `x`.
Diagnostics check_names(StateValues& values, const Model& model);

/// Sets t, q and qd in a state; assembly takes care of quasi-velocities (system_at.h). The names must be checked.
void apply(const StateValues& values, const Model& model, State& state);

/// The names that `qd` accepts: coordinates; in models with quaternions also angular velocities.
std::vector<std::string> velocity_names(const Model& model);

}  // namespace dalembert

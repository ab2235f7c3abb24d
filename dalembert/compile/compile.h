// SPDX-License-Identifier: Apache-2.0
// Expressions become numbers: Equations → Dynamics.
#pragma once

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct CompileOptions {
  bool machine_code = true;  ///< for runs (Kernel::expect_many_calls), where it can be made; false: the interpreter
};

/// The system as functions of numbers, with the model's parameter values and inputs bound.
Dynamics compile(const Equations& equations, const CompileOptions& options = {});

/// The model's initial values as a state: held values and guesses, 0 elsewhere; and which are held.
struct InitialState {
  State state;
  std::vector<bool> hold_position, hold_velocity;  ///< N
};
InitialState initial_state(const Model& model);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Expressions become numbers: Equations → Dynamics.
#pragma once

#include <array>
#include <memory>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct CompileOptions {
  bool machine_code = true;  ///< for runs (Kernel::expect_many_calls), where it can be made; false: the interpreter
};

/// The system as functions of numbers, with the model's parameter values and inputs bound.
Dynamics compile(const Equations& equations, const CompileOptions& options = {});

/// The quasi-velocities of the model as a system that VelocityElimination and IntegrateOptions take; null where it states none.
std::shared_ptr<const Dynamics> compile_quasi_velocities(const Equations& equations);

/// The model's initial values as a state: held values and guesses, 0 elsewhere; and which are held. Prescribed coordinates
/// are where they are prescribed to be at that time, and held there, unless the model holds them elsewhere: then no start
/// exists.
struct InitialState {
  State state;
  std::vector<bool> hold_position, hold_velocity;  ///< N
};
InitialState initial_state(const Model& model);
/// The same at another time than the model's.
InitialState initial_state(const Model& model, double t);

/// Of prescribed coordinate k (Model::prescribed) at t: value, rate, acceleration. NaN where a spline has no value.
std::array<double, 3> prescribed_motion(const Model& model, std::size_t k, double t);

/// assemble() of a start (dynamics/assemble.h), with what the model holds of its quasi-velocities held as well. A
/// `worst_row` from m on is the held one of that number.
Assembly assemble_start(const Equations& equations, const Dynamics& dynamics, const InitialState& initial);

}  // namespace dalembert

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
  bool machine_code = true;  ///< for runs where possible (Kernel::expect_many_calls); false: interpret
};

/// Compiles equations to a system of numeric functions, with the model's parameter values and inputs bound.
Dynamics compile(const Equations& equations, const CompileOptions& options = {});

/// The quasi-velocities of the model as a system that VelocityElimination and IntegrateOptions take; null where it states none.
std::shared_ptr<const Dynamics> compile_quasi_velocities(const Equations& equations);

/// The model's initial values as a state: held values and guesses, 0 elsewhere; and which are held. Prescribed
/// coordinates have their prescribed values and rates at the start time, and are held there; a different value that the
/// model holds replaces these, but then no start exists.
struct InitialState {
  State state;
  std::vector<bool> hold_position, hold_velocity;  ///< nq and nv entries
};
InitialState initial_state(const Model& model);
/// The initial state with prescribed values at time t instead of the model's start time.
InitialState initial_state(const Model& model, double t);

/// Value, rate and acceleration at t of prescribed coordinate k (Model::prescribed). NaN where a spline has no value.
std::array<double, 3> prescribed_motion(const Model& model, std::size_t k, double t);

/// assemble() for a start (dynamics/assemble.h) that also holds the initial values which the model states for
/// quasi-velocities. These rows follow the m constraint rows: `worst_row` = m + k is the k-th held quasi-velocity.
Assembly assemble_start(const Equations& equations, const Dynamics& dynamics, const InitialState& initial);

}  // namespace dalembert

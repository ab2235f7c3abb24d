// SPDX-License-Identifier: Apache-2.0
// Checks that the quasi-velocities of a model determine its velocities, and reports what is wrong where they do not.
#pragma once

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// Checks the quasi-velocities of the model. Errors: E0260 not affine in the velocities; E0261 too few or too many;
/// E0262 dependent on the constraints or on each other. The last error says which velocities would complete them.
Diagnostics check_quasi_velocities(const Equations& equations);

/// The coefficients of the quasi-velocities Y q̇ + y₀, built in the graph of the equations: Y has a row of nv entries
/// (null: 0) for each of them. The definitions must be affine in the velocities.
struct QuasiVelocityRows {
  std::vector<std::vector<Expr>> Y;
  std::vector<Expr> y0;
};
QuasiVelocityRows quasi_velocity_rows(const Equations& equations);

/// A system with the same coordinates and velocities, without inertia and forces, whose constraint rows are w = Y
/// q̇ + y₀: W and a of its kernel are Y and y₀, and γ is the rate of w at q̈ = 0.
Equations quasi_velocity_equations(const Equations& equations);

/// The equations with a Pfaffian row Y q̇ + y₀ − value, after the other rows, for each quasi-velocity that [initial]
/// holds at a value. They serve to assemble the initial state, not to compute the motion.
Equations with_initial_quasi_velocities(const Equations& equations);

}  // namespace dalembert

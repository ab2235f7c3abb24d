// SPDX-License-Identifier: Apache-2.0
// Whether the quasi-velocities of a model determine its velocities, and what is wrong where they do not.
#pragma once

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// Errors: E0260 not affine in the velocities; E0261 too few or too many; E0262 dependent on the constraints or on each
/// other. Each says which velocities would complete them.
Diagnostics check_quasi_velocities(const Equations& equations);

/// The coefficients Y of the quasi-velocities (null: 0), of nv velocities each, and y₀; built in the graph of the
/// equations. Of definitions that are affine.
struct QuasiVelocityRows {
  std::vector<std::vector<Expr>> Y;
  std::vector<Expr> y0;
};
QuasiVelocityRows quasi_velocity_rows(const Equations& equations);

/// A system of the same coordinates and velocities, without inertia and forces, whose constraint rows say w = Y q̇ + y₀:
/// W and a of its kernel are Y and y₀, γ is the rate of w at q̈ = 0.
Equations quasi_velocity_equations(const Equations& equations);

/// The equations with what [initial] holds of quasi-velocities as further Pfaffian rows, Y q̇ + y₀ − value, after the others:
/// for assembly, not for motion.
Equations with_initial_quasi_velocities(const Equations& equations);

}  // namespace dalembert

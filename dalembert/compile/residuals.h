// SPDX-License-Identifier: Apache-2.0
// The equations of motion as residuals, with v̇, λ and the friction forces as independent arguments: their derivatives contain second derivatives of the
// constraints (λ·∂W, ∂γ), and forces may depend on λ. Built in the graph of the equations.
#pragma once

#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// r = M v̇ − f − (Wᵀ + Φ) λ, nv entries: without the forces of frictions.
std::vector<Expr> force_residuals(const Equations& equations);
/// c = W v̇ + γ, m entries.
std::vector<Expr> acceleration_rows(const Equations& equations);
/// w = W v + a, m entries.
std::vector<Expr> velocity_rows(const Equations& equations);
/// q̇ = N v + n₀, or v.
std::vector<Expr> rates_of_coordinates(const Equations& equations);

/// What the derivatives of systems with forces that depend on multipliers are made of (dynamics/friction.h): r + Cᵀf [nv], c [m], C v̇ + γ_c [k], then N, v_s,
/// μ and c of each friction [k each].
std::vector<Expr> friction_residuals(const Equations& equations);
/// The rows that a state fulfils: h of the holonomic rows, w [m], and v_s [k], which is 0 where a friction sticks.
std::vector<Expr> rows_of_state(const Equations& equations);

}  // namespace dalembert

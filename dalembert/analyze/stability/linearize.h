// SPDX-License-Identifier: Apache-2.0
// The constrained motion linearised on the tangent space of its constraints (theory §7).
//
// A state x = (q, v) that satisfies h(q,t) = 0 and W(q,t) v + a(q,t) = 0 is determined by some of its own entries, the
// coordinates z of the manifold: x = X(z). Their flow is ż = P ẋ(X(z)), where P picks these entries, and
//
//   A = P (∂ẋ/∂x) ∂X/∂z,      ∂(v̇, λ)/∂x = −K⁻¹ ∂(r, c)/∂x with v̇ and λ held,   K = ∂(r, c)/∂(v̇, λ)
//
// where r = 0 are the equations of motion and c = 0 the constraints on accelerations. ∂(r, c) contains λ·∂W and ∂γ, the
// second derivatives of the constraints. Inputs likewise give B, outputs C and D. Everything is differentiated exactly
// (compile/equation_derivatives.h). Dense: O((n + m)³).
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/steady.h"
#include "dalembert/base/diagnostic.h"

namespace dalembert {

struct LinearizeOptions {
  /// Coordinates and velocities that should be among the states, unless that is conditioned much worse.
  std::vector<bool> prefer_position = {}, prefer_velocity = {};
  /// A state within this distance of an equilibrium (steady.h) is taken for the equilibrium, since its numbers may be rounded.
  double near = 1e-7;
};

/// Linearises at a consistent state. Errors: E0303 a derivative of the equations is not finite; E0307 there are no unique
/// accelerations, or W loses rank (rank_loss.h); E0272 the system has frictions, which must be held first (held_friction.h).
Result<LinearMotion> linearize(const SteadySystem& system, const State& state, const LinearizeOptions& options = {});

}  // namespace dalembert

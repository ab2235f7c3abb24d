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

#include "dalembert/analyze/matrix.h"
#include "dalembert/analyze/steady.h"
#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// A coordinate of the constraint manifold: an entry of q or of v.
struct MotionState {
  std::string name;  ///< printed name: "theta", "theta'"
  bool velocity = false;
  std::size_t index = 0;  ///< index in q or in v
};

enum class MotionKind {
  kEquilibrium,   ///< a state at rest, q̇ = 0 and v̇ = 0
  kSteadyMotion,  ///< v̇ = 0, and only cyclic coordinates and those left out move; or this holds up to symmetries
  kState,         ///< neither of these, or the equations depend on time
};
std::string_view to_text(MotionKind kind);

struct LinearMotion {
  MotionKind kind = MotionKind::kState;
  MotionPoint at;  ///< the state; if it was near an equilibrium or a steady motion, that one to round-off
  std::vector<MotionState> states;
  Matrix A, B, C, D;                ///< ż = A z + B u, y = C z + D u; inputs and outputs in the order of the model.
                                    ///< The row of an output that has no derivative there is NaN.
  Matrix tangent;                   ///< (nq + nv) × states: ∂X/∂z
  std::vector<std::size_t> cyclic;  ///< states that are cyclic coordinates
  std::vector<std::size_t> lost;    ///< outputs that contain coordinates that are left out
  /// At a steady motion up to symmetries: the rates c_k at which SteadySystem::symmetries turn it. A is then the
  /// derivative of (q̇, v̇) − Σ c_k X_k, the flow seen in axes that turn with the motion, and states that a symmetry
  /// turns into each other count as one.
  std::vector<double> turning = {};
  bool nearly_dependent = false;  ///< rows of W are nearly dependent, but by more than round-off (rank_loss.h)
};

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

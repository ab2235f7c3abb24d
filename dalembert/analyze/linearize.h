// SPDX-License-Identifier: Apache-2.0
// The constrained motion linearised on the tangent space of its constraints (theory §7).
//
// A state x = (q, v) that satisfies h(q,t) = 0 and W(q,t) v + a(q,t) = 0 is determined by some of its own entries, the
// coordinates z of the manifold: x = X(z). Their flow is ż = P ẋ(X(z)), P picking entries, and
//
//   A = P (∂ẋ/∂x) ∂X/∂z,      ∂(v̇, λ)/∂x = −K⁻¹ ∂(r, c)/∂x with v̇ and λ held,   K = ∂(r, c)/∂(v̇, λ)
//
// where ∂(r, c) contains λ·∂W and ∂γ, the second derivatives of the constraints. Inputs likewise give B, outputs C and D.
// Everything is differentiated exactly (compile/equation_derivatives.h). Dense: O((n + m)³).
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/matrix.h"
#include "dalembert/analyze/steady.h"
#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// A coordinate of the constraint manifold: an entry of q or of v.
struct MotionState {
  std::string name;  ///< "theta", "theta'"
  bool velocity = false;
  std::size_t index = 0;  ///< in q or in v
};

enum class MotionKind {
  kEquilibrium,  ///< q̇ = 0, v̇ = 0
  kSteadyMotion,  ///< v̇ = 0, and only coordinates move that nothing depends on, or that are left out; or up to symmetries
  kState,         ///< neither, or the equations depend on time
};
std::string_view to_text(MotionKind kind);

struct LinearMotion {
  MotionKind kind = MotionKind::kState;
  MotionPoint at;  ///< an equilibrium or a steady motion to round-off, where the state given was near one
  std::vector<MotionState> states;
  Matrix A, B, C, D;                ///< ż = A z + B u, y = C z + D u; inputs and outputs in the order of the model.
                                    ///< The row of an output that has no slope there is NaN.
  Matrix tangent;                   ///< (nq + nv) × states: ∂X/∂z
  std::vector<std::size_t> cyclic;  ///< states that are coordinates which nothing depends on
  std::vector<std::size_t> lost;    ///< outputs that contain coordinates that are left out
  /// Of SteadySystem::symmetries, at a steady motion: the rates c that they turn it at. A is then the slope of (q̇, v̇) − Σ c_k X_k, the
  /// flow for someone who turns too, and the states are those that are left when all that is turned counts as the same.
  std::vector<double> turning = {};
  bool nearly_dependent = false;  ///< rows of W, by more than round-off and less than numbers tell apart (rank_loss.h)
};

struct LinearizeOptions {
  /// Coordinates and velocities that should be among the states, where that is not much worse conditioned.
  std::vector<bool> prefer_position = {}, prefer_velocity = {};
  /// Rounded equilibria are taken for the equilibria that they are near, within this distance (steady.h).
  double near = 1e-7;
};

/// At a consistent state. Errors: E0303 where a derivative of the equations is not finite, E0307 where no unique accelerations
/// exist or W loses rank (rank_loss.h), E0272 of systems with frictions, which are to be held before (held_friction.h).
Result<LinearMotion> linearize(const SteadySystem& system, const State& state, const LinearizeOptions& options = {});

}  // namespace dalembert

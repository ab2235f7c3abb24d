// SPDX-License-Identifier: Apache-2.0
// Projects a state onto the constraint manifold, to round-off: the least change of q, then of v, in the mass metric,
//
//   min ½ δᵀMδ  subject to  W δ = −h       q ← q + N δ, repeated until h stops shrinking                    (1)
//   min ½ δᵀMδ  subject to  W δ = −(Wv + a)       v ← v + δ                                                (2)
//
// The kernel computes the steps where it can and its pivots can be trusted; else the dense KKT solver does. M and W
// are evaluated where each step begins, unless only round-off is left. Where M is not positive definite on null(W),
// the identity replaces it. Source: Eich, SIAM J. Numer. Anal. 30 (1993) 1467-1482; Hairer, Lubich & Wanner,
// Geometric Numerical Integration, IV.4.
#pragma once

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {

struct Workspace;  // make_workspace() in kkt.h

struct Projection {
  bool ok = false;               ///< the result is finite; the caller judges whether the residuals are small enough
  double position_residual = 0;  ///< max |h_j| left, in the units of h
  double velocity_residual = 0;  ///< max |(Wq̇ + a)_j| left
  /// The residuals in units of round-off: max over rows of |residual| / (eps · Σ|terms|). About 1 is the best possible.
  double position_roundoff = 0, velocity_roundoff = 0;
  /// These two ratios before the projection. Below about 100 there was only round-off to correct.
  double position_roundoff_before = 0, velocity_roundoff_before = 0;
  int iterations = 0;  ///< number of steps taken
  /// Whether workspace.h, W, a, residual and row_sizes belong to the projected state.
  bool measured = false;
  /// kTooLarge if the kernel met a pivot that it cannot trust, and the system is too large for the
  /// dense solver; then `ok` is false.
  KktStatus status = KktStatus::kOk;
};

/// Projects a state that is already near the manifold, as after an integration step (from a guess, use assemble()).
/// Takes at most 6 iterations for q and 3 for v. The displacement is in workspace.dq and workspace.dv. The residuals
/// include rows outside workspace.basis, but the steps do not use these rows.
Projection project(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace);
Projection project(const Dynamics& dynamics, State& state);

/// Takes one step of (1) and one of (2) by the kernel, without measuring residuals. For states so near the manifold
/// that the remaining error, which is of second order, does not matter. False where the kernel cannot take these steps;
/// the state may have changed nevertheless.
bool project_once(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Back onto the manifold, to round-off: the least change of q, then of q̇, in the mass metric,
//
//   min ½ δᵀMδ  subject to  W δ = −h       q ← q + N δ, repeated until h stops shrinking                    (1)
//   min ½ δᵀMδ  subject to  W δ = −(Wv + a)       v ← v + δ                                                (2)
//
// by the kernel where it solves for steps itself and its pivots can be trusted; else with the dense KKT core; M and W are
// those of where each step begins, unless only round-off is left. Where M is not positive definite on the directions left
// free, the plain metric takes its place. Source: Eich, SIAM J. Numer. Anal. 30 (1993) 1467-1482;
// Hairer, Lubich & Wanner, Geometric Numerical Integration, IV.4.
#pragma once

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

struct Projection {
  bool ok = false;               ///< finite; whether the residuals are small enough is for the caller to judge
  double position_residual = 0;  ///< max |h_j| left, in the units of h
  double velocity_residual = 0;  ///< max |(Wq̇ + a)_j| left
  /// The residuals in units of arithmetic: max over rows of |residual| / (eps · Σ|terms|); ~1 is as good as it gets.
  double position_roundoff = 0, velocity_roundoff = 0;
  /// The same before: below about 100 there was nothing to correct but round-off.
  double position_roundoff_before = 0, velocity_roundoff_before = 0;
  int iterations = 0;  ///< steps
  /// Whether workspace.h, W, a, residual and row_sizes are those of the state as it is now.
  bool measured = false;
  /// kTooLarge: the kernel met a pivot it cannot trust and the system is too large for the dense solver; not ok then.
  KktStatus status = KktStatus::kOk;
};

/// For states already near the manifold (after an integration step; use assemble() from guesses). At most 6 iterations
/// each. The displacement is in workspace.dq and workspace.dv. Rows outside workspace.basis are measured, not
/// solved for.
Projection project(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace);
Projection project(const Dynamics& dynamics, State& state);

/// One step of (1) and one of (2) by the kernel, for states so near that what is left is of second order; nothing is
/// measured. False where the kernel cannot do that; the state may have been changed then.
bool project_once(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace);

}  // namespace dalembert

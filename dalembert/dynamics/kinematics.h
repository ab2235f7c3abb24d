// SPDX-License-Identifier: Apache-2.0
// Coordinates and velocities: q̇ = N(q,t) v + n₀(q,t). Where v = q̇ no kernel is asked and nothing is multiplied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// workspace.N and n0 at (t, q). Not where v_is_qdot.
void evaluate_kinematics(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);

/// The general case of find_qdot().
void multiply_kinematics(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                         double* qdot);
/// q̇ of the velocities v at (t, q).
inline void find_qdot(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                      double* qdot) {
  if (dynamics.layout().v_is_qdot)
    copy_few(v, static_cast<std::size_t>(dynamics.nv()), qdot);
  else
    multiply_kinematics(dynamics, t, q, v, workspace, qdot);
}

/// The general case of displace().
void displace_by_kinematics(const Dynamics& dynamics, double t, double* q, const double* step, Workspace& workspace);
/// q ← q + N(q,t)·step, unit quaternions of norm 1 again. step: nv, a displacement along the velocities.
inline void displace(const Dynamics& dynamics, double t, double* q, const double* step, Workspace& workspace) {
  if (!dynamics.layout().v_is_qdot) return displace_by_kinematics(dynamics, t, q, step, workspace);
  for (std::size_t i = 0; i < static_cast<std::size_t>(dynamics.nv()); ++i) q[i] += step[i];
}

/// The displacement along the velocities, nv, that is nearest to the change dq of the coordinates: min ‖N x − dq‖₂.
/// Conjugate gradients on the normal equations: as many products as NᵀN has different eigenvalues, two for quaternions
/// (Golub & Van Loan, 4th ed., §11.3.9).
void find_displacement(const Dynamics& dynamics, double t, const double* q, const double* dq, Workspace& workspace,
                       double* x);

/// Quaternions to norm 1, all of `q`. One of norm 0, or not finite, becomes NaN.
void normalize_quaternions(const Layout& layout, double* q);

}  // namespace dalembert

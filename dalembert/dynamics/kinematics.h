// SPDX-License-Identifier: Apache-2.0
// The relation of coordinates and velocities, q̇ = N(q,t) v + n₀(q,t). Where v = q̇ there is
// no kernel call and no product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// Computes N and n₀, in workspace.N, at (t, q). Not for systems where v_is_qdot.
void evaluate_kinematics(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);

/// The general case of find_qdot().
void multiply_kinematics(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                         double* qdot);
/// Computes q̇ from the velocities v at (t, q).
inline void find_qdot(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                      double* qdot) {
  if (dynamics.layout().v_is_qdot)
    copy_few(v, static_cast<std::size_t>(dynamics.nv()), qdot);
  else
    multiply_kinematics(dynamics, t, q, v, workspace, qdot);
}

/// The general case of displace().
void displace_by_kinematics(const Dynamics& dynamics, double t, double* q, const double* step, Workspace& workspace);
/// q ← q + N(q,t)·step, then scales unit quaternions to norm 1. step: nv numbers, a displacement in the velocities.
inline void displace(const Dynamics& dynamics, double t, double* q, const double* step, Workspace& workspace) {
  if (!dynamics.layout().v_is_qdot) return displace_by_kinematics(dynamics, t, q, step, workspace);
  for (std::size_t i = 0; i < static_cast<std::size_t>(dynamics.nv()); ++i) q[i] += step[i];
}

/// Finds the displacement x in the velocities, nv numbers, that is nearest to the change dq of the coordinates:
/// min ‖N x − dq‖₂. Conjugate gradients on the normal equations need one iteration for each distinct eigenvalue of NᵀN,
/// two for quaternions (Golub & Van Loan, 4th ed., §11.3.9).
void find_displacement(const Dynamics& dynamics, double t, const double* q, const double* dq, Workspace& workspace,
                       double* x);

/// Scales the four numbers of a quaternion to norm 1. One of norm 0, or with an entry that is not finite, becomes NaN.
void normalize_quaternion(double* e);
/// Scales all quaternions in `q` so.
void normalize_quaternions(const Layout& layout, double* q);

}  // namespace dalembert

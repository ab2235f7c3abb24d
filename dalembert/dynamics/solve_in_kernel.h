// SPDX-License-Identifier: Apache-2.0
// solve_kkt() with its fast path inline, for inner loops.
#pragma once

#include <cstddef>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// Computes q̈ and λ with all rows of W, by a kernel that solves_kkt(). False when a pivot cannot be
/// trusted or a value is not finite.
inline bool solve_in_kernel(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                            double* qdd, double* lambda) {
  evaluate_inputs(dynamics, t, workspace);
  double* out = workspace.out.data();
  call_kernel(dynamics, KernelFunction::kAccelerations, t, q, v, workspace, out);
  const AccelerationsPlaces at(dynamics.layout());
  const bool finite = copy_finite(out, at.lambda, qdd) && copy_finite(out + at.lambda, at.trust - at.lambda, lambda);
  const double* trust = out + at.trust;
  if (!finite || !trusted(trust)) return false;
  workspace.kkt.set_solved_by_kernel(trust);
  workspace.loss = trust[1];
  return true;
}

/// The path of solve_kkt() without the kernel's solve: by the dense solver or, with friction, by FrictionSystem.
KktStatus solve_kkt_densely(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                            double* qdd, double* lambda);

/// The same as solve_kkt(), inline.
inline KktStatus solve_kkt_in_line(const Dynamics& dynamics, double t, const double* q, const double* v,
                                   Workspace& workspace, double* qdd, double* lambda) {
  if (workspace.basis.all && dynamics.kernel().solves_kkt()) {
    if (solve_in_kernel(dynamics, t, q, v, workspace, qdd, lambda)) return KktStatus::kOk;
    ++workspace.fallbacks;
  }
  return solve_kkt_densely(dynamics, t, q, v, workspace, qdd, lambda);
}

}  // namespace dalembert

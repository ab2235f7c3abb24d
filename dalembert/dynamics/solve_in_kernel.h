// SPDX-License-Identifier: Apache-2.0
// The fast path of solve_kkt(), where an inner loop can see it.
#pragma once

#include <cstddef>

#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// q̈ and λ with all rows of W, by a kernel that solves_kkt(). False when a pivot cannot be trusted or something is not
/// finite: solve_kkt() then decides by the rank-revealing solver.
inline bool solve_in_kernel(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                            double* qdd, double* lambda) {
  evaluate_inputs(dynamics, t, workspace);
  double* out = workspace.out.data();
  call_kernel(dynamics, KernelFunction::kAccelerations, t, q, v, workspace, out);
  const auto n = static_cast<std::size_t>(dynamics.n()), m = static_cast<std::size_t>(dynamics.m());
  const bool finite = copy_finite(out, n, qdd) && copy_finite(out + n, m, lambda);
  const double* trust = out + n + m;
  if (!finite || !trusted(trust)) return false;
  workspace.kkt.set_solved_by_kernel(trust);
  workspace.loss = trust[1];
  return true;
}

}  // namespace dalembert

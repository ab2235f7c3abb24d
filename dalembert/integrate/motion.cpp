// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/motion.h"

#include <algorithm>
#include <cmath>

#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/solve_in_kernel.h"

namespace dalembert::integration {

// Most of a run's time is spent here. Machine code that solves the KKT system writes directly into `dydt`. Values that
// are not finite are noticed by the error of the step, or at its end.
DALEMBERT_CALLS_CODE
bool Motion::evaluate(double t, const double* y, double* dydt) {
  ++evaluations;
  KernelCode* code = workspace.code[static_cast<std::size_t>(KernelFunction::kAccelerations)];
  if (code == nullptr || on_manifold || !workspace.basis.all || !slide_.empty()) [[unlikely]]
    return evaluate_slowly(t, y, dydt);
  const double *q = y, *v = y + nq_;
  evaluate_inputs(dynamics_, t, workspace);
  // Copying q̇ before the call lets the processor overlap the copy with the computation.
  find_qdot(dynamics_, t, q, v, workspace, dydt);
  double* out = dydt + nq_;
  const double* const arguments[] = {&t,      dynamics_.parameters().data(), workspace.u.data(), q, v, nullptr,
                                     nullptr, dynamics_.prepared()};
  const bool refused = code(arguments, workspace.work.data(), out) != 0;
  const double *lambda = out + nv_, *trust = lambda + m_;
  if (refused || !trusted(trust)) [[unlikely]]
    return evaluate_slowly(t, y, dydt);
  status = KktStatus::kOk;
  workspace.kkt.set_solved_by_kernel(trust);
  workspace.loss = trust[1];
  largest_loss = std::max(largest_loss, trust[1]);
  largest_lambda = largest_magnitude(lambda, m_, largest_lambda);
  at_ = lambda;
  if (with_power_) {
    std::copy_n(lambda, m_, lambda_.begin());
    at_ = lambda_.data();
    dydt[nq_ + nv_] = power(t, q, v);
  }
  return true;
}

bool Motion::evaluate_slowly(double t, const double* y, double* dydt) {
  at_ = lambda_.data();
  if (on_manifold) {
    std::copy_n(y, nq_ + nv_, projected_.begin());
    y = projected_.data();
    const Projection projection = project(dynamics_, t, projected_.data(), projected_.data() + nq_, workspace);
    if (!projection.ok || projection.position_residual > manifold_tolerance) return false;
  }
  const double *q = y, *v = y + nq_;
  find_qdot(dynamics_, t, q, v, workspace, dydt);
  if (!slide_.empty()) {
    status = slide_.solve(t, q, v, workspace, dydt + nq_, lambda_.data(), with_power_ ? dydt + nq_ + nv_ : nullptr);
    shares.insert(shares.end(), slide_.shares().begin(), slide_.shares().end());
    return status == KktStatus::kOk || status == KktStatus::kInconsistent;
  }
  status = solve_kkt_in_line(dynamics_, t, q, v, workspace, dydt + nq_, lambda_.data());
  largest_loss = std::max(largest_loss, workspace.loss);
  largest_lambda = largest_magnitude(lambda_.data(), m_, largest_lambda);
  if (status != KktStatus::kOk && status != KktStatus::kInconsistent) return false;
  if (with_power_) dydt[nq_ + nv_] = power(t, q, v);
  return true;
}

void Motion::note_shared(const double* lambda, const double* trust) {
  status = KktStatus::kOk;
  workspace.kkt.set_solved_by_kernel(trust);
  workspace.loss = trust[1];
  at_ = lambda;
  if (!with_power_) return;
  std::copy_n(lambda, m_, lambda_.begin());
  at_ = lambda_.data();
}

void Motion::follow(const Motion& run) {
  const Workspace& of_run = run.workspace;
  workspace.code = of_run.code;
  workspace.basis = of_run.basis;
  workspace.position_basis = of_run.position_basis;
  if (workspace.held_inputs != of_run.held_inputs) {
    workspace.held_inputs = of_run.held_inputs;
    evaluate_constant_inputs(dynamics_, workspace);
  }
  if (workspace.friction != nullptr) workspace.friction->follow(*of_run.friction);
  if (!slide_.empty() || !run.slide_.empty()) slide_ = run.slide_;
  on_manifold = run.on_manifold;
  manifold_tolerance = run.manifold_tolerance;
}

bool Motion::find_forces(double t, const double* y, double* qdd, double* multipliers) {
  const double *q = y, *v = y + nq_;
  const KktStatus found = slide_.empty() ? solve_kkt_in_line(dynamics_, t, q, v, workspace, qdd, multipliers)
                                         : slide_.solve(t, q, v, workspace, qdd, multipliers, nullptr);
  return found == KktStatus::kOk || found == KktStatus::kInconsistent;
}

// dE/dt at a state whose multipliers are in lambda_.
double Motion::power(double t, const double* q, const double* v) {
  evaluate_inputs(dynamics_, t, workspace);
  double result = 0;
  call_kernel(dynamics_, KernelFunction::kPower, t, q, v, workspace, &result, lambda_.data());
  return result;
}

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Evaluates the terms of FrictionSolver at a point: dense matrices, and sliding speeds with the sizes of their terms.
#include <cmath>
#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

void spread(const Pattern& pattern, const double* values, std::vector<double>& dense) {
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    dense[as_size(pattern.row[k]) * as_size(pattern.cols) + as_size(pattern.col[k])] = values[k];
}

}  // namespace

void FrictionSolver::evaluate(const Dynamics& dynamics, double t, const double* q, const double* v,
                              Workspace& workspace) {
  evaluate_rates(dynamics, t, q, v, workspace);
  for (int r = 0; r < m_; ++r) acts[at(r)] = dynamics.acts(r) ? 1 : 0;
  if (dynamics.contacts() != nullptr && one_sided_.empty()) {
    one_sided_.assign(at(m_), 0);
    for (const Contacts::Contact& contact : dynamics.contacts()->contacts) one_sided_[at(contact.row)] = 1;
  }
  spread(layout_.M, workspace.M.data(), M_);
  spread(layout_.W, workspace.W.data(), W_);
  f_ = workspace.f;
  gamma_ = workspace.gamma;
  call_kernel(dynamics, KernelFunction::kFriction, t, q, v, workspace, workspace.out.data());
  const FrictionPlaces places(layout_);
  const double* out = workspace.out.data();
  spread(layout_.Phi, out, Phi_);
  spread(layout_.C, out + places.C, C_);
  spread(layout_.load, out + places.load, load_);
  for (std::size_t j = 0; j < at(k_); ++j) {
    const double c0 = out[places.c0 + j];
    double sum = c0, size = std::abs(c0);
    for (std::size_t i = 0; i < at(n_); ++i) {
      sum += C_[j * at(n_) + i] * v[i];
      size += std::abs(C_[j * at(n_) + i] * v[i]);
    }
    speed_[j] = sum;
    speed_size_[j] = size;
    speed_rate_[j] = out[places.gamma + j];
    N0_[j] = out[places.N0 + j];
    mu_[j] = out[places.mu + j];
    mu_s_[j] = out[places.mu_s + j];
    viscous_[j] = out[places.viscous + j];
  }
  find_idle();
}

}  // namespace dalembert

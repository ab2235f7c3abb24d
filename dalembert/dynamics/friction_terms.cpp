// SPDX-License-Identifier: Apache-2.0
// Evaluates the terms of FrictionSystem at a point, and hands each part its own: dense matrices, and sliding speeds with the sizes of their
// terms.
#include <cmath>
#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/friction_parts.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

// Entry k of the pattern is `values[places[k]]`. Returns whether an entry changes.
bool spread(const Pattern& pattern, const std::vector<int>& places, const double* values, std::vector<double>& dense) {
  bool changes = false;
  for (std::size_t k = 0; k < pattern.row.size(); ++k) {
    double& entry = dense[as_size(pattern.row[k]) * as_size(pattern.cols) + as_size(pattern.col[k])];
    const double value = values[places[k]];
    changes |= entry != value;
    entry = value;
  }
  return changes;
}

template <class Number>
void pick(const std::vector<Number>& from, const std::vector<int>& places, std::vector<Number>& to) {
  to.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) to[i] = from[as_size(places[i])];
}

}  // namespace

void FrictionSystem::evaluate(const Dynamics& dynamics, double t, const double* q, const double* v,
                              Workspace& workspace) {
  evaluate_rates(dynamics, t, q, v, workspace);
  for (int r = 0; r < m_; ++r) acts[at(r)] = dynamics.acts(r) ? 1 : 0;
  if (dynamics.contacts() != nullptr)
    for (const Contacts::Contact& contact : dynamics.contacts()->contacts) one_sided_[at(contact.row)] = 1;
  call_kernel(dynamics, KernelFunction::kFriction, t, q, v, workspace, workspace.out.data());
  const FrictionPlaces places(dynamics.layout());
  for (const std::unique_ptr<Part>& part : parts_)
    part->solver.evaluate({part->where, workspace.M, workspace.W, workspace.f, workspace.gamma, v, workspace.out.data(),
                           places, acts, one_sided_});
}

void FrictionSolver::evaluate(const FrictionTerms& terms) {
  const FrictionPart& part = terms.part;
  const Layout& layout = part.layout;
  const FrictionPlaces& places = terms.places;
  pick(terms.acts, part.rows, acts);
  pick(terms.one_sided, part.rows, one_sided_);
  if (spread(layout.M, part.M, terms.M.data(), M_)) is_semidefinite_ = is_mass_semidefinite();
  spread(layout.W, part.W, terms.W.data(), W_);
  pick(terms.f, part.velocities, f_);
  pick(terms.gamma, part.rows, gamma_);
  const double* out = terms.packed;
  spread(layout.Phi, part.Phi, out, Phi_);
  spread(layout.C, part.C, out + places.C, C_);
  spread(layout.load, part.load, out + places.load, load_);
  for (std::size_t j = 0; j < at(k_); ++j) {
    const std::size_t of_system = at(part.frictions[j]);
    const double c0 = out[places.c0 + of_system];
    double sum = c0, size = std::abs(c0);
    for (std::size_t i = 0; i < at(n_); ++i) {
      const double term = C_[j * at(n_) + i] * terms.v[part.velocities[i]];
      sum += term;
      size += std::abs(term);
    }
    speed_[j] = sum;
    speed_size_[j] = size;
    speed_rate_[j] = out[places.gamma + of_system];
    N0_[j] = out[places.N0 + of_system];
    mu_[j] = out[places.mu + of_system];
    mu_s_[j] = out[places.mu_s + of_system];
    viscous_[j] = out[places.viscous + of_system];
  }
  find_idle();
  negative_inertia_ = !is_semidefinite_ && find_negative_inertia();
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Derivatives of what FrictionSolver finds, in the same mode and with the same factors, and steps onto rows and sticking frictions.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/friction_system.h"
#include "dalembert/dynamics/numbers.h"

namespace dalembert {

FrictionSolver::Determines FrictionSolver::determines() const {
  if (rank_ == active_) return Determines::kAll;
  // The multipliers that redundant rows have by choice change nothing but forces.
  return has_Phi_ || slides_with_load() ? Determines::kNothing : Determines::kMotion;
}

// Of (1) and (2), with δ for changes and ∂ for those in `change`:
//   M δv̇ − (Wᵀ + Φ) δλ + Cᵀ δf = −∂r,  W δv̇ = −∂c;  sticks: C δv̇ = −∂s;  slides: δf = d μ ∂N/∂λ δλ + e
bool FrictionSolver::differentiate(const FrictionChange& change, double* qdd, double* multipliers) {
  const std::size_t n = at(n_), m = at(m_);
  for (std::size_t p = 0; p < rows_.size(); ++p)
    values_[p] = rows_[p] < m_ ? change.rows[at(rows_[p])] : change.sticking[at(rows_[p] - m_)];
  solve_rows(values_.data());
  for (std::size_t i = 0; i < n; ++i) applied_[i] = -change.forces[i];
  std::vector<double>& own = own_change_;  // e of each sliding friction
  double turn[2] = {};
  for (std::size_t j = 0; j < at(k_); ++j) {
    own[j] = 0;
    if (mode[j].direction == 0 || idle_[j] != 0) continue;
    if (is_plane(j)) turn_by(j, change.speed[j], change.speed[j + 1], turn);
    const double of_unit = is_plane(j) ? turn[0] : second_[j] != 0 ? turn[1] : 0;
    own[j] = mode[j].load *
                 (of_unit * mu_[j] * normal_[j] + unit_[j] * (change.mu[j] * normal_[j] + mu_[j] * change.normal[j])) +
             change.viscous[j] * speed_[j] + viscous_[j] * change.speed[j];
    for (std::size_t i = 0; i < n; ++i) applied_[i] -= C_[j * n + i] * own[j];
  }
  if (!solve_refined(applied_.data(), qdd, multipliers)) return false;
  for (std::size_t j = 0; j < at(k_); ++j) {
    double& f = multipliers[m + j];
    if (idle_[j] != 0) {
      f = 0;
    } else if (mode[j].direction == 0) {
      f = -f;
    } else {
      double N = 0;
      for (std::size_t r = 0; r < m; ++r) N += load_[j * m + r] * multipliers[r];
      f = unit_[j] * mode[j].load * mu_[j] * N + own[j];
    }
  }
  return true;
}

bool FrictionSolver::prepare_step(const RowBasis& basis, bool stops) {
  choose_rows(basis);
  if (!stops) {
    std::erase_if(rows_, [this](int row) { return row >= m_; });
    active_ = static_cast<int>(rows_.size());
  }
  factor_rows();
  // An impulse problem, with no forces but those of the rows: z from K₂₂ z = −K₂₁ y, since the free part of the motion gets no impulse. The first r
  // equations determine the impulses of the rows, which are not needed. Each gets one unknown.
  const std::size_t n = at(n_), r = at(rank_), free = n - r;
  E_.clear();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < free; ++j) E_(i, j) = K_[i * n + r + j];
  for (std::size_t i = 0; i < r; ++i) E_(i, free + i) = 1;
  return factor_unknowns();
}

// The step for the rates in values_, in the order of rows_.
void FrictionSolver::solve_step(double* change) {
  solve_rows(values_.data());
  const std::size_t n = at(n_), r = at(rank_), free = n - r;
  for (std::size_t i = 0; i < n; ++i) {
    unknown_[i] = 0;
    for (std::size_t j = 0; j < r; ++j) unknown_[i] -= K_[i * n + j] * y_[j];
  }
  solve_unknowns();
  std::copy_n(y_.begin(), r, x_.begin());
  std::copy_n(unknown_.begin(), free, x_.begin() + static_cast<std::ptrdiff_t>(r));
  qr_.apply_Q(x_.data());
  for (std::size_t i = 0; i < n; ++i) change[i] = x_[i] * scales_.column[i];
}

void FrictionSolver::find_step(const double* rows, const double* frictions, double* change) {
  for (std::size_t p = 0; p < rows_.size(); ++p) values_[p] = rows_[p] < m_ ? rows[rows_[p]] : frictions[rows_[p] - m_];
  solve_step(change);
}

// The same for systems in parts.

namespace {

bool any(const std::vector<double>& values) {
  for (const double value : values)
    if (value != 0) return true;
  return false;
}

void pick(const std::vector<double>& from, const std::vector<int>& places, std::vector<double>& to) {
  for (std::size_t i = 0; i < places.size(); ++i) to[i] = from[as_size(places[i])];
}

bool any(const FrictionChange& change) {
  return any(change.forces) || any(change.rows) || any(change.sticking) || any(change.normal) || any(change.speed) ||
         any(change.mu) || any(change.viscous);
}

}  // namespace

FrictionSolver::Determines FrictionSystem::determines() const {
  auto least = FrictionSolver::Determines::kAll;
  for (const std::unique_ptr<Part>& part : parts_) least = std::min(least, part->solver.determines());
  return least;
}

bool FrictionSystem::differentiate(const FrictionChange& change, double* qdd, double* multipliers) {
  if (parts_.size() == 1) return parts_.front()->solver.differentiate(change, qdd, multipliers);
  for (const std::unique_ptr<Part>& part : parts_) {
    FrictionChange& own = part->change;
    pick(change.forces, part->where.velocities, own.forces);
    pick(change.rows, part->where.rows, own.rows);
    for (const auto& [from, to] : {std::pair(&change.sticking, &own.sticking), std::pair(&change.normal, &own.normal),
                                   std::pair(&change.speed, &own.speed), std::pair(&change.mu, &own.mu),
                                   std::pair(&change.viscous, &own.viscous)})
      pick(*from, part->where.frictions, *to);
    if (!any(own)) {
      std::ranges::fill(part->qdd, 0.0);
      std::ranges::fill(part->multipliers, 0.0);
    } else if (!part->solver.differentiate(own, part->qdd.data(), part->multipliers.data())) {
      return false;
    }
    give(part->qdd.data(), part->multipliers.data(), *part, qdd, multipliers);
  }
  return true;
}

bool FrictionSystem::prepare_step(const RowBasis& basis, bool stops) {
  for (const std::unique_ptr<Part>& part : parts_) {
    pass_on(*part);
    if (!part->solver.prepare_step(own_basis(basis, *part), stops)) return false;
  }
  return true;
}

void FrictionSystem::find_step(const double* rows, const double* frictions, double* change) {
  if (parts_.size() == 1) return parts_.front()->solver.find_step(rows, frictions, change);
  for (const std::unique_ptr<Part>& part : parts_) {
    FrictionChange& own = part->change;
    for (std::size_t r = 0; r < own.rows.size(); ++r) own.rows[r] = rows[part->where.rows[r]];
    for (std::size_t j = 0; j < own.sticking.size(); ++j) own.sticking[j] = frictions[part->where.frictions[j]];
    std::ranges::fill(part->qdd, 0.0);
    if (any(own.rows) || any(own.sticking))
      part->solver.find_step(own.rows.data(), own.sticking.data(), part->qdd.data());
    for (std::size_t i = 0; i < part->qdd.size(); ++i) change[part->where.velocities[i]] = part->qdd[i];
  }
}

}  // namespace dalembert

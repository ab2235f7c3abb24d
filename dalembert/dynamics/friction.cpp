// SPDX-License-Identifier: Apache-2.0
// Solves the equations (1), (2) of friction.h in one mode; friction_modes.cpp chooses the mode.
#include "dalembert/dynamics/friction.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/dynamics/numbers.h"

namespace dalembert {
namespace {

// Let E be the matrix of the free accelerations and the multipliers. A pivot of E counts as zero below this fraction of
// the largest entry of its row, a column of E below this fraction of the largest column of its kind (acceleration or
// multiplier). Then the mode does not determine the forces, or a motion has no inertia.
constexpr double kNoPivot = 1e-13;
// Limits for iterative refinement. A relative pivot below kWeakPivot may have lost digits: one step of refinement. If a
// multiplier of 1 exerts a force above kGraded in the scaled system: three steps. The force is about 1 or less unless
// it acts on a coordinate that has hardly any inertia and that no row holds.
constexpr double kWeakPivot = 0.03, kGraded = 100;
// Up to a ratio kAlike of the largest to the smallest mass, coordinates are measured in the mass metric. Columns of
// the matrix of the unknowns whose largest entry is between 1/kFits and kFits are not scaled.
constexpr double kAlike = 1e6, kFits = 16;

// A power of two near x: scaling by it costs no accuracy.
double power_of_two(double x) { return std::scalbn(1.0, std::ilogb(x)); }

double square(double x) { return x * x; }

}  // namespace

FrictionSolver::FrictionSolver(const Layout& layout)
    : mode(as_size(layout.frictions)), acts(as_size(layout.m), 1), n_(layout.nv), m_(layout.m), k_(layout.frictions) {
  const std::size_t n = at(n_), m = at(m_), k = at(k_), most = m + k;
  M_.resize(n * n);
  mass_.resize(n_);
  W_.resize(m * n);
  Phi_.resize(n * m);
  C_.resize(k * n);
  load_.resize(k * m);
  for (std::vector<double>* x : {&f_, &g_, &y_, &unknown_, &unknown_scale_, &x_, &applied_, &change_}) x->resize(n);
  gamma_.resize(m);
  lambda_size_.resize(m);
  for (std::vector<double>* x : {&speed_, &speed_size_, &speed_rate_, &N0_, &mu_, &mu_s_, &viscous_, &normal_,
                                 &load_size_, &rate_, &rate_noise_})
    x->resize(k);
  has_load_.assign(k, 0);
  idle_.assign(k, 0);
  for (const int row : layout.load.row) has_load_[at(row)] = 1;
  planes_ = layout.planes;
  second_.assign(k, 0);
  for (const int j : planes_) second_[at(j + 1)] = 1;
  unit_.resize(k);
  own_change_.resize(k);
  given_.resize(k);
  rest_.resize(k);
  begin_.resize(k);
  has_Phi_ = layout.Phi.nonzeros() > 0;
  rows_.reserve(most);
  scales_.resize(n, most);
  at_work_.reserve(most);
  values_.resize(most);
  multiplier_change_.resize(most);
  unit_force_.resize(most * n);
  row_.resize(std::max(n, most));
  temporary_.resize(std::max(n, most));
  K_.resize(n * n);
  E_.resize(n);
  qr_.resize(n_, m_ + k_);
  range_.resize(m_ + k_, n_);
}

void FrictionSolver::choose_rows(const RowBasis& basis) {
  rows_.clear();
  if (basis.all) {
    for (int r = 0; r < m_; ++r)
      if (acts[at(r)] != 0) rows_.push_back(r);
  } else {
    // Contacts that follow from others bear their part of the load.
    for (int r = 0; r < m_; ++r)
      if (is_closed(at(r)) || std::ranges::binary_search(basis.rows, r)) rows_.push_back(r);
  }
  find_idle();
  find_units();
  for (int j = 0; j < k_; ++j)
    if (sticks(at(j))) rows_.push_back(m_ + j);
  active_ = static_cast<int>(rows_.size());
}

void FrictionSolver::find_idle() {
  for (std::size_t j = 0; j < at(k_); ++j)
    idle_[j] = is_pressed(j, [this](std::size_t r) { return acts[r] != 0; }) ? 0 : 1;
}

// Scales the coordinates by the mass metric and the rows to norm 1. Where masses differ by more than kAlike, a light
// coordinate would dominate its rows; then equilibration scales entries to about 1, with a largest inertia of about 1.
// Either way forces and accelerations are of similar size.
void FrictionSolver::find_scales() {
  const std::size_t n = at(n_);
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double inertia = M_[i * n + i];
    if (inertia > 0) least = std::min(least, inertia), most = std::max(most, inertia);
  }
  if (!(most <= kAlike * least) && std::isfinite(most)) {
    scales_.find(M_.data(), at_work_);
    double inertia = 0;
    for (std::size_t i = 0; i < n; ++i) inertia = std::max(inertia, M_[i * n + i] * square(scales_.column[i]));
    const double longer = power_of_two(1 / std::sqrt(inertia));
    for (double& scale : scales_.column) scale *= longer;
    for (std::size_t p = 0; p < rows_.size(); ++p) scales_.row[p] /= longer;
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double inertia = M_[i * n + i];
    double largest = 0;
    if (!(inertia > 0))
      for (const double* row : at_work_) largest = std::max(largest, std::abs(row[i]));
    scales_.column[i] = inertia > 0   ? power_of_two(1 / std::sqrt(inertia))
                        : largest > 0 ? power_of_two(1 / largest)
                                      : 1;
  }
  for (std::size_t p = 0; p < rows_.size(); ++p) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += square(at_work_[p][i] * scales_.column[i]);
    scales_.row[p] = sum > 0 ? 1 / std::sqrt(sum) : 1;
  }
}

// Factors Ŵᵀ P = Q R and computes QᵀM̂Q of the scaled system.
void FrictionSolver::factor_rows() {
  const std::size_t n = at(n_);
  at_work_.clear();
  for (const int r : rows_) at_work_.push_back(r < m_ ? W_.data() + at(r) * n : C_.data() + at(r - m_) * n);
  find_scales();
  qr_.resize(n_, active_);
  for (std::size_t p = 0; p < rows_.size(); ++p)
    for (std::size_t i = 0; i < n; ++i)
      qr_.column(static_cast<int>(p))[i] = at_work_[p][i] * scales_.column[i] * scales_.row[p];
  rank_ = qr_.factor_pivoted(kRankTolerance, active_);
  independence_ = rank_ > 0 ? std::abs(qr_.R(rank_ - 1, rank_ - 1)) : 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) K_[i * n + j] = M_[i * n + j] * scales_.column[i] * scales_.column[j];
  qr_.apply_congruence(K_.data(), temporary_.data());
}

// Computes y, the accelerations that the rows fix, so that the rows get the rates −rates (in the order of rows_).
// Returns by how much a dependent row contradicts the others at most; 0 if only by round-off.
double FrictionSolver::solve_rows(const double* rates) {
  for (int p = 0; p < rank_; ++p) {
    const int row = qr_.pivot(p);
    double s = -rates[row] * scales_.row[at(row)];
    for (int i = 0; i < p; ++i) s -= qr_.R(i, p) * y_[at(i)];
    y_[at(p)] = s / qr_.R(p, p);
  }
  double contradiction = 0;
  for (int p = rank_; p < active_; ++p) {
    const int row = qr_.pivot(p);
    double left = rates[row] * scales_.row[at(row)], size = std::abs(left);
    for (int i = 0; i < rank_; ++i) {
      left += qr_.R(i, p) * y_[at(i)];
      size += std::abs(qr_.R(i, p) * y_[at(i)]);
    }
    if (!(std::abs(left) <= 1e-8 * size)) contradiction = std::max(contradiction, std::abs(left));
  }
  return contradiction;
}

// Computes minus the generalized force, n numbers, that one unit of the multiplier of `row` exerts.
void FrictionSolver::find_unit_force(int row, double* force) const {
  const std::size_t n = at(n_), m = at(m_);
  if (row >= m_) {
    for (std::size_t i = 0; i < n; ++i) force[i] = -C_[at(row - m_) * n + i];
    return;
  }
  for (std::size_t i = 0; i < n; ++i) force[i] = -(W_[at(row) * n + i] + Phi_[i * m + at(row)]);
  for (std::size_t j = 0; j < at(k_); ++j) {
    const double share = unit_[j] * mode[j].load * mu_[j] * load_[j * m + at(row)];
    if (share == 0) continue;
    for (std::size_t i = 0; i < n; ++i) force[i] += C_[j * n + i] * share;
  }
}

// Assembles the matrix E of the equations E (z, μ) = Qᵀf̂ − K₁ y for the free accelerations z and the multipliers μ,
// where K = QᵀM̂Q = [K₁ K₂]. The first columns of E are K₂, the others −(Ŵᵀ + Ψ) V; Ψ contains the forces of Φ and of
// sliding friction. V is the identity for independent rows. Where rows are dependent, V is an orthonormal basis of the
// range of W in the unscaled λ.
void FrictionSolver::assemble_unknowns() {
  const std::size_t n = at(n_), r = at(rank_), free = n - r;
  // Columns of −(Ŵᵀ + Ψ), each multiplied by Qᵀ, in the order of rows_.
  const bool full = rank_ == active_;
  for (std::size_t p = 0; p < rows_.size(); ++p) find_unit_force(rows_[p], unit_force_.data() + p * n);
  const auto turn_force = [&](std::size_t p) {  // result in x_
    const double scale = full ? scales_.row[p] : 1;
    for (std::size_t i = 0; i < n; ++i) x_[i] = unit_force_[p * n + i] * scales_.column[i] * scale;
    qr_.apply_Qt(x_.data());
  };
  if (full) {
    for (std::size_t p = 0; p < r; ++p) {
      turn_force(at(qr_.pivot(static_cast<int>(p))));
      for (std::size_t i = 0; i < n; ++i) E_(i, free + p) = x_[i];
    }
  } else {
    // An orthonormal basis of range(W), from the columns of W.
    const std::size_t a = rows_.size();
    range_.resize(active_, n_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t p = 0; p < a; ++p) range_.column(static_cast<int>(i))[p] = at_work_[p][i] * scales_.column[i];
    range_.factor_pivoted(0, rank_);
    all_columns_.resize(n * a);
    for (std::size_t p = 0; p < a; ++p) {
      turn_force(p);
      for (std::size_t i = 0; i < n; ++i) all_columns_[i * a + p] = x_[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      range_.apply_Qt(all_columns_.data() + i * a);
      for (std::size_t p = 0; p < r; ++p) E_(i, free + p) = all_columns_[i * a + p];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < free; ++j) E_(i, j) = K_[i * n + r + j];
}

// Factors E with its columns scaled to size 1, so that motions with little inertia count as much as
// others. False when E is singular: a column vanishes compared to those of its kind (inertias or forces),
// or a row vanishes in the elimination.
bool FrictionSolver::factor_unknowns() {
  const std::size_t n = at(n_), free = n - at(rank_);
  double largest_of[2] = {0, 0};  // largest inertia (about 1 in the scaled system), largest force
  for (std::size_t j = 0; j < n; ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(E_(i, j)));
    if (!std::isfinite(largest)) return false;
    unknown_scale_[j] = largest;
    double& of_kind = largest_of[j < free ? 0 : 1];
    of_kind = std::max(of_kind, largest);
  }
  largest_of[0] = std::max(largest_of[0], 1.0);
  largest_unit_force_ = largest_of[1];
  for (std::size_t j = 0; j < n; ++j) {
    if (!(unknown_scale_[j] > kNoPivot * largest_of[j < free ? 0 : 1])) return false;
    const bool fits = unknown_scale_[j] < kFits && unknown_scale_[j] > 1 / kFits;
    unknown_scale_[j] = fits ? 1 : power_of_two(1 / unknown_scale_[j]);
    for (std::size_t i = 0; !fits && i < n; ++i) E_(i, j) *= unknown_scale_[j];
  }
  return E_.factor(kNoPivot);
}

// Solves with E: unknown_ ← E⁻¹ unknown_.
void FrictionSolver::solve_unknowns() {
  E_.solve(unknown_.data());
  for (std::size_t j = 0; j < at(n_); ++j) unknown_[j] *= unknown_scale_[j];
}

// Solves for the accelerations x and the multipliers of the rows at work, with y_ known and E factored. The multiplier
// of a sticking friction with the force f is −f, since it has the sign of a constraint row's multiplier.
void FrictionSolver::apply_factors(const double* force, double* x, double* multipliers) {
  const std::size_t n = at(n_), r = at(rank_), free = n - r;
  for (std::size_t i = 0; i < n; ++i) g_[i] = force[i] * scales_.column[i];
  qr_.apply_Qt(g_.data());
  for (std::size_t i = 0; i < n; ++i) {
    double s = g_[i];
    for (std::size_t j = 0; j < r; ++j) s -= K_[i * n + j] * y_[j];
    unknown_[i] = s;
  }
  solve_unknowns();
  std::copy_n(y_.begin(), r, x_.begin());
  std::copy_n(unknown_.begin(), free, x_.begin() + static_cast<std::ptrdiff_t>(r));
  qr_.apply_Q(x_.data());
  for (std::size_t i = 0; i < n; ++i) x[i] = x_[i] * scales_.column[i];
  std::fill_n(multipliers, m_ + k_, 0.0);
  if (rank_ == active_) {
    for (std::size_t p = 0; p < r; ++p) {
      const std::size_t place = at(qr_.pivot(static_cast<int>(p)));
      multipliers[rows_[place]] = unknown_[free + p] * scales_.row[place];
    }
  } else {
    std::fill(row_.begin(), row_.end(), 0.0);
    std::copy_n(unknown_.begin() + static_cast<std::ptrdiff_t>(free), r, row_.begin());
    range_.apply_Q(row_.data());
    for (std::size_t p = 0; p < rows_.size(); ++p) multipliers[rows_[p]] = row_[p];
  }
}

// Number of steps of iterative refinement: one where the elimination may have lost digits, three where forces in
// E differ by many powers of ten.
int FrictionSolver::refinements() const {
  if (largest_unit_force_ > kGraded) return 3;
  return std::min(independence_, E_.least_pivot()) < kWeakPivot ? 1 : 0;
}

// Solves for the accelerations x and the multipliers, with the rows and E factored, the rates of the rows in values_ and y_ known.
// `force` is the right-hand side without forces that depend on multipliers. Overwrites `force` and values_.
bool FrictionSolver::solve_refined(double* force, double* x, double* multipliers) {
  const std::size_t n = at(n_);
  apply_factors(force, x, multipliers);
  const double *last = x, *last_multipliers = multipliers;
  for (int left = refinements(); left > 0; --left) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) force[i] -= M_[i * n + j] * last[j];
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      const double multiplier = last_multipliers[rows_[p]];
      for (std::size_t i = 0; i < n; ++i) force[i] -= unit_force_[p * n + i] * multiplier;
      for (std::size_t i = 0; i < n; ++i) values_[p] += at_work_[p][i] * last[i];
    }
    solve_rows(values_.data());
    apply_factors(force, change_.data(), multiplier_change_.data());
    for (std::size_t i = 0; i < n; ++i) x[i] += change_[i];
    for (const int row : rows_) multipliers[row] += multiplier_change_[at(row)];
    last = change_.data();
    last_multipliers = multiplier_change_.data();
  }
  return all_finite(x, n) && all_finite(multipliers, at(m_ + k_));
}

KktStatus FrictionSolver::solve(const RowBasis& basis, double* qdd, double* multipliers) {
  const std::size_t n = at(n_);
  choose_rows(basis);
  factor_rows();
  for (std::size_t p = 0; p < rows_.size(); ++p)
    values_[p] = rows_[p] < m_ ? gamma_[at(rows_[p])] : speed_rate_[at(rows_[p] - m_)];
  const double contradiction = solve_rows(values_.data());
  // Add the part of the sliding friction that does not depend on multipliers.
  std::copy(f_.begin(), f_.end(), applied_.begin());
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (mode[j].direction == 0 || idle_[j] != 0) continue;
    const double known = unit_[j] * mode[j].load * mu_[j] * N0_[j] + viscous_[j] * speed_[j] + given_[j];
    for (std::size_t i = 0; i < n; ++i) applied_[i] -= C_[j * n + i] * known;
  }
  assemble_unknowns();
  if (negative_inertia_ || !factor_unknowns() || !solve_refined(applied_.data(), qdd, multipliers)) {
    std::fill_n(qdd, n, 0.0);
    std::fill_n(multipliers, m_ + k_, 0.0);
    const bool finite = all_finite(M_) && all_finite(W_) && all_finite(f_) && all_finite(gamma_) && all_finite(C_) &&
                        all_finite(Phi_) && all_finite(load_);
    return finite ? KktStatus::kSingular : KktStatus::kNotFinite;
  }
  // The round-off of the multipliers is that of the largest force that they balance, in scaled coordinates. If these
  // forces already cancel within f, the largest force that the motion has met tells their size.
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(f_[i] * scales_.column[i]));
  for (std::size_t p = 0; p < rows_.size(); ++p)
    if (rows_[p] < m_) largest = std::max(largest, std::abs(gamma_[at(rows_[p])] * scales_.row[p]));
  for (std::size_t p = 0; p < rows_.size(); ++p)
    if (rows_[p] < m_) lambda_size_[at(rows_[p])] = std::max(largest, largest_met_) * scales_.row[p];
  largest_force_ = largest;
  find_forces(multipliers);
  if (rank_ < active_) relieve(multipliers);
  measure(qdd, multipliers);
  // Rows contradict each other only above the round-off of the forces. Smaller contradictions come from squared speeds
  // that are round-off themselves.
  return contradiction <= 1e-14 * largest ? KktStatus::kOk : KktStatus::kInconsistent;
}

// The normal force of friction j by these multipliers.
double FrictionSolver::normal_by(std::size_t j, const double* multipliers) const {
  double N = N0_[j];
  for (std::size_t r = 0; r < at(m_); ++r) N += load_[j * at(m_) + r] * multipliers[r];
  return N;
}

// The change of that normal force along a direction.
double FrictionSolver::normal_along(std::size_t j, const double* direction) const {
  double slope = 0;
  for (std::size_t r = 0; r < at(m_); ++r) slope += load_[j * at(m_) + r] * direction[r];
  return slope;
}

// Computes the friction forces: from λ for sliding frictions; for sticking ones, minus the multiplier of their row.
void FrictionSolver::find_forces(double* multipliers) {
  const std::size_t m = at(m_);
  for (std::size_t j = 0; j < at(k_); ++j) {
    double& f = multipliers[m + j];
    if (idle_[j] != 0) {
      f = 0;
      continue;
    }
    if (mode[j].direction == 0) {
      f = -f;
      continue;
    }
    const double N = normal_by(j, multipliers);
    f = unit_[j] * mode[j].load * mu_[j] * N + viscous_[j] * speed_[j];
  }
}

// Whether the rows and the sticking frictions already determine the sliding speed of friction j.
bool FrictionSolver::is_locked(std::size_t j) {
  const std::size_t n = at(n_);
  double all = 0, left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x_[i] = C_[j * n + i] * scales_.column[i];
    all += x_[i] * x_[i];
  }
  qr_.apply_Qt(x_.data());
  for (std::size_t i = at(rank_); i < n; ++i) left += x_[i] * x_[i];
  return !(left > 1e-16 * all);
}

// The size of the terms whose sum is acceleration i.
double FrictionSolver::size_of_terms(std::size_t i, const double* qdd) const {
  const std::size_t n = at(n_);
  double inertia = 0;  // Σ |M_il v̇_l|
  for (std::size_t l = 0; l < n; ++l) inertia += std::abs(M_[i * n + l] * qdd[l]);
  const double force = std::max(std::abs(f_[i]), inertia), diagonal = M_[i * n + i];
  // A coordinate with hardly any mass of its own moves with the bodies that it is tied
  // to; its scale has their inertia.
  const double per_force = diagonal > 0 ? std::min(1 / diagonal, 4 * square(scales_.column[i])) : 0;
  return std::max(std::abs(qdd[i]), force * per_force);
}

void FrictionSolver::measure(const double* qdd, const double* multipliers) {
  const std::size_t n = at(n_), m = at(m_);
  for (std::size_t i = 0; i < n; ++i) x_[i] = size_of_terms(i, qdd);
  for (std::size_t j = 0; j < at(k_); ++j) {
    double N = N0_[j], size = std::abs(N0_[j]);
    for (std::size_t r = 0; r < m; ++r) {
      const double term = load_[j * m + r] * multipliers[r];
      N += term;
      size += std::abs(load_[j * m + r]) * lambda_size_[r];
    }
    normal_[j] = N;
    load_size_[j] = size;
    // The rate sums the effects of all forces on the speed, so its round-off is that of the largest terms.
    double rate = speed_rate_[j], terms = std::abs(speed_rate_[j]);
    for (std::size_t i = 0; i < n; ++i) {
      rate += C_[j * n + i] * qdd[i];
      terms += std::abs(C_[j * n + i]) * x_[i];
    }
    rate_[j] = mode[j].direction == 0 ? 0 : rate;
    rate_noise_[j] = kSignNoise * terms;
  }
}

bool FrictionSolver::find_stop(const RowBasis& basis, double* change) {
  bool moving = false;
  for (std::size_t j = 0; j < at(k_); ++j)
    moving = moving || (sticks(j) && std::abs(speed_[j]) > 4 * 2.3e-16 * speed_size_[j]);
  if (!moving) return false;
  if (!prepare_step(basis, true)) return false;
  for (std::size_t p = 0; p < rows_.size(); ++p) values_[p] = rows_[p] < m_ ? 0 : speed_[at(rows_[p] - m_)];
  solve_step(change);
  return all_finite(change, at(n_));
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/assembly_steps.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/sparse_ldlt.h"
#include "dalembert/dynamics/sparse_rows.h"

namespace dalembert::assembly {
namespace {

// Regularisation μ of a constrained step, relative to the pivot (SW)ᵣ diag(N)⁻¹ (SW)ᵣᵀ that row r would have on its own
// (SW: scaled rows of W, N: metric). Refinement removes its effect; a much smaller μ would leave pivots of dependent
// rows to round-off.
constexpr double kNext = 1e-12;
constexpr int kRefinements = 3;
// Diagonal entries of the metric N below kNoInertia are replaced by kLeastInertia.
constexpr double kNoInertia = 1e-14, kLeastInertia = 1e-6;

// The part of a pattern in the chosen rows and columns. `entries` tells the index of each entry in the full pattern.
Pattern choose(const Pattern& all, const Places& rows, const Places& columns, std::vector<std::size_t>& entries) {
  Pattern chosen{static_cast<int>(rows.size()), static_cast<int>(columns.size()), {}, {}};
  for (std::size_t k = 0; k < all.row.size(); ++k) {
    const int i = rows.place[index(all.row[k])], j = columns.place[index(all.col[k])];
    if (i < 0 || j < 0) continue;
    chosen.row.push_back(i);
    chosen.col.push_back(j);
    entries.push_back(k);
  }
  return chosen;
}

class SparseSteps final : public Steps {
 public:
  SparseSteps(Places coordinates, Places rows, Pattern M, std::vector<std::size_t> M_entries, Pattern W,
              std::vector<std::size_t> W_entries, const Elimination& plan)
      : coordinates_(std::move(coordinates)),
        M_(std::move(M)),
        W_(std::move(W)),
        M_entries_(std::move(M_entries)),
        W_entries_(std::move(W_entries)),
        f_(coordinates_.size()),
        m_(rows.size()),
        M_value_(M_entries_.size()),
        W_value_(W_entries_.size()),
        diagonal_(f_, 1.0),
        scale_(m_, 1.0),
        softness_(m_),
        factors_(make_factors(plan)) {}

  bool set_metric(const Vector& M) override {
    std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
    for (std::size_t k = 0; k < M_value_.size(); ++k) {
      M_value_[k] = M[M_entries_[k]];
      if (M_.row[k] == M_.col[k]) diagonal_[index(M_.row[k])] = M_value_[k];
    }
    if (!all_finite(M_value_)) return false;
    const double most = largest_magnitude(diagonal_);
    if (!(most > 0)) {
      use_plain_metric();
      return true;
    }
    for (double& value : M_value_) value /= most;
    for (double& value : diagonal_) value = value > kNoInertia * most ? value / most : kLeastInertia;
    return true;
  }

  void set_rows(const Vector& W, const Vector& scale) override {
    scale_ = scale;
    std::fill(softness_.begin(), softness_.end(), 0.0);
    for (std::size_t k = 0; k < W_value_.size(); ++k) {
      const std::size_t row = index(W_.row[k]);
      W_value_[k] = W[W_entries_[k]] * scale[row];
      softness_[row] += W_value_[k] * W_value_[k] / diagonal_[index(W_.col[k])];
    }
    for (double& value : softness_) value = value > 0 ? value : 1;
  }

  bool factor(double /*rank_tolerance*/) override {
    if (factor_with([&](std::size_t r) { return kNext * softness_[r]; })) return true;
    use_plain_metric();
    return factor_with([&](std::size_t r) { return kNext * softness_[r]; });
  }

  bool constrained_step(const Vector* pull, const Vector& r, Vector& step) override {
    Vector pulled(f_), x(f_ + m_, 0.0);
    if (pull != nullptr)
      for (std::size_t i = 0; i < f_; ++i) pulled[i] = (*pull)[index(coordinates_.chosen[i])];
    // Iterative refinement: the residual of the system without the regularisation μ. Where rows are dependent, it
    // shrinks only as far as their right-hand sides agree.
    Vector left(f_ + m_);
    double before = 0;
    for (int k = 0; k <= kRefinements; ++k) {
      for (std::size_t i = 0; i < f_; ++i) pulled_less_x_[i] = pulled[i] - x[i];
      std::fill(left.begin(), left.end(), 0.0);
      add_metric_times(pulled_less_x_, left);
      for (std::size_t row = 0; row < m_; ++row) left[f_ + row] = -scale_[row] * r[row];
      for (std::size_t e = 0; e < W_value_.size(); ++e) {
        const std::size_t row = f_ + index(W_.row[e]), column = index(W_.col[e]);
        left[row] -= W_value_[e] * x[column];
        left[column] -= W_value_[e] * x[row];
      }
      const double now = largest_magnitude(left);
      if (k > 0 && !(now < 0.5 * before)) break;
      before = now;
      factors_.solve(left);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += left[i];
    }
    give(x, step);
    return all_finite(x);
  }

  bool damped_step(double damping, const Vector& r, Vector& step) override {
    if (!factor_with([&](std::size_t) { return damping; })) {
      use_plain_metric();
      if (!factor_with([&](std::size_t) { return damping; })) return false;
    }
    Vector x(f_ + m_, 0.0);
    for (std::size_t row = 0; row < m_; ++row) x[f_ + row] = -scale_[row] * r[row];
    factors_.solve(x);
    give(x, step);
    return all_finite(x);
  }

  double length(const Vector& x) const override {
    Vector chosen(f_), product(f_, 0.0);
    for (std::size_t i = 0; i < f_; ++i) chosen[i] = x[index(coordinates_.chosen[i])];
    add_metric_times(chosen, product);
    double sum = 0;
    for (std::size_t i = 0; i < f_; ++i) sum += chosen[i] * product[i];
    return std::sqrt(std::max(sum, 0.0));
  }

 private:
  // Lists the entries in the order in which factor_with() writes their values: the metric N off the diagonal, the
  // diagonal of N, the scaled rows SW, −μ.
  SparseLdlt make_factors(const Elimination& plan) const {
    std::vector<int> row = M_.row, col = M_.col;
    for (std::size_t i = 0; i < f_; ++i) row.push_back(static_cast<int>(i)), col.push_back(static_cast<int>(i));
    for (std::size_t k = 0; k < W_.row.size(); ++k)
      row.push_back(static_cast<int>(f_) + W_.row[k]), col.push_back(W_.col[k]);
    for (std::size_t r = 0; r < m_; ++r) row.push_back(static_cast<int>(f_ + r)), col.push_back(row.back());
    return {plan, row, col};
  }

  template <class Softness>
  bool factor_with(Softness&& softness) {
    values_ = M_value_;
    values_.insert(values_.end(), diagonal_.begin(), diagonal_.end());
    values_.insert(values_.end(), W_value_.begin(), W_value_.end());
    for (std::size_t r = 0; r < m_; ++r) values_.push_back(-softness(r));
    factors_.factor(values_);
    for (std::size_t i = 0; i < f_ + m_; ++i) {
      const double pivot = factors_.pivot(static_cast<int>(i));
      if (!(i < f_ ? pivot > 0 : pivot < 0)) return false;
    }
    return true;
  }

  void use_plain_metric() {
    for (std::size_t k = 0; k < M_value_.size(); ++k) M_value_[k] = M_.row[k] == M_.col[k] ? 1 : 0;
    std::fill(diagonal_.begin(), diagonal_.end(), 1.0);
    softness_.assign(m_, 1.0);
  }

  void add_metric_times(const Vector& x, Vector& sum) const {
    for (std::size_t i = 0; i < f_; ++i) sum[i] += diagonal_[i] * x[i];
    for (std::size_t k = 0; k < M_value_.size(); ++k)
      if (M_.row[k] != M_.col[k]) sum[index(M_.row[k])] += M_value_[k] * x[index(M_.col[k])];
  }

  void give(const Vector& x, Vector& step) const {
    std::fill(step.begin(), step.end(), 0.0);
    for (std::size_t i = 0; i < f_; ++i) step[index(coordinates_.chosen[i])] = x[i];
  }

  const Places coordinates_;
  const Pattern M_, W_;
  const std::vector<std::size_t> M_entries_, W_entries_;
  const std::size_t f_, m_;
  Vector M_value_, W_value_, diagonal_, scale_;  // metric N, its diagonal; scaled rows SW, scales S
  Vector softness_;                              // for each row r: (SW)ᵣ diag(N)⁻¹ (SW)ᵣᵀ
  Vector values_, pulled_less_x_ = Vector(f_);
  SparseLdlt factors_;
};

}  // namespace

std::unique_ptr<Steps> make_sparse_steps(const Layout& layout, Places coordinates, Places rows) {
  std::vector<std::size_t> M_entries, W_entries;
  Pattern M = choose(layout.M, coordinates, coordinates, M_entries);
  Pattern W = choose(layout.W, rows, coordinates, W_entries);
  // plan_elimination() needs a diagonal entry for each coordinate and an entry in each row. A row whose coordinates are
  // all held gets an entry of value 0.
  Pattern coupled = M, coupled_W = W;
  for (int i = 0; i < coupled.cols; ++i) coupled.row.push_back(i), coupled.col.push_back(i);
  std::vector<bool> empty(rows.size(), true);
  for (const int r : W.row) empty[index(r)] = false;
  for (int r = 0; r < W.rows; ++r)
    if (empty[index(r)]) coupled_W.row.push_back(r), coupled_W.col.push_back(r % W.cols);
  const std::size_t unknowns = coordinates.size() + rows.size(),
                    most = std::max<std::size_t>(10'000'000, 400 * unknowns);
  const std::optional<Elimination> plan =
      plan_elimination(coupled.cols, coupled, coupled_W, std::vector<bool>(coordinates.size()), most);
  if (!plan) return nullptr;
  return std::make_unique<SparseSteps>(std::move(coordinates), std::move(rows), std::move(M), std::move(M_entries),
                                       std::move(W), std::move(W_entries), *plan);
}

}  // namespace dalembert::assembly

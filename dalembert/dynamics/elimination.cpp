// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/elimination.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dalembert {
namespace {

// A row depends on the eliminated rows if elimination leaves less than this fraction of its size.
constexpr double kDependent = 1e-10;

// A dense matrix under Gaussian elimination with complete pivoting.
class PivotedRows {
 public:
  PivotedRows(std::size_t rows, std::size_t columns)
      : columns_(columns), A_(rows * columns), row_used_(rows), column_used_(columns) {}

  // Adds sparse rows, starting at row `first`, with each column multiplied by its scale.
  void add(std::size_t first, const Pattern& pattern, const std::vector<double>& entries,
           const std::vector<double>& scale) {
    for (std::size_t k = 0; k < entries.size(); ++k)
      at(first + index(pattern.row[k]), index(pattern.col[k])) += entries[k] * scale[index(pattern.col[k])];
  }
  // Scales each row so that its largest entry is 1. False where an entry is not finite.
  bool scale_rows() {
    for (std::size_t i = 0; i < row_used_.size(); ++i) {
      double size = 0;
      for (std::size_t j = 0; j < columns_; ++j) size = std::max(size, std::abs(at(i, j)));
      if (!std::isfinite(size)) return false;
      for (std::size_t j = 0; j < columns_ && size > 0; ++j) at(i, j) /= size;
    }
    return true;
  }
  // Eliminates with the largest entry in the rows from `first` to before `last`. Returns the pivot's row, counted from
  // `first`, or nothing where the remaining rows depend on the eliminated ones.
  std::optional<int> eliminate_largest(std::size_t first, std::size_t last) {
    std::size_t row = 0, column = 0;
    double largest = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (row_used_[i]) continue;
      for (std::size_t j = 0; j < columns_; ++j)
        if (!column_used_[j] && std::abs(at(i, j)) > largest) {
          largest = std::abs(at(i, j));
          row = i;
          column = j;
        }
    }
    if (!(largest > kDependent)) return std::nullopt;
    row_used_[row] = column_used_[column] = true;
    for (std::size_t i = 0; i < row_used_.size(); ++i) {
      if (row_used_[i]) continue;
      const double factor = at(i, column) / at(row, column);
      for (std::size_t j = 0; j < columns_ && factor != 0; ++j) at(i, j) -= factor * at(row, j);
    }
    return static_cast<int>(row - first);
  }
  bool is_column_used(std::size_t column) const { return column_used_[column]; }

 private:
  double& at(std::size_t row, std::size_t column) { return A_[row * columns_ + column]; }

  std::size_t columns_;
  std::vector<double> A_;
  std::vector<bool> row_used_, column_used_;
};

}  // namespace

VelocityElimination::VelocityElimination(const Dynamics& dynamics, const Dynamics* stated)
    : dynamics_(dynamics),
      stated_(stated),
      workspace_(dynamics),
      n_(index(dynamics.nv())),
      m_(index(dynamics.m())),
      scale_(n_, 1.0) {
  if (stated != nullptr) stated_workspace_.emplace(*stated);
  K_.resize(n_);
  right_.resize(n_);
  acceleration_.resize(n_);
}

bool VelocityElimination::choose(double t, const double* q, const double* v) {
  evaluate_inputs(dynamics_, t, workspace_);
  evaluate_mass(dynamics_, t, q, v, workspace_);
  evaluate_velocity(dynamics_, t, q, workspace_);
  // The unit of velocity i is 1/√M_ii, so that one unit carries the same kinetic energy for each i.
  const Layout& layout = dynamics_.layout();
  double most = 0;
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (std::size_t k = 0; k < workspace_.M.size(); ++k)
    if (layout.M.row[k] == layout.M.col[k]) scale_[index(layout.M.row[k])] = std::abs(workspace_.M[k]);
  for (const double s : scale_) most = std::max(most, s);
  if (!std::isfinite(most)) return false;
  for (double& s : scale_) s = 1 / std::sqrt(std::max(s, most > 0 ? 1e-12 * most : 1.0));

  // Complete pivoting on W in these units, with rows of size 1; then on the rows of the stated velocities.
  const std::size_t stated = stated_ == nullptr ? 0 : index(stated_->m()), all = m_ + stated;
  PivotedRows pivoted(all, n_);
  pivoted.add(0, layout.W, workspace_.W, scale_);
  if (stated_ != nullptr) {
    evaluate_velocity(*stated_, t, q, *stated_workspace_);
    pivoted.add(m_, stated_->layout().W, stated_workspace_->W, scale_);
  }
  if (!pivoted.scale_rows()) return false;
  rows_.clear();
  picked_.clear();
  taken_.clear();
  while (rows_.size() < std::min(m_, n_)) {
    const std::optional<int> row = pivoted.eliminate_largest(0, m_);
    if (!row) break;
    rows_.push_back(*row);
  }
  std::ranges::sort(rows_);
  rank_ = rows_.size();
  reduced_ = n_ - rank_;
  if (stated_ == nullptr) {
    for (std::size_t j = 0; j < n_; ++j)
      if (!pivoted.is_column_used(j)) picked_.push_back(static_cast<int>(j));
  } else if (stated > reduced_) {
    // Prescribed coordinates determine some of the stated velocities; pivoting takes independent ones.
    while (taken_.size() < reduced_) {
      const std::optional<int> row = pivoted.eliminate_largest(m_, all);
      if (!row) return false;
      taken_.push_back(*row);
    }
    std::ranges::sort(taken_);
  } else {
    for (std::size_t k = 0; k < stated; ++k) taken_.push_back(static_cast<int>(k));
  }
  if (stated_ != nullptr && taken_.size() != reduced_) return false;
  S_.resize(n_ * reduced_);
  MS_.resize(n_ * reduced_);
  inertia_.resize(reduced_);
  just_chosen_ = true;
  return true;
}

// Evaluates and factors the matrix [W_R; Y] of elimination.h; the constants a and y₀ stay in the workspaces.
bool VelocityElimination::evaluate_rows(double t, const double* q) {
  evaluate_velocity(dynamics_, t, q, workspace_);
  K_.clear();
  for (std::size_t r = 0; r < rank_; ++r)
    workspace_.W_rows.for_each(rows_[r], workspace_.W, [&](int j, double w) { K_(r, index(j)) += w; });
  if (stated_ == nullptr) {
    for (std::size_t k = 0; k < reduced_; ++k) K_(rank_ + k, index(picked_[k])) = 1;
  } else {
    evaluate_velocity(*stated_, t, q, *stated_workspace_);
    for (std::size_t k = 0; k < reduced_; ++k)
      stated_workspace_->W_rows.for_each(taken_[k], stated_workspace_->W,
                                         [&](int j, double y) { K_(rank_ + k, index(j)) += y; });
  }
  if (!K_.factor()) {
    growth_ = std::numeric_limits<double>::infinity();
    return false;
  }
  if (std::exchange(just_chosen_, false)) grip_chosen_ = K_.least_pivot();
  return true;
}

void VelocityElimination::find_S() {
  growth_ = 0;
  for (std::size_t k = 0; k < reduced_; ++k) {
    std::fill(right_.begin(), right_.end(), 0.0);
    right_[rank_ + k] = 1;
    K_.solve(right_.data());
    const double unit = stated_ == nullptr ? scale_[index(picked_[k])] : 1;
    for (std::size_t i = 0; i < n_; ++i) {
      S_[i * reduced_ + k] = right_[i];
      growth_ = std::max(growth_, std::abs(right_[i]) * unit / scale_[i]);
    }
  }
}

bool VelocityElimination::reduce(double t, const double* q, const double* v, double* w) {
  if (stated_ == nullptr) {
    for (std::size_t k = 0; k < reduced_; ++k) w[k] = v[picked_[k]];
    return true;
  }
  evaluate_velocity(*stated_, t, q, *stated_workspace_);
  for (std::size_t k = 0; k < reduced_; ++k)
    w[k] = stated_workspace_->a[index(taken_[k])] + stated_workspace_->W_rows.dot(taken_[k], stated_workspace_->W, v);
  return std::all_of(w, w + reduced_, [](double x) { return std::isfinite(x); });
}

bool VelocityElimination::expand(double t, const double* q, const double* w, double* v) {
  if (!evaluate_rows(t, q)) return false;
  for (std::size_t r = 0; r < rank_; ++r) v[r] = -workspace_.a[index(rows_[r])];
  for (std::size_t k = 0; k < reduced_; ++k)
    v[rank_ + k] = w[k] - (stated_ ? stated_workspace_->a[index(taken_[k])] : 0.0);
  K_.solve(v);
  return true;
}

bool VelocityElimination::solve(double t, const double* q, const double* w, double* v, double* vdot, double* wdot,
                                double* lambda) {
  evaluate_inputs(dynamics_, t, workspace_);
  if (!expand(t, q, w, v)) return false;
  find_S();
  evaluate_rates(dynamics_, t, q, v, workspace_);
  for (std::size_t r = 0; r < rank_; ++r) vdot[r] = -workspace_.gamma[index(rows_[r])];
  if (stated_ == nullptr) {
    std::fill(vdot + rank_, vdot + n_, 0.0);
  } else {
    evaluate_inputs(*stated_, t, *stated_workspace_);
    evaluate_rates(*stated_, t, q, v, *stated_workspace_);
    for (std::size_t k = 0; k < reduced_; ++k) vdot[rank_ + k] = -stated_workspace_->gamma[index(taken_[k])];
  }
  K_.solve(vdot);

  // Solve SᵀM S ẇ = Sᵀ(f − M v̇₀), where vdot holds v̇₀ = Ṡ w + ṡ₀, that is, v̇ without S ẇ.
  const Pattern& M = dynamics_.layout().M;
  std::copy(workspace_.f.begin(), workspace_.f.end(), acceleration_.begin());
  std::fill(MS_.begin(), MS_.end(), 0.0);
  for (std::size_t e = 0; e < workspace_.M.size(); ++e) {
    const std::size_t i = index(M.row[e]), j = index(M.col[e]);
    acceleration_[i] -= workspace_.M[e] * vdot[j];
    for (std::size_t k = 0; k < reduced_; ++k) MS_[i * reduced_ + k] += workspace_.M[e] * S_[j * reduced_ + k];
  }
  inertia_.clear();
  std::fill_n(wdot, reduced_, 0.0);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < reduced_; ++k) {
      const double s = entry_of_S(i, k);
      wdot[k] += s * acceleration_[i];
      for (std::size_t l = 0; l < reduced_; ++l) inertia_(k, l) += s * MS_[i * reduced_ + l];
    }
  if (reduced_ > 0 && !inertia_.factor()) return false;
  inertia_.solve(wdot);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < reduced_; ++k) vdot[i] += entry_of_S(i, k) * wdot[k];
  if (!std::all_of(vdot, vdot + n_, [](double x) { return std::isfinite(x); })) return false;
  if (lambda == nullptr) return true;

  // Solve W_Rᵀλ + Yᵀμ = M v̇ − f for λ; the solution has μ = 0.
  for (std::size_t i = 0; i < n_; ++i) right_[i] = -workspace_.f[i];
  for (std::size_t e = 0; e < workspace_.M.size(); ++e) right_[index(M.row[e])] += workspace_.M[e] * vdot[M.col[e]];
  K_.solve_transposed(right_.data());
  std::fill_n(lambda, m_, 0.0);
  for (std::size_t r = 0; r < rank_; ++r) lambda[rows_[r]] = right_[r];
  return true;
}

bool VelocityElimination::reduce_rates(double t, const double* q, const double* v, const double* vdot, double* wdot) {
  find_S();
  if (stated_ == nullptr) {
    for (std::size_t k = 0; k < reduced_; ++k) wdot[k] = vdot[picked_[k]];
  } else {
    evaluate_inputs(*stated_, t, *stated_workspace_);
    evaluate_rates(*stated_, t, q, v, *stated_workspace_);
    for (std::size_t k = 0; k < reduced_; ++k)
      wdot[k] = stated_workspace_->gamma[index(taken_[k])] +
                stated_workspace_->W_rows.dot(taken_[k], stated_workspace_->W, vdot);
  }
  return std::all_of(wdot, wdot + reduced_, [](double x) { return std::isfinite(x); });
}

void VelocityElimination::displace(const double* dw, double* dv) const {
  for (std::size_t i = 0; i < n_; ++i) {
    dv[i] = 0;
    for (std::size_t k = 0; k < reduced_; ++k) dv[i] += entry_of_S(i, k) * dw[k];
  }
}

}  // namespace dalembert

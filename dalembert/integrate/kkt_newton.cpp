// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/kkt_newton.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "dalembert/integrate/motion.h"

namespace dalembert::integration {

KktNewton::KktNewton(const Dynamics& dynamics, Motion& motion)
    : dynamics_(dynamics),
      motion_(motion),
      n_(dynamics.nv()),
      m_(dynamics.m()),
      linearization_(*dynamics.kernel().linearization()),
      derivative_(linearization_.pattern()),
      M_pattern_(dynamics.layout().M),
      W_pattern_(dynamics.layout().W),
      work_(std::max(linearization_.work(), dynamics.layout().work)),
      slope_(index(motion.room())),
      left_out_(index(m_)) {
  make_pattern();
}

KktNewton::~KktNewton() = default;

// Builds the pattern of the matrix (1) of kkt_newton.h, by columns: it has each entry that any term of the matrix has.
void KktNewton::make_pattern() {
  const Pattern &M = M_pattern_, &W = W_pattern_;
  std::vector<std::pair<int, int>> entries;  // column, row
  for (std::size_t k = 0; k < M.row.size(); ++k) entries.emplace_back(M.col[k], M.row[k]);
  for (std::size_t k = 0; k < W.row.size(); ++k) {
    entries.emplace_back(W.col[k], n_ + W.row[k]);
    entries.emplace_back(n_ + W.row[k], W.col[k]);
  }
  for (std::size_t k = 0; k < derivative_.row.size(); ++k)
    entries.emplace_back(derivative_.col[k] % n_, derivative_.row[k]);
  for (int r = 0; r < m_; ++r) entries.emplace_back(n_ + r, n_ + r);
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  column_starts_.assign(index(n_ + m_) + 1, 0);
  for (const auto& [column, row] : entries) {
    rows_.push_back(row);
    ++column_starts_[index(column) + 1];
  }
  for (std::size_t i = 1; i < column_starts_.size(); ++i) column_starts_[i] += column_starts_[i - 1];

  const auto slot = [&](int row, int column) {
    const auto at = std::lower_bound(entries.begin(), entries.end(), std::pair(column, row));
    return static_cast<int>(at - entries.begin());
  };
  const auto source = [](std::size_t k) { return static_cast<int>(k); };
  for (std::size_t k = 0; k < M.row.size(); ++k) of_M_.push_back({slot(M.row[k], M.col[k]), source(k)});
  for (std::size_t k = 0; k < W.row.size(); ++k) {
    of_W_.push_back({slot(n_ + W.row[k], W.col[k]), source(k)});
    of_Wt_.push_back({slot(W.col[k], n_ + W.row[k]), source(k)});
  }
  for (std::size_t k = 0; k < derivative_.row.size(); ++k) {
    const int column = derivative_.col[k];
    (column < n_ ? of_q_ : of_v_).push_back({slot(derivative_.row[k], column % n_), source(k)});
  }
  for (int r = 0; r < m_; ++r) of_diagonal_.push_back(slot(n_ + r, n_ + r));
  values_.resize(rows_.size());
  complex_values_.resize(rows_.size());
  x_.resize(index(n_ + m_));
  moved_.resize(index(n_));
  b_.resize(index(3 * n_));
  complex_x_.resize(index(n_ + m_));
  complex_b_.resize(index(2 * n_));
  complex_moved_.resize(index(n_));
  real_ = std::make_unique<LuFactors<double>>(n_ + m_, column_starts_, rows_);
  complex_ = std::make_unique<LuFactors<std::complex<double>>>(n_ + m_, column_starts_, rows_);
}

// Builds the pattern of (2): 3×3 blocks with the pattern of (1). Blocks off the diagonal have no −Wᵀ.
void KktNewton::make_stages() {
  stages_ = std::make_unique<Stages>();
  Stages& s = *stages_;
  const int size = n_ + m_;
  for (auto& row : s.slot)
    for (std::vector<int>& block : row) block.assign(rows_.size(), -1);
  std::vector<bool> is_transposed(rows_.size(), false);
  for (int column = n_; column < size; ++column)
    for (int k = column_starts_[index(column)]; k < column_starts_[index(column) + 1]; ++k)
      is_transposed[index(k)] = true;
  s.starts.push_back(0);
  for (std::size_t k = 0; k < 3; ++k)
    for (int column = 0; column < size; ++column) {
      for (std::size_t i = 0; i < 3; ++i)
        for (int entry = column_starts_[index(column)]; entry < column_starts_[index(column) + 1]; ++entry) {
          if (i != k && is_transposed[index(entry)]) continue;
          s.slot[i][k][index(entry)] = static_cast<int>(s.rows.size());
          s.rows.push_back(static_cast<int>(i) * size + rows_[index(entry)]);
        }
      s.starts.push_back(static_cast<int>(s.rows.size()));
    }
  s.values.resize(s.rows.size());
  s.x.resize(index(3 * size));
  s.factors = std::make_unique<LuFactors<double>>(3 * size, s.starts, s.rows);
}

bool KktNewton::linearize(double t, const double* y) {
  return motion_.evaluate(t, y, slope_.data()) && look_at(t, y, slope_.data(), at_);
}

bool KktNewton::linearize_stage(int stage, double t, const double* y, const double* dydt) {
  if (stages_ == nullptr) make_stages();
  return look_at(t, y, dydt, stages_->at[index(stage)]);
}

// Evaluates the matrices in (1) at a point, with the λ of the motion's last evaluation.
bool KktNewton::look_at(double t, const double* y, const double* dydt, Point& point) {
  point.derivative.resize(derivative_.row.size());
  Workspace& workspace = motion_.workspace;
  const double *q = y, *v = y + n_;
  evaluate_rates(dynamics_, t, q, v, workspace);
  point.M = workspace.M;
  point.W = workspace.W;
  KernelArguments in = kernel_arguments(dynamics_, t, q, v, workspace);
  in.qdd = dydt + n_;
  in.lambda = motion_.lambda().data();
  in.work = work_.data();
  linearization_.call(in, point.derivative.data());
  std::fill(left_out_.begin(), left_out_.end(), workspace.basis.all ? 0 : 1);
  if (!workspace.basis.all)
    for (const int row : workspace.basis.rows) left_out_[index(row)] = 0;
  return std::all_of(point.derivative.begin(), point.derivative.end(), [](double x) { return std::isfinite(x); });
}

template <class Number>
void KktNewton::fill(Number s, std::vector<Number>& values) const {
  std::fill(values.begin(), values.end(), Number(0));
  const Number by_s = 1.0 / s, by_s2 = by_s * by_s;
  for (const Place& place : of_M_) values[index(place.slot)] += at_.M[index(place.source)];
  for (const Place& place : of_W_) values[index(place.slot)] += at_.W[index(place.source)];
  for (const Place& place : of_Wt_) values[index(place.slot)] -= at_.W[index(place.source)];
  for (const Place& place : of_q_) values[index(place.slot)] += at_.derivative[index(place.source)] * by_s2;
  for (const Place& place : of_v_) values[index(place.slot)] += at_.derivative[index(place.source)] * by_s;
  // The equation of a row that is left out sets its multiplier to 0.
  if (std::find(left_out_.begin(), left_out_.end(), 1) == left_out_.end()) return;
  for (std::size_t k = 0; k < rows_.size(); ++k)
    if (rows_[k] >= n_ && left_out_[index(rows_[k] - n_)] != 0) values[k] = 0;
  for (int r = 0; r < m_; ++r)
    if (left_out_[index(r)] != 0) values[index(of_diagonal_[index(r)])] = 1;
}

bool KktNewton::factor(double s, std::complex<double> z) {
  s_ = s;
  z_ = z;
  fill(s, values_);
  fill(z, complex_values_);
  return real_->factor(values_) && complex_->factor(complex_values_);
}

bool KktNewton::factor_stages(const std::array<std::array<double, 3>, 3>& a) {
  Stages& s = *stages_;
  s.a = a;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) s.a2[i][k] = a[i][0] * a[0][k] + a[i][1] * a[1][k] + a[i][2] * a[2][k];
  std::fill(s.values.begin(), s.values.end(), 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const Point& point = s.at[i];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto add = [&](const std::vector<Place>& places, const std::vector<double>& from, double factor) {
        for (const Place& place : places)
          s.values[index(s.slot[i][k][index(place.slot)])] += factor * from[index(place.source)];
      };
      add(of_M_, point.M, s.a2[i][k]);
      add(of_W_, point.W, s.a2[i][k]);
      add(of_v_, point.derivative, a[i][k]);
      if (i != k) continue;
      add(of_q_, point.derivative, 1);
      // The factor scales the unknown multipliers to the size of the other unknowns.
      add(of_Wt_, point.W, -s.a2[i][i]);
    }
  }
  const int size = n_ + m_;
  for (std::size_t k = 0; k < s.rows.size(); ++k) {
    const int row = s.rows[k] % size;
    if (row >= n_ && left_out_[index(row - n_)] != 0) s.values[k] = 0;
  }
  for (int r = 0; r < m_; ++r)
    if (left_out_[index(r)] != 0)
      for (std::size_t i = 0; i < 3; ++i) s.values[index(s.slot[i][i][index(of_diagonal_[index(r)])])] = s.a2[i][i];
  return s.factors->factor(s.values);
}

// Computes M moved + r_v b and W moved + c_v b, which is the right-hand side of (1) before division by s², and of (2).
template <class Number>
void KktNewton::right_hand_side(const Point& point, const Number* moved, const Number* b, Number* result) const {
  std::fill_n(result, n_ + m_, Number(0));
  for (std::size_t k = 0; k < M_pattern_.row.size(); ++k)
    result[M_pattern_.row[k]] += point.M[k] * moved[M_pattern_.col[k]];
  for (std::size_t k = 0; k < W_pattern_.row.size(); ++k)
    result[n_ + W_pattern_.row[k]] += point.W[k] * moved[W_pattern_.col[k]];
  for (const Place& place : of_v_) {
    const auto k = index(place.source);
    result[derivative_.row[k]] += point.derivative[k] * b[derivative_.col[k] - n_];
  }
  for (int r = 0; r < m_; ++r)
    if (left_out_[index(r)] != 0) result[n_ + r] = 0;
}

void KktNewton::solve(double* x) {
  for (int i = 0; i < n_; ++i) moved_[index(i)] = x[n_ + i] + s_ * x[i];
  right_hand_side(at_, moved_.data(), x, x_.data());
  for (double& value : x_) value /= s_ * s_;
  real_->solve(x_.data());
  for (int i = 0; i < n_; ++i) {
    const double b = x[i];
    x[i] = x_[index(i)];
    x[n_ + i] = s_ * x[i] - b;
  }
}

void KktNewton::solve(double* real, double* imaginary) {
  for (int i = 0; i < 2 * n_; ++i) complex_b_[index(i)] = {real[i], imaginary[i]};
  for (int i = 0; i < n_; ++i) complex_moved_[index(i)] = complex_b_[index(n_ + i)] + z_ * complex_b_[index(i)];
  right_hand_side(at_, complex_moved_.data(), complex_b_.data(), complex_x_.data());
  for (std::complex<double>& value : complex_x_) value /= z_ * z_;
  complex_->solve(complex_x_.data());
  for (int i = 0; i < n_; ++i) {
    const std::complex<double> x = complex_x_[index(i)], w = z_ * x - complex_b_[index(i)];
    real[i] = x.real();
    imaginary[i] = x.imag();
    real[n_ + i] = w.real();
    imaginary[n_ + i] = w.imag();
  }
}

void KktNewton::solve_stages(const std::array<double*, 3>& x) {
  Stages& s = *stages_;
  const int size = n_ + m_;
  for (std::size_t i = 0; i < 3; ++i) {
    std::copy_n(x[i], n_, b_.begin() + static_cast<int>(i) * n_);
    for (int k = 0; k < n_; ++k)
      moved_[index(k)] = x[i][n_ + k] + s.a[i][0] * x[0][k] + s.a[i][1] * x[1][k] + s.a[i][2] * x[2][k];
    right_hand_side(s.at[i], moved_.data(), x[i], s.x.data() + static_cast<int>(i) * size);
  }
  s.factors->solve(s.x.data());
  for (std::size_t i = 0; i < 3; ++i) std::copy_n(s.x.data() + static_cast<int>(i) * size, n_, x[i]);
  for (std::size_t i = 0; i < 3; ++i)
    for (int k = 0; k < n_; ++k)
      x[i][n_ + k] = s.a[i][0] * x[0][k] + s.a[i][1] * x[1][k] + s.a[i][2] * x[2][k] - b_[i * index(n_) + index(k)];
}

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dalembert/dynamics/numbers.h"

namespace dalembert {

namespace {

// So many components are computed at once; some of them may be surplus.
constexpr std::size_t kAtOnce = integration::kGroup;

// (2) for `size` components, with `rows` coefficients of each, which are `stride` apart.
void sum_within(const double* dense, std::size_t stride, std::size_t rows, double theta, const double* y,
                std::size_t size, double* result) {
  for (std::size_t s = 0; s < size; s += kAtOnce) {
    double sum[kAtOnce] = {};
    for (std::size_t r = rows; r-- > 0;) {
      const double* row = dense + r * stride + s;
      const double factor = r % 2 == 0 ? theta : 1 - theta;
      for (std::size_t i = 0; i < kAtOnce; ++i) sum[i] = (sum[i] + row[i]) * factor;
    }
    for (std::size_t i = 0; i < kAtOnce && s + i < size; ++i) result[s + i] = y[s + i] + sum[i];
  }
}

// The rows of a tableau, in the order of TableauWeights.
std::vector<const std::vector<double>*> rows_of(const Tableau& tableau) {
  std::vector<const std::vector<double>*> rows;
  rows.reserve(tableau.a.size() + tableau.d.size() + 3);
  for (const auto* matrix : {&tableau.a, &tableau.d})
    for (const std::vector<double>& row : *matrix) rows.push_back(&row);
  for (const std::vector<double>* row : {&tableau.b, &tableau.e, &tableau.e_low}) rows.push_back(row);
  return rows;
}

// h times the higher estimate, damped by the lower one: II.10.17 for one component.
double tempered(double h, double high, double low) {
  const double denominator = high * high + 0.01 * low * low;
  return denominator > 0 ? h * high * std::abs(high) / std::sqrt(denominator) : 0;
}

}  // namespace

TableauWeights::TableauWeights(const Tableau& tableau, std::size_t stride)
    : d_(tableau.a.size()), last_(d_ + tableau.d.size()), rows_(rows_of(tableau), stride) {}

RungeKutta::RungeKutta(const Tableau& tableau, int size, int room)
    : tableau_(&tableau),
      error_needs_last_slope_(tableau.e.back() != 0),
      size_(static_cast<std::size_t>(size)),
      extent_(integration::padded(size_)),
      stride_(integration::padded(std::max(size_, static_cast<std::size_t>(room)))),
      add_up_(integration::weighted_sum()),
      sum_errors_(integration::error_sum()),
      weights_(tableau, stride_) {
  const std::size_t stages = static_cast<std::size_t>(tableau.all_stages) * stride_, dense = rows_of_dense() * extent_;
  memory_.resize(stages + dense + 5 * extent_);
  stages_ = memory_.data();
  dense_ = stages_ + stages;
  start_ = dense_ + dense;
  for (double* before = start_; double** next : {&point_, &within_, &high_, &low_}) *next = before += extent_;
}

bool RungeKutta::is_of(const Tableau& tableau, int size, int room) const {
  const auto n = static_cast<std::size_t>(size);
  return tableau_ == &tableau && size_ == n &&
         stride_ == integration::padded(std::max(n, static_cast<std::size_t>(room)));
}

void RungeKutta::renew() {
  std::ranges::fill(memory_, 0.0);
  copied_ = 0;
  damping_ = 1;
  judged_ = {};
  stages_of_ = nullptr;
  norms_.reset();
}

bool RungeKutta::advance(RightHandSide& f, double t, const double* y, double h, double* y1) {
  stages_of_ = nullptr;
  norms_.reset();
  copied_ = f.copied();
  copy_few(y, size_, start_);
  // The velocities in the argument of the last stage are also the first entries of its slope.
  const double* velocities = copied_ > 0 ? point_ + copied_ : nullptr;
  integration::Sum sum = sum_of(weights_.b(), start_, h);
  const auto take = [&](std::span<const integration::Weight> weights, int i) {
    sum.weights = weights.data();
    sum.count = weights.size();
    sum.fresh = i > 1 && weights.back().offset == static_cast<std::size_t>(i - 1) * stride_;
    sum.last = sum.fresh ? velocities : nullptr;
  };
  for (int i = 1; i < tableau_->stages; ++i) {
    take(weights_.a(static_cast<std::size_t>(i)), i);
    add_up_(sum, point_);
    if (!f.evaluate(t + tableau_->c[static_cast<std::size_t>(i)] * h, point_, stage(i))) return false;
  }
  // point_ keeps the last stage's argument, for stiffness().
  take(weights_.b(), tableau_->stages);
  add_up_(sum, high_);
  copy_few(high_, size_, y1);
  return true;
}

double RungeKutta::error(const double* y, const double* y1, double h, int count, double rtol, double atol,
                         ErrorFilter* filter) {
  if (count == 0) return 0;
  judged_ = {high_, low_, y, y1, static_cast<std::size_t>(count), rtol, atol};
  if (!norms_) {
    add_up_(sum_of(weights_.e()), high_);
    add_up_(sum_of(weights_.e_low()), low_);
    if (filter != nullptr) {
      filter->apply(high_);
      if (!tableau_->e_low.empty()) filter->apply(low_);
    }
  }
  const auto [high2, low2] = norms_ ? *norms_ : sum_errors_(judged_);
  damping_ = 1;
  if (tableau_->e_low.empty()) return std::abs(h) * std::sqrt(high2 / count);
  // Hairer, Nørsett & Wanner, II.10.17: the fifth-order estimate, damped by the third-order one, behaves like h⁸.
  const double denominator = high2 + 0.01 * low2;
  damping_ = denominator > 0 ? std::sqrt(high2 / denominator) : 0;
  return denominator > 0 ? std::abs(h) * high2 / std::sqrt(denominator * count)
                         : (std::isnan(denominator) ? denominator : 0);
}

int RungeKutta::worst_component() const {
  int worst = 0;
  double largest = -1;
  for (std::size_t s = 0; s < judged_.count; ++s) {
    const double scale = judged_.atol + judged_.rtol * std::max(std::abs(judged_.y[s]), std::abs(judged_.y1[s]));
    const double error = std::abs(high_[s]) / scale;
    if (!(error > largest)) continue;
    largest = error;
    worst = static_cast<int>(s);
  }
  return worst;
}

void RungeKutta::add_step_error(const double* /*y*/, const double* /*y1*/, double h, int count, double* sum) {
  const double factor = h * damping_;
  for (std::size_t s = 0; s < static_cast<std::size_t>(count); ++s) sum[s] += factor * high_[s];
}

double RungeKutta::component_error(int component, double h) {
  const auto i = static_cast<std::size_t>(component);
  return tableau_->e_low.empty() ? h * high_[i] : tempered(h, high_[i], low_[i]);
}

double RungeKutta::quadrature_error(const double* values, std::size_t stride) const {
  const auto sum = [&](const std::vector<double>& e) {
    double total = 0;
    for (std::size_t i = 0; i < e.size(); ++i)
      if (e[i] != 0) total += e[i] * values[i * stride];
    return total;
  };
  return tableau_->e_low.empty() ? sum(tableau_->e) : tempered(1, sum(tableau_->e), sum(tableau_->e_low));
}

double RungeKutta::largest_slope(int component) const {
  own_stages();
  double largest = 0;
  for (int i = 0; i < tableau_->stages; ++i) largest = std::max(largest, std::abs(stage(i)[component]));
  return largest;
}

bool RungeKutta::make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h) {
  own_stages();
  std::copy_n(y, size_, start_);
  for (int i = tableau_->stages + 1; i < tableau_->all_stages; ++i) {
    add_up_(sum_of(weights_.a(static_cast<std::size_t>(i)), start_, h), within_);
    if (!f.evaluate(t + tableau_->c[static_cast<std::size_t>(i)] * h, within_, stage(i))) return false;
  }
  std::copy_n(y1, size_, within_);
  for (std::size_t s = 0; s < size_; s += kAtOnce) {
    const double *first = stage(0) + s, *last = stage(tableau_->stages) + s;
    double difference[kAtOnce], from_start[kAtOnce], from_both[kAtOnce];
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      difference[i] = within_[s + i] - start_[s + i];
      from_start[i] = h * first[i] - difference[i];
      from_both[i] = 2 * difference[i] - h * (first[i] + last[i]);
    }
    std::copy_n(difference, kAtOnce, dense_ + s);
    std::copy_n(from_start, kAtOnce, dense_ + extent_ + s);
    std::copy_n(from_both, kAtOnce, dense_ + 2 * extent_ + s);
  }
  for (std::size_t r = 0; r < tableau_->d.size(); ++r) {
    double* row = dense_ + (3 + r) * extent_;
    add_up_(sum_of(weights_.d(r)), row);
    for (std::size_t s = 0; s < size_; s += kAtOnce)
      for (std::size_t i = 0; i < kAtOnce; ++i) row[s + i] *= h;
  }
  return true;
}

void RungeKutta::interpolate(double theta, const double* y, double* result, double* slope) const {
  const std::size_t rows = rows_of_dense();
  sum_within(dense_, extent_, rows, theta, y, size_, result);
  for (std::size_t s = 0; slope != nullptr && s < size_; ++s) {
    double value = 0, derivative = 0;
    for (std::size_t r = rows; r-- > 0;) {
      value += dense_[r * extent_ + s];
      derivative = r % 2 == 0 ? derivative * theta + value : derivative * (1 - theta) - value;
      value *= r % 2 == 0 ? theta : 1 - theta;
    }
    slope[s] = derivative;
  }
}

// The start y follows the coefficients.
bool RungeKutta::keep_dense(const double* y, std::vector<double>& kept) const {
  const std::size_t rows = rows_of_dense();
  kept.resize((rows + 1) * extent_);
  std::copy_n(dense_, rows * extent_, kept.begin());
  std::copy_n(y, size_, kept.data() + rows * extent_);
  return true;
}

void RungeKutta::interpolate_kept(const std::vector<double>& kept, double theta, double* result) const {
  const std::size_t rows = rows_of_dense();
  sum_within(kept.data(), extent_, rows, theta, kept.data() + rows * extent_, size_, result);
}

void RungeKutta::shift() {
  stages_of_ = nullptr;
  copy_few(stage(tableau_->stages), size_, stage(0));
}

void RungeKutta::own_stages() const {
  if (stages_of_ != nullptr) std::exchange(stages_of_, nullptr)->bring(lane_, size_, stages_, stride_, point_);
}

double RungeKutta::stiffness(const double* y1, double h) const {
  own_stages();
  // point_ still holds the argument of stage s−1, which belongs to the same time t + h as y₁.
  const double *last = stage(tableau_->stages), *before = stage(tableau_->stages - 1);
  double numerator = 0, denominator = 0;
  for (std::size_t s = 0; s < size_; ++s) {
    numerator += (last[s] - before[s]) * (last[s] - before[s]);
    denominator += (y1[s] - point_[s]) * (y1[s] - point_[s]);
  }
  return denominator > 0 ? std::abs(h) * std::sqrt(numerator / denominator) : 0;
}

}  // namespace dalembert

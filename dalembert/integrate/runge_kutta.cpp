// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dalembert {

RungeKutta::RungeKutta(const Tableau& tableau, int size)
    : tableau_(&tableau),
      size_(static_cast<std::size_t>(size)),
      stages_(static_cast<std::size_t>(tableau.all_stages) * size_),
      point_(size_),
      dense_((3 + tableau.d.size()) * size_) {}

bool RungeKutta::advance(RightHandSide& f, double t, const double* y, double h, double* y1) {
  for (int i = 1; i <= tableau_->stages; ++i) {
    const std::vector<double>& a = i < tableau_->stages ? tableau_->a[static_cast<std::size_t>(i)] : tableau_->b;
    double* point = i < tableau_->stages ? point_.data() : y1;
    std::fill(point, point + size_, 0.0);
    for (int j = 0; j < i; ++j) {
      const double weight = a[static_cast<std::size_t>(j)];
      if (weight == 0) continue;
      const double* k = stage(j);
      for (std::size_t s = 0; s < size_; ++s) point[s] += weight * k[s];
    }
    for (std::size_t s = 0; s < size_; ++s) point[s] = y[s] + h * point[s];
    if (i < tableau_->stages && !f.evaluate(t + tableau_->c[static_cast<std::size_t>(i)] * h, point, stage(i)))
      return false;
  }
  return true;
}

double RungeKutta::error(const double* y, const double* y1, double h, int count, double rtol, double atol) const {
  const Tableau& tableau = *tableau_;
  double high2 = 0, low2 = 0, largest = -1;
  for (std::size_t s = 0; s < static_cast<std::size_t>(count); ++s) {
    double high = 0, low = 0;
    for (std::size_t i = 0; i < tableau.e.size(); ++i) high += tableau.e[i] * stages_[i * size_ + s];
    for (std::size_t i = 0; i < tableau.e_low.size(); ++i) low += tableau.e_low[i] * stages_[i * size_ + s];
    const double scale = atol + rtol * std::max(std::abs(y[s]), std::abs(y1[s]));
    high /= scale;
    low /= scale;
    high2 += high * high;
    low2 += low * low;
    if (std::abs(high) > largest) {
      largest = std::abs(high);
      worst_ = static_cast<int>(s);
    }
  }
  if (count == 0) return 0;
  if (tableau.e_low.empty()) return std::abs(h) * std::sqrt(high2 / count);
  // II.10.17: the fifth-order estimate, damped by the third-order one, behaves like h⁸.
  const double denominator = high2 + 0.01 * low2;
  return denominator > 0 ? std::abs(h) * high2 / std::sqrt(denominator * count)
                         : (std::isnan(denominator) ? denominator : 0);
}

bool RungeKutta::make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h) {
  for (int i = tableau_->stages + 1; i < tableau_->all_stages; ++i) {
    const std::vector<double>& a = tableau_->a[static_cast<std::size_t>(i)];
    std::fill(point_.begin(), point_.end(), 0.0);
    for (int j = 0; j < i; ++j) {
      const double weight = a[static_cast<std::size_t>(j)];
      if (weight == 0) continue;
      const double* k = stage(j);
      for (std::size_t s = 0; s < size_; ++s) point_[s] += weight * k[s];
    }
    for (std::size_t s = 0; s < size_; ++s) point_[s] = y[s] + h * point_[s];
    if (!f.evaluate(t + tableau_->c[static_cast<std::size_t>(i)] * h, point_.data(), stage(i))) return false;
  }
  const double *first = stage(0), *last = stage(tableau_->stages);
  for (std::size_t s = 0; s < size_; ++s) {
    const double difference = y1[s] - y[s];
    dense_[s] = difference;
    dense_[size_ + s] = h * first[s] - difference;
    dense_[2 * size_ + s] = 2 * difference - h * (first[s] + last[s]);
    for (std::size_t r = 0; r < tableau_->d.size(); ++r) {
      double sum = 0;
      for (std::size_t i = 0; i < tableau_->d[r].size(); ++i) sum += tableau_->d[r][i] * stages_[i * size_ + s];
      dense_[(3 + r) * size_ + s] = h * sum;
    }
  }
  return true;
}

void RungeKutta::interpolate(double theta, const double* y, double* result) const {
  const std::size_t rows = 3 + tableau_->d.size();
  for (std::size_t s = 0; s < size_; ++s) {
    double sum = 0;
    for (std::size_t r = rows; r-- > 0;) sum = (sum + dense_[r * size_ + s]) * (r % 2 == 0 ? theta : 1 - theta);
    result[s] = y[s] + sum;
  }
}

void RungeKutta::shift() { std::copy_n(stage(tableau_->stages), size_, stage(0)); }

double RungeKutta::stiffness(const double* y1, double h) const {
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

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/difference_newton.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dalembert/base/numeric.h"

namespace dalembert::integration {
namespace {

// LuFactors with the pattern of a dense matrix.
template <class Number>
std::unique_ptr<LuFactors<Number>> make_factors(int size) {
  std::vector<int> starts(index(size) + 1), rows(index(size) * index(size));
  for (int column = 0; column <= size; ++column) starts[index(column)] = column * size;
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<int>(k % index(size));
  return std::make_unique<LuFactors<Number>>(size, starts, rows);
}

}  // namespace

DifferenceNewton::DifferenceNewton(RightHandSide& f, int size, int whole, int room) : f_(f), size_(size) {
  for (std::vector<double>* x : {&slope_, &beside_}) x->resize(index(room));
  shifted_.resize(index(whole));
  complex_x_.resize(index(size));
}

bool DifferenceNewton::linearize(double t, const double* y) {
  if (size_ > kMost || !f_.evaluate(t, y, slope_.data())) return false;
  return look_at(t, y, slope_.data(), J_);
}

bool DifferenceNewton::linearize_stage(int stage, double t, const double* y, const double* dydt) {
  return size_ <= kMost && look_at(t, y, dydt, stage_J_[index(stage)]);
}

bool DifferenceNewton::look_at(double t, const double* y, const double* dydt, std::vector<double>& J) {
  const std::size_t n = index(size_);
  J.resize(n * n);
  const std::vector<double> here(dydt, dydt + n);
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(y[i]));
  for (std::size_t k = 0; k < n; ++k) {
    std::copy_n(y, shifted_.size(), shifted_.begin());
    double& x = shifted_[k];
    x += root * std::max(std::abs(x), 1e-3 * largest + 1e-5);
    const double width = x - y[k];
    if (!f_.evaluate(t, shifted_.data(), beside_.data())) return false;
    for (std::size_t i = 0; i < n; ++i) J[k * n + i] = (beside_[i] - here[i]) / width;
  }
  return std::all_of(J.begin(), J.end(), [](double value) { return std::isfinite(value); });
}

bool DifferenceNewton::factor(double s, std::complex<double> z) {
  if (real_ == nullptr) {
    real_ = make_factors<double>(size_);
    complex_ = make_factors<std::complex<double>>(size_);
  }
  const std::size_t n = index(size_);
  std::vector<double> values(J_.size());
  for (std::size_t k = 0; k < J_.size(); ++k) values[k] = -J_[k];
  std::vector<std::complex<double>> complex_values(values.begin(), values.end());
  for (std::size_t i = 0; i < n; ++i) {
    values[i * n + i] += s;
    complex_values[i * n + i] += z;
  }
  return real_->factor(values) && complex_->factor(complex_values);
}

void DifferenceNewton::solve(double* real, double* imaginary) {
  for (std::size_t i = 0; i < complex_x_.size(); ++i) complex_x_[i] = {real[i], imaginary[i]};
  complex_->solve(complex_x_.data());
  for (std::size_t i = 0; i < complex_x_.size(); ++i) {
    real[i] = complex_x_[i].real();
    imaginary[i] = complex_x_[i].imag();
  }
}

bool DifferenceNewton::factor_stages(const std::array<std::array<double, 3>, 3>& a) {
  if (stages_ == nullptr) stages_ = make_factors<double>(3 * size_);
  const std::size_t n = index(size_);
  std::vector<double> values(9 * n * n, 0.0);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t column = 0; column < n; ++column) {
      double* entries = values.data() + (k * n + column) * 3 * n;
      for (std::size_t i = 0; i < 3; ++i) entries[i * n + column] += a[i][k];
      for (std::size_t row = 0; row < n; ++row) entries[k * n + row] -= stage_J_[k][column * n + row];
    }
  return stages_->factor(values);
}

void DifferenceNewton::solve_stages(const std::array<double*, 3>& x) {
  const std::size_t n = index(size_);
  x_.clear();
  for (const double* part : x) x_.insert(x_.end(), part, part + n);
  stages_->solve(x_.data());
  for (std::size_t i = 0; i < 3; ++i) std::copy_n(x_.begin() + static_cast<std::ptrdiff_t>(i * n), n, x[i]);
}

}  // namespace dalembert::integration

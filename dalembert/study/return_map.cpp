// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/return_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace dalembert {

std::vector<std::complex<double>> multipliers_of(const Matrix& map) {
  std::vector<std::complex<double>> values = eigenpairs(map).value;
  std::ranges::sort(values, [](const auto& a, const auto& b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
  });
  return values;
}

double largest_change(const std::vector<std::complex<double>>& values, std::vector<std::complex<double>> others) {
  double largest = 0;
  for (const std::complex<double>& value : values) {
    const auto nearest = std::ranges::min_element(others, {}, [&](const auto& z) { return std::abs(z - value); });
    largest = std::max(largest, std::abs(*nearest - value));
    others.erase(nearest);
  }
  return largest;
}

double largest_of(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

double sum_of_magnitudes(const Matrix& map) {
  double sum = 0;
  for (std::size_t i = 0; i < map.rows; ++i)
    for (std::size_t j = 0; j < map.cols; ++j) sum += std::abs(map(i, j));
  return sum;
}

bool take_last_derivatives(const Trajectory& run, std::vector<std::vector<double>>& columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Sensitivity& by = run.sensitivities[k];
    const std::size_t nq = by.q.size();
    for (std::size_t i = 0; i < columns[k].size(); ++i) columns[k][i] = (i < nq ? by.q[i] : by.v[i - nq]).back();
    if (!std::ranges::all_of(columns[k], [](double x) { return std::isfinite(x); })) return false;
  }
  return true;
}

void add_orthonormal(std::vector<std::vector<double>>& columns, std::vector<double> column,
                     const std::vector<double>& weight) {
  for (int pass = 0; pass < 2; ++pass)
    for (const std::vector<double>& other : columns) {
      double product = 0;
      for (std::size_t i = 0; i < column.size(); ++i) product += column[i] * other[i] * weight[i] * weight[i];
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= product * other[i];
    }
  double size = 0;
  for (std::size_t i = 0; i < column.size(); ++i) size += std::pow(column[i] * weight[i], 2);
  for (double& x : column) x /= std::sqrt(size);
  columns.push_back(std::move(column));
}

}  // namespace dalembert

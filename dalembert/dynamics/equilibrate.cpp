// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/equilibrate.h"

#include <algorithm>
#include <cmath>

namespace dalembert {
namespace {

constexpr int kPasses = 4;
// Sizes between 1/kOfSizeOne and kOfSizeOne count as 1 and are not scaled, so that most systems stay as they are.
constexpr double kOfSizeOne = 16;

// A power of two near 1/√x; 1 where x is of size 1 already, zero or not finite.
double balancing(double x) {
  const bool scales = x > 0 && std::isfinite(x) && (x > kOfSizeOne || x < 1 / kOfSizeOne);
  return scales ? std::scalbn(1.0, -(std::ilogb(x) / 2)) : 1.0;
}

}  // namespace

void Equilibration::resize(std::size_t n, std::size_t m) {
  for (std::vector<double>* x : {&column, &column_max_}) x->assign(n, 1.0);
  for (std::vector<double>* x : {&row, &row_max_}) x->assign(m, 1.0);
}

void Equilibration::find(const double* M, std::span<const double* const> rows) {
  const std::size_t n = column.size(), m = rows.size();
  std::fill(column.begin(), column.end(), 1.0);
  std::fill_n(row.begin(), m, 1.0);
  bool changed = true;
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    std::fill(column_max_.begin(), column_max_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        column_max_[j] = std::max(column_max_[j], std::abs(M[i * n + j]) * column[i] * column[j]);
    for (std::size_t r = 0; r < m; ++r) {
      row_max_[r] = 0;
      for (std::size_t j = 0; rows[r] != nullptr && j < n; ++j) {
        const double entry = std::abs(rows[r][j]) * row[r] * column[j];
        column_max_[j] = std::max(column_max_[j], entry);
        row_max_[r] = std::max(row_max_[r], entry);
      }
    }
    changed = false;
    const auto scale = [&](double& by, double largest) {
      const double factor = balancing(largest);
      by *= factor;
      changed = changed || factor != 1;
    };
    for (std::size_t j = 0; j < n; ++j) scale(column[j], column_max_[j]);
    for (std::size_t r = 0; r < m; ++r) scale(row[r], row_max_[r]);
  }
  double longest = 0;
  for (std::size_t r = 0; r < m; ++r) {
    if (rows[r] == nullptr) continue;
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double entry = rows[r][j] * column[j];
      sum += entry * entry;
    }
    row[r] = sum > 0 ? 1 / std::sqrt(sum) : 1.0;
    longest = std::max(longest, std::sqrt(sum));
  }
  for (std::size_t r = 0; r < m; ++r)
    if (rows[r] == nullptr) row[r] = longest > 0 ? 1 / longest : 1.0;
}

}  // namespace dalembert

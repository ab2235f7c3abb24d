// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit/column_svd.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dalembert::fitting {
namespace {

// Cosines of angles between columns below this are round-off.
constexpr double kOrthogonal = 1e-15;
constexpr int kMostSweeps = 60;

// Rotates columns i and j, stored one after the other, by c and s.
void rotate(std::vector<double>& columns, std::size_t rows, std::size_t i, std::size_t j, double c, double s) {
  double *a = columns.data() + i * rows, *b = columns.data() + j * rows;
  for (std::size_t r = 0; r < rows; ++r) {
    const double x = a[r], y = b[r];
    a[r] = c * x - s * y;
    b[r] = s * x + c * y;
  }
}

double product(const std::vector<double>& columns, std::size_t rows, std::size_t i, std::size_t j) {
  const auto a = columns.begin() + static_cast<std::ptrdiff_t>(i * rows);
  return std::inner_product(a, a + static_cast<std::ptrdiff_t>(rows),
                            columns.begin() + static_cast<std::ptrdiff_t>(j * rows), 0.0);
}

}  // namespace

ColumnSvd column_svd(const std::vector<double>& A, std::size_t rows, std::size_t columns) {
  std::vector<double> W(rows * columns), V(columns * columns, 0.0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < columns; ++k) W[k * rows + r] = A[r * columns + k];
  for (std::size_t k = 0; k < columns; ++k) V[k * columns + k] = 1;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (std::size_t i = 0; i + 1 < columns; ++i)
      for (std::size_t j = i + 1; j < columns; ++j) {
        const double ii = product(W, rows, i, i), jj = product(W, rows, j, j), ij = product(W, rows, i, j);
        if (ij == 0 || std::abs(ij) <= kOrthogonal * std::sqrt(ii) * std::sqrt(jj)) continue;
        rotated = true;
        const double zeta = (jj - ii) / (2 * ij);
        const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(1, zeta));
        const double c = 1 / std::hypot(1, t);
        rotate(W, rows, i, j, c, c * t);
        rotate(V, columns, i, j, c, c * t);
      }
  }
  std::vector<double> lengths(columns);
  std::vector<std::size_t> order(columns);
  for (std::size_t k = 0; k < columns; ++k) lengths[k] = std::sqrt(product(W, rows, k, k));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  ColumnSvd svd{{}, std::vector<double>(columns * columns)};
  for (std::size_t j = 0; j < columns; ++j) {
    svd.singular.push_back(lengths[order[j]]);
    for (std::size_t k = 0; k < columns; ++k) svd.V[k * columns + j] = V[order[j] * columns + k];
  }
  return svd;
}

}  // namespace dalembert::fitting

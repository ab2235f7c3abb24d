// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit/column_svd.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace dalembert::fitting {
namespace {

// Cosines of angles between vectors below this are round-off.
constexpr double kOrthogonal = 1e-15;
constexpr int kMostSweeps = 60;

using Vectors = std::vector<std::vector<double>>;

// Sums of several terms at once, which are independent of each other.
constexpr std::size_t kAtOnce = 4;

double product(const double* a, const double* b, std::size_t count) {
  double sums[kAtOnce] = {};
  std::size_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce)
    for (std::size_t k = 0; k < kAtOnce; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double length(const double* a, std::size_t count) { return std::sqrt(product(a, a, count)); }

// A reflection I − 2 u uᵀ that makes entries [from, end) of a vector multiples of the first of them; u is 0 before `from`, and all 0 where there is nothing to do.
std::vector<double> reflection(const std::vector<double>& vector, std::size_t from) {
  std::vector<double> u(vector.size(), 0.0);
  std::copy(vector.begin() + static_cast<std::ptrdiff_t>(from), vector.end(),
            u.begin() + static_cast<std::ptrdiff_t>(from));
  const double size = length(u.data(), u.size());
  if (size == 0) return u;
  u[from] += std::copysign(size, u[from]);
  const double of_u = length(u.data(), u.size());
  for (double& entry : u) entry /= of_u;
  return u;
}

void reflect(const std::vector<double>& u, std::size_t from, std::vector<double>& vector) {
  const std::size_t count = u.size() - from;
  const double twice = 2 * product(u.data() + from, vector.data() + from, count);
  for (std::size_t i = from; i < u.size(); ++i) vector[i] -= twice * u[i];
}

// The rows of R in A P = Q R, with columns in this order; the largest of those left comes next. `columns` are those of A.
Vectors triangle(Vectors columns, std::size_t rows, std::vector<std::size_t>& order) {
  const std::size_t n = columns.size(), steps = std::min(rows, n);
  for (std::size_t j = 0; j < steps; ++j) {
    std::size_t largest = j;
    double most = -1;
    for (std::size_t k = j; k < n; ++k)
      if (const double size = product(columns[k].data() + j, columns[k].data() + j, rows - j); size > most)
        std::tie(most, largest) = std::pair(size, k);
    std::swap(columns[j], columns[largest]);
    std::swap(order[j], order[largest]);
    const std::vector<double> u = reflection(columns[j], j);
    for (std::size_t k = j; k < n; ++k) reflect(u, j, columns[k]);
    std::fill(columns[j].begin() + static_cast<std::ptrdiff_t>(j + 1), columns[j].end(), 0.0);
  }
  Vectors R(steps, std::vector<double>(n));
  for (std::size_t j = 0; j < steps; ++j)
    for (std::size_t k = 0; k < n; ++k) R[j][k] = columns[k][j];
  return R;
}

// Rotates pairs of vectors until all are orthogonal.
void make_orthogonal(Vectors& vectors) {
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (std::size_t i = 0; i + 1 < vectors.size(); ++i)
      for (std::size_t j = i + 1; j < vectors.size(); ++j) {
        double *a = vectors[i].data(), *b = vectors[j].data();
        const std::size_t count = vectors[i].size();
        const double ii = product(a, a, count), jj = product(b, b, count), ij = product(a, b, count);
        if (ij == 0 || std::abs(ij) <= kOrthogonal * std::sqrt(ii) * std::sqrt(jj)) continue;
        rotated = true;
        const double zeta = (jj - ii) / (2 * ij);
        const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(1, zeta));
        const double c = 1 / std::hypot(1, t), s = c * t;
        for (std::size_t r = 0; r < count; ++r) {
          const double x = a[r], y = b[r];
          a[r] = c * x - s * y;
          b[r] = s * x + c * y;
        }
      }
  }
}

// Adds unit vectors that are orthogonal to these orthonormal ones and to each other, until there are as many as entries.
void complete(Vectors& vectors, std::size_t entries) {
  const std::size_t given = vectors.size();
  Vectors reflections, images = vectors;
  for (std::size_t j = 0; j < given; ++j) {
    reflections.push_back(reflection(images[j], j));
    for (std::size_t k = j + 1; k < given; ++k) reflect(reflections.back(), j, images[k]);
  }
  for (std::size_t k = given; k < entries; ++k) {
    std::vector<double>& one = vectors.emplace_back(entries, 0.0);
    one[k] = 1;
    for (std::size_t j = given; j-- > 0;) reflect(reflections[j], j, one);
  }
}

}  // namespace

ColumnSvd column_svd(const std::vector<double>& A, std::size_t rows, std::size_t columns) {
  Vectors of_A(columns, std::vector<double>(rows));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < columns; ++k) of_A[k][r] = A[r * columns + k];
  std::vector<std::size_t> place(columns);
  std::iota(place.begin(), place.end(), 0);
  Vectors found = triangle(std::move(of_A), rows, place);
  make_orthogonal(found);
  const auto size_of = [](const std::vector<double>& vector) { return length(vector.data(), vector.size()); };
  std::ranges::stable_sort(found, std::greater<>(), size_of);
  ColumnSvd svd{{}, std::vector<double>(columns * columns)};
  for (const std::vector<double>& vector : found) svd.singular.push_back(size_of(vector));
  while (!svd.singular.empty() && svd.singular.back() == 0) svd.singular.pop_back(), found.pop_back();
  for (std::size_t j = 0; j < found.size(); ++j)
    for (double& entry : found[j]) entry /= svd.singular[j];
  complete(found, columns);
  svd.singular.resize(columns, 0.0);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t k = 0; k < columns; ++k) svd.V[place[k] * columns + j] = found[j][k];
  return svd;
}

}  // namespace dalembert::fitting

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/null_space.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dalembert {
namespace {

std::size_t largest(const std::vector<double>& row) {
  const auto place =
      std::ranges::max_element(row, [](double a, double b) { return std::abs(a) < std::abs(b); }) - row.begin();
  return static_cast<std::size_t>(place);
}

// row -= factor * other
void subtract(std::vector<double>& row, double factor, const std::vector<double>& other) {
  if (factor == 0) return;
  for (std::size_t k = 0; k < row.size(); ++k) row[k] -= factor * other[k];
}

void scale(std::vector<double>& row, double factor) {
  for (double& x : row) x *= factor;
}

}  // namespace

bool is_sound(const std::vector<double>& row, double size) {
  for (const double x : row) {
    if (!std::isfinite(x)) return false;
    size = std::max(size, std::abs(x));
  }
  return size == 0 || std::isnormal(size);
}

bool NullSpace::add(std::vector<double> row, double size) {
  if (row.empty()) return false;
  if (!is_sound(row, size)) return false;
  size = std::max(size, std::abs(row[largest(row)]));
  if (size == 0) return false;
  scale(row, 1 / size);
  for (const Row& known : rows_) subtract(row, row[known.pivot], known.value);
  const std::size_t pivot = largest(row);
  if (std::abs(row[pivot]) < kNullTolerance) return false;
  for (const Row& known : rows_) row[known.pivot] = 0;
  scale(row, 1 / row[pivot]);
  for (Row& known : rows_) {
    subtract(known.value, known.value[pivot], row);
    known.value[pivot] = 0;
  }
  rows_.push_back({pivot, std::move(row)});
  return true;
}

std::vector<std::vector<double>> NullSpace::basis() const {
  std::vector<bool> is_pivot(columns_);
  for (const Row& row : rows_) is_pivot[row.pivot] = true;
  std::vector<std::vector<double>> vectors;
  for (std::size_t free = 0; free < columns_; ++free) {
    if (is_pivot[free]) continue;
    std::vector<double>& x = vectors.emplace_back(columns_);
    x[free] = 1;
    for (const Row& row : rows_) x[row.pivot] = -row.value[free];
  }
  return vectors;
}

void reduce(std::vector<std::vector<double>>& vectors) {
  if (vectors.empty()) return;
  for (std::vector<double>& x : vectors) scale(x, 1 / std::abs(x[largest(x)]));
  std::size_t done = 0;
  for (std::size_t column = 0; column < vectors[0].size() && done < vectors.size(); ++column) {
    std::size_t best = done;
    for (std::size_t i = done; i < vectors.size(); ++i)
      if (std::abs(vectors[i][column]) > std::abs(vectors[best][column])) best = i;
    if (std::abs(vectors[best][column]) < kNullTolerance) continue;
    std::swap(vectors[done], vectors[best]);
    scale(vectors[done], 1 / vectors[done][column]);
    for (std::size_t i = 0; i < vectors.size(); ++i)
      if (i != done) subtract(vectors[i], vectors[i][column], vectors[done]);
    ++done;
  }
}

}  // namespace dalembert

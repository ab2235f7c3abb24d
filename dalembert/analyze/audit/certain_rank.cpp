// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/certain_rank.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace dalembert {
namespace {

constexpr int kMatrixPoints = 16;

using IntervalRows = std::vector<std::vector<Interval>>;

std::optional<IntervalRows> enclosed(const std::vector<std::vector<Expr>>& rows, const EnclosedPoint& point) {
  IntervalRows bounds;
  for (const auto& row : rows) {
    bounds.emplace_back();
    for (const Expr& entry : row) {
      const MaybeInterval value = enclose(entry, point);
      if (!value) return std::nullopt;
      bounds.back().push_back(*value);
    }
  }
  return bounds;
}

// The smallest magnitude in the interval; 0 where it contains 0.
double least(const Interval& a) { return a.contains_zero() ? 0 : std::min(std::abs(a.lower), std::abs(a.upper)); }

// Subtracts factor times the row `from` from the row `to`, from column k on; false where there are no finite bounds.
bool subtract(std::vector<Interval>& to, const std::vector<Interval>& from, const Interval& factor, std::size_t k) {
  for (std::size_t j = k; j < to.size(); ++j) {
    const MaybeInterval product = factor * from[j];
    const MaybeInterval left = product ? to[j] - *product : std::nullopt;
    if (!left) return false;
    to[j] = *left;
  }
  return true;
}

// The number of pivots that are certainly not 0 in an elimination with the largest pivots: their product is a minor.
int pivots(IntervalRows a) {
  const std::size_t m = a.size(), n = a.empty() ? 0 : a[0].size();
  for (std::size_t k = 0; k < std::min(m, n); ++k) {
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < m; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (least(a[i][j]) > least(a[row][column])) row = i, column = j;
    if (least(a[row][column]) == 0) return static_cast<int>(k);
    std::swap(a[row], a[k]);
    for (auto& each : a) std::swap(each[column], each[k]);
    const MaybeInterval inverse_pivot = inverse(a[k][k]);
    for (std::size_t i = k + 1; i < m; ++i) {
      const MaybeInterval factor = inverse_pivot ? a[i][k] * *inverse_pivot : std::nullopt;
      if (!factor || !subtract(a[i], a[k], *factor, k)) return static_cast<int>(k) + 1;
    }
  }
  return static_cast<int>(std::min(m, n));
}

}  // namespace

int certain_rank(const std::vector<std::vector<Expr>>& rows, GivenPoints& points, int enough) {
  int best = 0;
  for (int i = 0; i < kMatrixPoints && best < enough; ++i) {
    const EnclosedPoint point = points.next();
    if (const auto bounds = enclosed(rows, point)) best = std::max(best, pivots(*bounds));
  }
  return best;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Vectors that many rows of numbers are orthogonal to, as the rows come in.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// What is left of a row, relative to its size, where it tells nothing new but round-off.
inline constexpr double kNullTolerance = 1e-8;

/// Whether a row of numbers of this size (see NullSpace::add) tells something for certain: it is finite, and 0 or large enough for 1 to be
/// divided by it.
bool is_sound(const std::vector<double>& row, double size);

/// { x : row · x = 0 for every row added }, by Gaussian elimination with the largest pivot of each row.
class NullSpace {
 public:
  explicit NullSpace(std::size_t columns) : columns_(columns) {}
  /// Whether the row told anything new; none does that is not sound. `size`: of the terms that its entries are sums of, where they may cancel.
  /// O(rank · columns).
  bool add(std::vector<double> row, double size = 0);
  std::size_t dimension() const { return columns_ - rows_.size(); }
  /// One vector a free column.
  std::vector<std::vector<double>> basis() const;

 private:
  struct Row {
    std::size_t pivot;
    std::vector<double> value;  // 1 at the pivot, 0 at the others'
  };
  std::size_t columns_;
  std::vector<Row> rows_;
};

/// The same span, each vector 1 at a column of its own where the others are 0; the columns are the earliest possible,
/// ascending.
void reduce(std::vector<std::vector<double>>& vectors);

}  // namespace dalembert

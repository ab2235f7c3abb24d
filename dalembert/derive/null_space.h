// SPDX-License-Identifier: Apache-2.0
// The null space of a matrix of numbers whose rows are added one by one.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// A row whose entries fall below this fraction of its size during elimination depends on the rows before; the rest is
/// round-off.
inline constexpr double kNullTolerance = 1e-8;

/// Whether a row can be used: its entries are finite, and its size (see NullSpace::add) is 0 or large enough to divide 1 by it.
bool is_sound(const std::vector<double>& row, double size);

/// The null space { x : row · x = 0 for every row added }, by Gaussian elimination with the largest pivot of each row.
class NullSpace {
 public:
  explicit NullSpace(std::size_t columns) : columns_(columns) {}
  /// Adds a row. Returns whether it was independent of the rows before; a row that is not sound (is_sound) is ignored.
  /// `size`: magnitude of the terms whose sums are the entries, where these terms may cancel. O(rank · columns).
  bool add(std::vector<double> row, double size = 0);
  std::size_t dimension() const { return columns_ - rows_.size(); }
  /// A basis of the null space, one vector for each column without a pivot.
  std::vector<std::vector<double>> basis() const;

 private:
  struct Row {
    std::size_t pivot;
    std::vector<double> value;  // entries of the row: 1 at its pivot, 0 at the pivots of other rows
  };
  std::size_t columns_;
  std::vector<Row> rows_;
};

/// Brings the vectors to reduced echelon form: the span stays, each vector is 1 in a column where all others are 0, and
/// these columns are the earliest possible, ascending.
void reduce(std::vector<std::vector<double>>& vectors);

}  // namespace dalembert

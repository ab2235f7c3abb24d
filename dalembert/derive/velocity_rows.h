// SPDX-License-Identifier: Apache-2.0
// Rows of coefficients of the velocities: their products with the velocities, and which rows are linearly independent.
// Independence is tested at random points with the model's own parameters.
#pragma once

#include <span>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// Appends an entry; there must be none at its place yet.
void add_entry(SparseMatrix& matrix, int row, int col, const Expr& value);

/// Row r of A x; null where x is empty.
Expr row_times(const SparseMatrix& A, int r, std::span<const Expr> x);
/// Entry c of Aᵀx; null where x is empty.
Expr column_times(const SparseMatrix& A, int c, std::span<const Expr> x);
/// Row j of W v + a, which is 0 on the constraints; built in the graph of the equations.
Expr velocity_of_row(const Equations& equations, int j);

/// The rows `wanted` of a matrix as dense rows; null entries are 0.
std::vector<std::vector<Expr>> rows_of(const SparseMatrix& matrix, const std::vector<int>& wanted);

/// Indices of independent rows of W, ascending, tested at random coordinates. Of dependent rows the earlier ones are kept.
std::vector<int> independent_rows(const Equations& equations);

/// Tests whether rows are linearly independent of given rows and of each other.
class RandomRows {
 public:
  using Row = std::vector<Expr>;
  /// `first`: the given rows, which are independent.
  RandomRows(const Equations& equations, std::vector<Row> first);
  /// Whether these rows are independent of each other and of the given first ones.
  bool independent(const std::vector<Row>& rows) const;
  /// Whether these rows are independent and, with the given first ones, as many as there are velocities.
  bool complete(const std::vector<Row>& rows) const;
  /// For each of `rows`: whether it follows from the first rows and from the rows before it.
  std::vector<bool> dependent(const std::vector<Row>& rows) const;

 private:
  std::vector<std::vector<double>> values(const std::vector<Row>& rows, unsigned point) const;

  const Equations& eq_;
  std::vector<Row> first_;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Rows of coefficients of the velocities: what they are times the velocities, and which of them are independent, told at
// random points with the model's own parameters.
#pragma once

#include <span>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// One more entry, which is not there yet.
void add_entry(SparseMatrix& matrix, int row, int col, const Expr& value);

/// Row r of A x; null where x is empty.
Expr row_times(const SparseMatrix& A, int r, std::span<const Expr> x);
/// Entry c of Aᵀx; null where x is empty.
Expr column_times(const SparseMatrix& A, int c, std::span<const Expr> x);
/// Row j of W v + a, which is 0 on the constraints; built in the graph of the equations.
Expr velocity_of_row(const Equations& equations, int j);

/// Rows `wanted` of a matrix, dense; null: 0.
std::vector<std::vector<Expr>> rows_of(const SparseMatrix& matrix, const std::vector<int>& wanted);

/// Rows of W, ascending, that are independent where the coordinates are at random, earlier ones first.
std::vector<int> independent_rows(const Equations& equations);

/// Rows with given ones before them.
class RandomRows {
 public:
  using Row = std::vector<Expr>;
  /// `first`: rows that are independent.
  RandomRows(const Equations& equations, std::vector<Row> first);
  /// Whether these are independent of each other and of the first ones.
  bool independent(const std::vector<Row>& rows) const;
  /// Whether they are, and as many as there are velocities together.
  bool complete(const std::vector<Row>& rows) const;
  /// Which of `rows`, one after the other, follow from those before; the first ones are before all.
  std::vector<bool> dependent(const std::vector<Row>& rows) const;

 private:
  std::vector<std::vector<double>> values(const std::vector<Row>& rows, unsigned point) const;

  const Equations& eq_;
  std::vector<Row> first_;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Determinants of small matrices of formulas, and solutions of linear equations by Cramer's rule.
//
// W x = r  gives  x_i = det(W with column i replaced by r) / det W.  The only division is the last one, so that no pivot
// can make short formulas long. A minor is computed once for each set of columns; a sparse matrix has few nonzero minors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dalembert/derive/short_forms.h"

namespace dalembert {

/// The minors of a matrix of formulas with at most 60 columns; null entries are 0.
class Minors {
 public:
  Minors(ShortForms& forms, std::vector<std::vector<Expr>> rows);
  /// Determinant of all rows and the given columns, taken in ascending order; null where it is 0.
  Expr determinant(const std::vector<int>& columns);

 private:
  Expr below(std::size_t row, std::uint64_t columns);

  ShortForms& forms_;
  std::vector<std::vector<Expr>> rows_;
  std::unordered_map<std::uint64_t, Expr> known_;  // minors by their columns; the number of columns determines the rows
};

/// The solution x[k] of W x = right[k] for each k (null entries are 0), and det W, null where W is singular everywhere. W is n×n.
struct CramerSolution {
  Expr determinant;
  std::vector<std::vector<Expr>> x;
};
CramerSolution solve_by_minors(ShortForms& forms, const std::vector<std::vector<Expr>>& W,
                               const std::vector<std::vector<Expr>>& right);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// A = LDLᵀ of a sparse symmetric quasidefinite matrix in an order given beforehand: no pivoting, no fill but the
// planned one. Left-looking by columns; O(plan.operations) each time. Source: T. Davis, Direct Methods for Sparse
// Linear Systems, SIAM 2006, ch. 4.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/elimination_order.h"

namespace dalembert {

class SparseLdlt {
 public:
  /// Entries (row[k], col[k]) of one triangle, or of both: of a pair, the one that comes last counts. The plan must
  /// couple them.
  SparseLdlt(const Elimination& plan, const std::vector<int>& row, const std::vector<int>& col);

  /// values[k] belongs to (row[k], col[k]).
  void factor(const std::vector<double>& values);
  /// Pivot of unknown i; the factors are of no use where one is 0 or not finite.
  double pivot(int i) const { return D_[static_cast<std::size_t>(position_[static_cast<std::size_t>(i)])]; }
  /// b ← A⁻¹ b
  void solve(std::vector<double>& b);

 private:
  std::vector<int> order_, position_;
  std::vector<std::size_t> begin_;  // of each column of L, in the order of elimination
  std::vector<int> row_;            // positions, ascending in each column
  std::vector<std::size_t> slot_;   // of each entry: in L_, or L_.size() + column on the diagonal
  std::vector<double> L_, D_, x_;
  // While factoring: the columns whose next entry is in a row, as linked lists, and where that entry is.
  std::vector<int> first_, next_;
  std::vector<std::size_t> entry_;
};

}  // namespace dalembert

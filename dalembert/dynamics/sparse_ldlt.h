// SPDX-License-Identifier: Apache-2.0
// A = LDLᵀ of a sparse symmetric quasidefinite matrix, in a given elimination order: no pivoting, and only the fill-in
// that the plan contains. Left-looking by columns; O(plan.operations) each time. Source: T. Davis, Direct Methods for
// Sparse Linear Systems, SIAM 2006, ch. 4.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/elimination_order.h"

namespace dalembert {

class SparseLdlt {
 public:
  /// The entries are (row[k], col[k]), of one triangle or of both. If both entries of a symmetric pair are listed, the
  /// later one counts. The plan must couple the unknowns of each entry.
  SparseLdlt(const Elimination& plan, const std::vector<int>& row, const std::vector<int>& col);

  /// Factors A, where values[k] is the entry (row[k], col[k]).
  void factor(const std::vector<double>& values);
  /// Pivot of unknown i. The factors are unusable if a pivot is 0 or not finite.
  double pivot(int i) const { return D_[static_cast<std::size_t>(position_[static_cast<std::size_t>(i)])]; }
  /// b ← A⁻¹ b
  void solve(std::vector<double>& b);

 private:
  std::vector<int> order_, position_;
  std::vector<std::size_t> begin_;  // start of each column of L, in the order of elimination
  std::vector<int> row_;            // row of each entry of L, as a position in the order; ascending in each column
  // For each entry of A: its index in L_, or L_.size() + column if it is on the diagonal.
  std::vector<std::size_t> slot_;
  std::vector<double> L_, D_, x_;
  // During factor(): for each row, a linked list of the columns whose next entry is in
  // that row, and that entry's index.
  std::vector<int> first_, next_;
  std::vector<std::size_t> entry_;
};

}  // namespace dalembert

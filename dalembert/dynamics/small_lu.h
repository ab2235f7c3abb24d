// SPDX-License-Identifier: Apache-2.0
// Solves A x = b for small dense matrices, repeatedly for the same size.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// A = P⁻¹ L U with partial pivoting; entries are compared relative to the largest in their row, so that the units of
/// rows do not affect the choice of pivots. Only resize() allocates. Source: Golub & Van Loan, 4th ed., §3.4.
class SmallLu {
 public:
  void resize(std::size_t n);
  std::size_t size() const { return n_; }
  double& operator()(std::size_t i, std::size_t j) { return A_[i * n_ + j]; }
  void clear();
  /// False where a pivot is not finite, or at most `singular` times the largest entry of its row.
  bool factor(double singular = 0);
  /// After factor(): the smallest ratio of a pivot to the largest entry of its row.
  double least_pivot() const { return least_pivot_; }
  /// After factor(): the sign of the determinant, ±1.
  int sign() const { return sign_; }
  double log_determinant() const;  ///< log |det A|, after factor()
  /// After factor(): the smallest ratio of a pivot to the given size of its row (n sizes). It tells how far A is from
  /// singular.
  double least_pivot(const double* sizes) const;
  void solve(double* b) const;             ///< b ← A⁻¹ b
  void solve_transposed(double* b) const;  ///< b ← A⁻ᵀ b

 private:
  std::size_t n_ = 0;
  int sign_ = 1;
  double least_pivot_ = 1;
  std::vector<double> A_, scale_;
  std::vector<std::size_t> swapped_, row_;  // row_: the original index of each row after the swaps
};

}  // namespace dalembert

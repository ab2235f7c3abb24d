// SPDX-License-Identifier: Apache-2.0
// A x = b of small dense matrices, again and again of one size.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// A = P⁻¹ L U with partial pivoting; rows count by their largest entries, so that their units choose no pivots. Memory
/// is taken by resize() alone. Source: Golub & Van Loan, 4th ed., §3.4.
class SmallLu {
 public:
  void resize(std::size_t n);
  std::size_t size() const { return n_; }
  double& operator()(std::size_t i, std::size_t j) { return A_[i * n_ + j]; }
  void clear();
  /// False where a pivot is not finite, or at most `singular` of its row's largest entry.
  bool factor(double singular = 0);
  /// The smallest pivot, as a part of its row's largest entry; after factor().
  double least_pivot() const { return least_pivot_; }
  /// Of the determinant, after factor(): ±1.
  int sign() const { return sign_; }
  double log_determinant() const;  ///< log |det A|, after factor()
  /// The smallest pivot relative to the size that is given for its row (n), after factor(): how far A is from singular.
  double least_pivot(const double* sizes) const;
  void solve(double* b) const;             ///< b ← A⁻¹ b
  void solve_transposed(double* b) const;  ///< b ← A⁻ᵀ b

 private:
  std::size_t n_ = 0;
  int sign_ = 1;
  double least_pivot_ = 1;
  std::vector<double> A_, scale_;
  std::vector<std::size_t> swapped_, row_;  // row_: which row of A is now the k-th
};

}  // namespace dalembert

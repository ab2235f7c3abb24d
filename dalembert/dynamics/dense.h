// SPDX-License-Identifier: Apache-2.0
// The two dense factorisations that the KKT solve uses. Only resize() allocates memory.
#pragma once

#include <span>
#include <vector>

namespace dalembert {

/// A = LDLᵀ of a symmetric positive definite matrix without pivoting, within its skyline (entries beyond the last
/// non-zero of each row cost nothing, so a chain's matrix costs O(n)·band²).
///
/// The ratio (pivot / diagonal entry) is the squared sine, in the metric of A, of the angle between a coordinate
/// direction and the ones before it. It does not change with units, so rank decisions use it.
/// Source: Golub & Van Loan, Matrix Computations, 4th ed., §4.1.2 and §4.3.
class SkylineLdlt {
 public:
  void resize(int n);
  int size() const { return n_; }
  /// Row i of A; factor() reads the entries j >= i; the others are neither read nor written.
  double* row(int i) { return A_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n_); }
  const double* row(int i) const { return A_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n_); }
  /// Sets the upper triangle to zero.
  void clear();

  /// Factors in place. Returns the smallest ratio pivot / diagonal; a value that is not positive (or NaN) means that A
  /// is not numerically positive definite, and the factors must not be used.
  double factor();
  double inverse_pivot(int k) const { return inverse_[static_cast<std::size_t>(k)]; }

  /// b ← L⁻¹ b
  void solve_forward(double* b) const;
  /// B ← L⁻¹ B for a row-major n×cols matrix.
  void solve_forward(double* B, int cols) const;
  /// b ← L⁻ᵀ D⁻¹ b
  void solve_backward(double* b) const;

 private:
  int n_ = 0;
  std::vector<double> A_, inverse_;
  std::vector<int> end_;  // for each row of A: 1 + the column of its last non-zero
};

/// A P = Q R by Householder reflections, with or without column pivoting; A is rows×cols, stored by columns.
/// With pivoting |R₀₀| >= |R₁₁| >= …, which reveals the rank. Source: Golub & Van Loan, 4th ed., §5.2.1 and §5.4.2.
class HouseholderQr {
 public:
  void resize(int rows, int cols);  ///< keeps the memory when the matrix gets smaller
  double* column(int j) { return A_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(rows_); }
  const double* column(int j) const {
    return A_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(rows_);
  }

  /// Factors with column pivoting and returns the rank. Stops after `max_rank` steps, or when the remaining part of
  /// each column has at most `tolerance` times the norm of the largest column of A.
  int factor_pivoted(double tolerance, int max_rank);
  /// The same, but prefers columns of large `weight` (one for each column of A) among those whose remaining part is not
  /// smaller by more than the factor `part` than the largest one.
  int factor_pivoted(double tolerance, int max_rank, const double* weight, double part);
  /// Factors without pivoting, in all min(rows, cols) steps.
  void factor();

  int rank() const { return rank_; }
  /// The column of A that pivoting moved to place j.
  int pivot(int j) const { return pivot_[static_cast<std::size_t>(j)]; }
  double R(int i, int j) const { return column(j)[i]; }  ///< entry of R, for i <= j and i < rank()
  void apply_Qt(double* b) const;                        ///< b ← Qᵀ b, b of length rows
  void apply_Q(double* b) const;                         ///< b ← Q b
  /// S ← Qᵀ S Q for a symmetric rows×rows matrix (both halves stored); `temporary` holds `rows` numbers.
  void apply_congruence(double* S, double* temporary) const;

 private:
  void reflect(int k);
  void note_places(int k);
  std::span<const int> places(int k) const {
    return {places_.data() + place_[static_cast<std::size_t>(k)],
            places_.data() + place_[static_cast<std::size_t>(k) + 1]};
  }
  bool apply(int k, double* b) const;  // b ← H_k b; true if b changed

  int rows_ = 0, cols_ = 0, rank_ = 0;
  std::vector<double> A_, tau_;
  std::vector<double> left_;  // squared norm of the remaining part of each column; −1: out of date
  std::vector<int> pivot_;
  // For large matrices: indices of the non-zero entries in the tail of each Householder vector v, one list after the
  // other. The list of vector k starts at place_[k]. It is empty for a vector with many non-zeros.
  std::vector<int> places_;
  std::vector<std::size_t> place_;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Dense matrices of moderate size and the operations that a linearisation needs. Functions that
// decide a rank expect rows and columns in comparable units.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "dalembert/analyze/linear_motion.h"

namespace dalembert {

Matrix operator*(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
/// The block of rows [row, row + rows) and columns [column, column + cols).
Matrix block(const Matrix& a, std::size_t row, std::size_t column, std::size_t rows, std::size_t cols);
/// The largest magnitude; NaN where an entry is.
double largest(const Matrix& a);
/// The rows and columns `kept` of a square matrix.
Matrix principal(const Matrix& a, const std::vector<std::size_t>& kept);
/// The finest parts of the rows of a square matrix between which all entries are exactly 0, each in ascending order: what is small in one of them is not
/// compared with what is large in another.
std::vector<std::vector<std::size_t>> independent_parts(const Matrix& a);

/// A pivot below this fraction of the largest one counts as zero.
inline constexpr double kMatrixRank = 1e-10;

/// The X of least norm that minimises ‖A X − B‖, by complete orthogonal decomposition.
Matrix solve_least(const Matrix& a, const Matrix& b, double tolerance = kMatrixRank);
/// Independent columns of A of which all others are combinations, by pivoted QR. There are rank A of them, the largest first.
std::vector<std::size_t> pivot_columns(const Matrix& a, double tolerance = kMatrixRank);
/// Orthonormal columns that span { x : A x = 0 }. Singular values below `tolerance` times the largest, or times `size`
/// where that is larger, count as 0.
Matrix null_space(const Matrix& a, double tolerance, double size = 0);

/// The largest and the smallest singular value of A. A has one for each column; with fewer rows than columns the smallest is 0.
struct SingularRange {
  double largest = 0, smallest = 0;
};
SingularRange singular_range(const Matrix& a);

/// The diagonal of D, powers of two, with which the rows and columns of D⁻¹ A D have about the same norm. Source: E. E.
/// Osborne, J. ACM 7 (1960) 338.
std::vector<double> balance(const Matrix& a);
/// D⁻¹ A D with D diagonal.
Matrix scaled(Matrix a, const std::vector<double>& d);

struct Eigenpairs {
  std::vector<std::complex<double>> value;
  std::vector<std::vector<std::complex<double>>> vector;  ///< eigenvectors, each of norm 1
};
/// The eigenvalues and eigenvectors of a square matrix with finite entries. Conjugate pairs are exact conjugates, and neighbours.
Eigenpairs eigenpairs(const Matrix& a);

}  // namespace dalembert

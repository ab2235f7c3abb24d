// SPDX-License-Identifier: Apache-2.0
// Dense matrices of moderate size and what a linearisation asks of them. Inside analyze only; what decides a rank takes
// columns and rows whose units were made comparable before.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace dalembert {

/// rows × cols numbers, row by row.
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<double> entries;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), entries(r * c) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[i * cols + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries[i * cols + j]; }
};

Matrix operator*(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
/// Rows [row, row + rows) and columns likewise.
Matrix block(const Matrix& a, std::size_t row, std::size_t column, std::size_t rows, std::size_t cols);
/// The largest magnitude; NaN where an entry is.
double largest(const Matrix& a);

/// Below this a pivot counts as zero, relative to the largest one.
inline constexpr double kMatrixRank = 1e-10;

/// min ‖A X − B‖, of all those the X of least norm: complete orthogonal decomposition.
Matrix solve_least(const Matrix& a, const Matrix& b, double tolerance = kMatrixRank);
/// Columns of A that all others are combinations of, by pivoted QR: as many as its rank, the largest first.
std::vector<std::size_t> pivot_columns(const Matrix& a, double tolerance = kMatrixRank);
/// Orthonormal columns that span { x : A x = 0 }, by singular values relative to the largest, or to `size` where that is
/// larger.
Matrix null_space(const Matrix& a, double tolerance, double size = 0);

/// The largest and the smallest of as many singular values as A has columns; those that rows are missing for are 0.
struct SingularRange {
  double largest = 0, smallest = 0;
};
SingularRange singular_range(const Matrix& a);

/// D with D⁻¹ A D of rows and columns of about the same norm: powers of two. Source: E. E. Osborne, J. ACM 7 (1960) 338.
std::vector<double> balance(const Matrix& a);

struct Eigenpairs {
  std::vector<std::complex<double>> value;
  std::vector<std::vector<std::complex<double>>> vector;  ///< of norm 1
};
/// Of a square matrix of finite entries. Conjugates are exact conjugates of each other, neighbours.
Eigenpairs eigenpairs(const Matrix& a);

}  // namespace dalembert

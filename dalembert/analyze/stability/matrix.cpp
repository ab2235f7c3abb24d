// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/matrix.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace dalembert {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> view(const Matrix& a) {
  return {a.entries.data(), static_cast<Eigen::Index>(a.rows), static_cast<Eigen::Index>(a.cols)};
}

Matrix copy(const RowMajor& a) {
  Matrix matrix(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()));
  std::copy_n(a.data(), a.size(), matrix.entries.begin());
  return matrix;
}

bool is_empty(const Matrix& a) { return a.rows == 0 || a.cols == 0; }

}  // namespace

Matrix operator*(const Matrix& a, const Matrix& b) {
  if (is_empty(a) || is_empty(b)) return {a.rows, b.cols};
  return copy(view(a) * view(b));
}

Matrix transposed(const Matrix& a) {
  Matrix t(a.cols, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) t(j, i) = a(i, j);
  return t;
}

Matrix block(const Matrix& a, std::size_t row, std::size_t column, std::size_t rows, std::size_t cols) {
  Matrix part(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) part(i, j) = a(row + i, column + j);
  return part;
}

double largest(const Matrix& a) {
  double most = 0;
  for (const double x : a.entries) {
    if (std::isnan(x)) return x;
    most = std::max(most, std::abs(x));
  }
  return most;
}

Matrix principal(const Matrix& a, const std::vector<std::size_t>& kept) {
  Matrix part(kept.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (std::size_t j = 0; j < kept.size(); ++j) part(i, j) = a(kept[i], kept[j]);
  return part;
}

std::vector<std::vector<std::size_t>> independent_parts(const Matrix& a) {
  std::vector<std::vector<std::size_t>> parts;
  std::vector<bool> taken(a.rows);
  for (std::size_t first = 0; first < a.rows; ++first) {
    if (taken[first]) continue;
    taken[first] = true;
    std::vector<std::size_t>& part = parts.emplace_back(1, first);
    for (std::size_t k = 0; k < part.size(); ++k)
      for (std::size_t j = 0; j < a.rows; ++j) {
        if (taken[j] || (a(part[k], j) == 0 && a(j, part[k]) == 0)) continue;
        taken[j] = true;
        part.push_back(j);
      }
    std::ranges::sort(part);
  }
  return parts;
}

Matrix solve_least(const Matrix& a, const Matrix& b, double tolerance) {
  if (is_empty(a) || is_empty(b)) return {a.cols, b.cols};
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
  factors.setThreshold(tolerance);
  factors.compute(view(a));
  return copy(factors.solve(view(b)));
}

std::vector<std::size_t> pivot_columns(const Matrix& a, double tolerance) {
  if (is_empty(a)) return {};
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors;
  factors.setThreshold(tolerance);
  factors.compute(view(a));
  std::vector<std::size_t> columns;
  for (Eigen::Index k = 0; k < factors.rank(); ++k)
    columns.push_back(static_cast<std::size_t>(factors.colsPermutation().indices()(k)));
  return columns;
}

namespace {

// The matrix with rows of zeros added, so that it has at least as many rows as columns: each column has a singular
// value, and V is complete.
Eigen::MatrixXd filled(const Matrix& a) {
  Eigen::MatrixXd all =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(std::max(a.rows, a.cols)), static_cast<Eigen::Index>(a.cols));
  if (a.rows > 0) all.topRows(static_cast<Eigen::Index>(a.rows)) = view(a);
  return all;
}

// From this number of columns on, singular values are found by divide and conquer. Jacobi rotations are more accurate
// for small singular values of badly scaled matrices, but take some hundred times as long at 300 columns.
constexpr std::size_t kManyColumns = 64;

template <class Svd>
Matrix null_space_by(const Svd& svd, double tolerance, double size) {
  const double limit = tolerance * std::max(size, svd.singularValues()(0));
  Eigen::Index rank = 0;
  while (rank < svd.singularValues().size() && svd.singularValues()(rank) > limit) ++rank;
  return copy(svd.matrixV().rightCols(svd.cols() - rank));
}

}  // namespace

Matrix null_space(const Matrix& a, double tolerance, double size) {
  if (a.cols == 0) return {0, 0};
  if (a.cols < kManyColumns)
    return null_space_by(Eigen::JacobiSVD<Eigen::MatrixXd>(filled(a), Eigen::ComputeThinV), tolerance, size);
  return null_space_by(Eigen::BDCSVD<Eigen::MatrixXd>(filled(a), Eigen::ComputeThinV), tolerance, size);
}

SingularRange singular_range(const Matrix& a) {
  if (a.cols == 0) return {};
  const auto range = [](const auto& values) { return SingularRange{values(0), values(values.size() - 1)}; };
  if (a.cols < kManyColumns) return range(Eigen::JacobiSVD<Eigen::MatrixXd>(filled(a)).singularValues());
  return range(Eigen::BDCSVD<Eigen::MatrixXd>(filled(a)).singularValues());
}

std::vector<double> balance(const Matrix& given) {
  Matrix a = given;
  const std::size_t n = a.rows;
  std::vector<double> d(n, 1.0);
  for (int sweep = 0; sweep < 100; ++sweep) {
    bool changed = false;
    for (std::size_t i = 0; i < n; ++i) {
      double row = 0, column = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        row += std::abs(a(i, j));
        column += std::abs(a(j, i));
      }
      if (!(row > 0) || !(column > 0) || !std::isfinite(row + column)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (!(column * factor + row / factor < 0.95 * (row + column))) continue;
      changed = true;
      d[i] *= factor;
      for (std::size_t j = 0; j < n; ++j) {
        a(i, j) /= factor;
        a(j, i) *= factor;
      }
    }
    if (!changed) break;
  }
  return d;
}

Matrix scaled(Matrix a, const std::vector<double>& d) {
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) a(i, j) *= d[j] / d[i];
  return a;
}

Eigenpairs eigenpairs(const Matrix& a) {
  Eigenpairs pairs;
  if (is_empty(a)) return pairs;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(view(a));
  if (solver.info() != Eigen::Success) return pairs;
  const auto vectors = solver.eigenvectors();
  for (Eigen::Index k = 0; k < solver.eigenvalues().size(); ++k) {
    pairs.value.push_back(solver.eigenvalues()(k));
    pairs.vector.emplace_back(vectors.col(k).begin(), vectors.col(k).end());
  }
  return pairs;
}

}  // namespace dalembert

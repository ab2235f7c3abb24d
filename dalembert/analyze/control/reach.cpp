// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/control/reach.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/analyze/stability/matrix.h"

namespace dalembert {
namespace {

using Dense = Eigen::MatrixXd;

constexpr double kReached = 1e-10;

// A basis of the directions in which `block` adds more than `size`·kReached to the span of `basis`.
Dense new_directions(const Dense& basis, Dense block, double size) {
  for (int twice = 0; twice < 2; ++twice)
    if (basis.cols() > 0) block -= basis * (basis.transpose() * block);
  const Eigen::JacobiSVD<Dense> svd(block, Eigen::ComputeThinU);
  Eigen::Index rank = 0;
  while (rank < svd.singularValues().size() && svd.singularValues()(rank) > kReached * size) ++rank;
  return svd.matrixU().leftCols(rank);
}

// Rows that span the same space, each with a 1 where the others have 0.
Dense reduced(Dense rows) {
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    Eigen::Index r = 0, c = 0;
    rows.bottomRows(rows.rows() - k).cwiseAbs().maxCoeff(&r, &c);
    rows.row(k).swap(rows.row(k + r));
    rows.row(k) /= rows(k, c);
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      if (i != k) rows.row(i) -= rows(i, c) * rows.row(k);
  }
  return rows;
}

HiddenMode hidden_mode(std::complex<double> eigenvalue, int order, Eigen::VectorXcd w) {
  Eigen::Index most = 0;
  w.cwiseAbs().maxCoeff(&most);
  w /= w(most);
  HiddenMode mode{eigenvalue, order, {}};
  for (Eigen::Index i = 0; i < w.size(); ++i) mode.direction.push_back(std::abs(w(i)) > 1e-9 ? w(i) : 0);
  return mode;
}

// The modes of w' = M w; `to_z` maps w to combinations of z. `size`: below a part of it entries are round-off.
std::vector<HiddenMode> modes_of(const Dense& M, const Dense& to_z, double size) {
  std::vector<HiddenMode> modes;
  // Eigenvalues 0 and their chains: w with M w = 0, M² w = 0, …, by ranks, for an eigenvalue in a chain of k is known to the kth root of round-off only.
  Dense power = Dense::Identity(M.rows(), M.cols()), known(0, to_z.rows());
  for (int order = 1; order <= M.rows(); ++order) {
    power = power * M / size;
    Eigen::FullPivLU<Dense> lu(power);
    lu.setThreshold(kReached / std::max(lu.maxPivot(), 1e-300));
    if (lu.maxPivot() > kReached && lu.rank() == M.rows()) break;
    const Dense kernel = lu.maxPivot() > kReached ? Dense(lu.kernel()) : Dense(Dense::Identity(M.rows(), M.cols()));
    if (kernel.cols() == known.rows()) break;
    // What is new in this order: the part of the kernel that is orthogonal to what is known.
    Dense rows = (to_z * kernel).transpose();
    const Dense before = known;
    if (before.rows() > 0) {
      const Dense q = Eigen::HouseholderQR<Dense>(before.transpose()).householderQ() *
                      Dense::Identity(before.cols(), before.rows());
      const Eigen::JacobiSVD<Dense> svd((rows - rows * q * q.transpose()).transpose(), Eigen::ComputeThinU);
      rows = svd.matrixU().leftCols(kernel.cols() - before.rows()).transpose();
    }
    known.resize(kernel.cols(), to_z.rows());
    known.topRows(before.rows()) = before;
    known.bottomRows(rows.rows()) = rows;
    const Dense shown = reduced(rows);
    for (Eigen::Index k = 0; k < shown.rows(); ++k)
      modes.push_back(hidden_mode(0, order, shown.row(k).transpose().cast<std::complex<double>>()));
  }
  const auto zeros = static_cast<std::size_t>(known.rows());
  const Eigen::EigenSolver<Dense> solver(M);
  std::vector<Eigen::Index> sorted(static_cast<std::size_t>(M.rows()));
  for (std::size_t k = 0; k < sorted.size(); ++k) sorted[k] = static_cast<Eigen::Index>(k);
  std::ranges::sort(sorted, {}, [&](Eigen::Index k) { return std::abs(solver.eigenvalues()(k)); });
  for (std::size_t k = zeros; k < sorted.size(); ++k) {
    const std::complex<double> eigenvalue = solver.eigenvalues()(sorted[k]);
    if (eigenvalue.imag() >= 0)
      modes.push_back(hidden_mode(eigenvalue, 1, to_z * solver.eigenvectors().col(sorted[k])));
  }
  return modes;
}

}  // namespace

Reach find_reach(const Matrix& A, const Matrix& B) {
  const auto n = static_cast<Eigen::Index>(A.rows), m = static_cast<Eigen::Index>(B.cols);
  const std::vector<double> scale = balance(A);
  Dense a(n, n), b(n, m);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (Eigen::Index j = 0; j < n; ++j)
      a(i, j) = A(r, static_cast<std::size_t>(j)) * scale[static_cast<std::size_t>(j)] / scale[r];
    for (Eigen::Index j = 0; j < m; ++j) b(i, j) = B(r, static_cast<std::size_t>(j)) / scale[r];
  }
  Dense basis(n, 0), front = m > 0 ? new_directions(basis, b, b.norm()) : Dense(n, 0);
  while (front.cols() > 0) {
    const Eigen::Index before = basis.cols();
    basis.conservativeResize(Eigen::NoChange, before + front.cols());
    basis.rightCols(front.cols()) = front;
    front = new_directions(basis, a * front, a.norm());
  }
  Reach reach;
  reach.reached = Matrix(A.rows, static_cast<std::size_t>(basis.cols()));
  // Orthonormal in the units of z.
  Dense in_z = basis;
  for (Eigen::Index i = 0; basis.cols() > 0 && i < n; ++i) in_z.row(i) *= scale[static_cast<std::size_t>(i)];
  if (basis.cols() > 0) in_z = Eigen::HouseholderQR<Dense>(in_z).householderQ() * Dense::Identity(n, basis.cols());
  for (std::size_t i = 0; i < reach.reached.rows; ++i)
    for (std::size_t j = 0; j < reach.reached.cols; ++j)
      reach.reached(i, j) = in_z(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  if (basis.cols() == n) return reach;
  // The complement: its rows follow a motion of their own.
  const Dense whole =
      basis.cols() > 0 ? Dense(Eigen::HouseholderQR<Dense>(basis).householderQ()) : Dense(Dense::Identity(n, n));
  const Dense rest = whole.rightCols(n - basis.cols());
  Dense to_z = rest;  // columns: w of z
  for (Eigen::Index i = 0; i < n; ++i) to_z.row(i) /= scale[static_cast<std::size_t>(i)];
  reach.hidden = modes_of((rest.transpose() * a * rest).transpose(), to_z, a.norm());
  return reach;
}

std::vector<HiddenMode> find_unseen(const Matrix& A, const Matrix& C) {
  return find_reach(transposed(A), transposed(C)).hidden;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/control/reach.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/analyze/control/dense.h"
#include "dalembert/analyze/stability/matrix.h"

namespace dalembert {
namespace {

using Dense = Eigen::MatrixXd;

// A singular value of the matrix of hidden modes counts as 0 below this part of it.
constexpr double kZero = 1e-10;
// An entry of a direction of length 1 is round-off below this.
constexpr double kNone = 4e-15;

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

HiddenMode hidden_mode(std::complex<double> eigenvalue, double size, int order, Eigen::VectorXcd w) {
  Eigen::Index most = 0;
  w.cwiseAbs().maxCoeff(&most);
  w /= w(most);
  HiddenMode mode{eigenvalue, size, order, {}};
  for (Eigen::Index i = 0; i < w.size(); ++i) mode.direction.push_back(std::abs(w(i)) > 1e-9 ? w(i) : 0);
  return mode;
}

// Columns that with those of `basis`, which are orthonormal, are a basis of everything.
Dense rest_of(const Dense& basis) {
  const Eigen::Index n = basis.rows();
  if (basis.cols() == 0) return Dense::Identity(n, n);
  return Dense(Eigen::HouseholderQR<Dense>(basis).householderQ()).rightCols(n - basis.cols());
}

// Adds the modes of w' = M w with the eigenvalue 0, and gives their number: w with M w = 0, M² w = 0, …, by ranks, for an eigenvalue in a chain of k is known
// to the kth root of round-off only.
Eigen::Index add_zero_modes(const Dense& M, const Dense& to_z, double size, std::vector<HiddenMode>& modes) {
  Dense known(0, to_z.rows()), beside = Dense::Identity(M.rows(), M.cols());
  for (int order = 1; beside.cols() > 0; ++order) {
    const Dense kernel = dense_of<Dense>(null_space(matrix(beside.transpose() * M * beside), kZero, size));
    if (kernel.cols() == 0) break;
    // What is new in this order: the part that is orthogonal to what is known.
    Dense rows = (to_z * beside * kernel).transpose();
    const Dense before = known;
    if (before.rows() > 0) {
      const Dense q = Eigen::HouseholderQR<Dense>(before.transpose()).householderQ() *
                      Dense::Identity(before.cols(), before.rows());
      const Eigen::JacobiSVD<Dense> svd((rows - rows * q * q.transpose()).transpose(), Eigen::ComputeThinU);
      rows = svd.matrixU().leftCols(kernel.cols()).transpose();
    }
    known.resize(before.rows() + rows.rows(), to_z.rows());
    known.topRows(before.rows()) = before;
    known.bottomRows(rows.rows()) = rows;
    const Dense shown = reduced(rows);
    for (Eigen::Index k = 0; k < shown.rows(); ++k)
      modes.push_back(hidden_mode(0, size, order, shown.row(k).transpose().cast<std::complex<double>>()));
    beside = (beside * rest_of(kernel)).eval();
  }
  return known.rows();
}

// The modes of w' = M w; `to_z` maps w to combinations of z. `size`: below a part of it entries are round-off.
std::vector<HiddenMode> modes_of(const Dense& M, const Dense& to_z, double size) {
  std::vector<HiddenMode> modes;
  const auto zeros = static_cast<std::size_t>(add_zero_modes(M, to_z, size, modes));
  const Eigen::EigenSolver<Dense> solver(M);
  std::vector<Eigen::Index> sorted(static_cast<std::size_t>(M.rows()));
  for (std::size_t k = 0; k < sorted.size(); ++k) sorted[k] = static_cast<Eigen::Index>(k);
  std::ranges::sort(sorted, {}, [&](Eigen::Index k) { return std::abs(solver.eigenvalues()(k)); });
  for (std::size_t k = zeros; k < sorted.size(); ++k) {
    const std::complex<double> eigenvalue = solver.eigenvalues()(sorted[k]);
    if (eigenvalue.imag() >= 0)
      modes.push_back(hidden_mode(eigenvalue, size, 1, to_z * solver.eigenvectors().col(sorted[k])));
  }
  return modes;
}

struct Staircase {
  Dense reached, rest;  // orthonormal columns, together a basis
  double lost = 0;      // the largest coupling from `reached` to `rest` that counted for zero
};

// Each step adds the directions in which inputs, or A of what the last step added, lead out of what is reached. Such a coupling is compared with the columns
// that it is a sum of: beside something fast, what is slow is reached all the same.
Staircase climb(const Dense& a, const Dense& b, double tolerance) {
  const Eigen::Index n = a.rows();
  const Eigen::RowVectorXd sizes = a.cwiseAbs().colwise().maxCoeff();
  Staircase stair{Dense(n, 0), Dense::Identity(n, n)};
  Dense block = b;
  Eigen::RowVectorXd against = b.colwise().norm();
  while (block.size() > 0) {
    const Eigen::JacobiSVD<Dense> svd(block, Eigen::ComputeThinU | Eigen::ComputeThinV);
    Dense turn(block.rows(), 0);
    for (Eigen::Index k = 0; k < svd.singularValues().size(); ++k) {
      const double coupling = svd.singularValues()(k);
      if (!(coupling > tolerance * (against * svd.matrixV().col(k).cwiseAbs())(0))) {
        stair.lost = std::max(stair.lost, coupling);
        continue;
      }
      turn.conservativeResize(Eigen::NoChange, turn.cols() + 1);
      turn.rightCols(1) = svd.matrixU().col(k);
    }
    if (turn.cols() == 0) break;
    // Round-off of a direction would lead on along what it does not contain.
    const Dense front = (stair.rest * turn).unaryExpr([](double x) { return std::abs(x) > kNone ? x : 0; });
    stair.reached.conservativeResize(Eigen::NoChange, stair.reached.cols() + front.cols());
    stair.reached.rightCols(front.cols()) = front;
    const Eigen::HouseholderQR<Dense> qr(turn);
    stair.rest.applyOnTheRight(qr.householderQ());
    stair.rest = stair.rest.rightCols(stair.rest.cols() - turn.cols()).eval();
    block = stair.rest.transpose() * (a * front);
    against = sizes * front.cwiseAbs();
  }
  return stair;
}

}  // namespace

Reach find_reach(const Matrix& A, const Matrix& B, double tolerance) {
  const auto n = static_cast<Eigen::Index>(A.rows), m = static_cast<Eigen::Index>(B.cols);
  const std::vector<double> scale = balance(A);
  const Eigen::Map<const Eigen::ArrayXd> d(scale.data(), n);
  Dense a = dense_of<Dense>(A), b = m > 0 ? dense_of<Dense>(B) : Dense(n, 0);
  a.array().colwise() /= d;
  a.array().rowwise() *= d.transpose();
  b.array().colwise() /= d;
  const Staircase stair = climb(a, b, tolerance);
  Reach reach;
  // Orthonormal in the units of z.
  Dense in_z = d.matrix().asDiagonal() * stair.reached;
  if (in_z.cols() > 0) in_z = Eigen::HouseholderQR<Dense>(in_z).householderQ() * Dense::Identity(n, in_z.cols());
  reach.reached = matrix(in_z);
  if (stair.rest.cols() == 0) return reach;
  // The complement: its rows follow a motion of their own. Where they combine states that move fast, round-off of these is in it.
  const Dense M = (stair.rest.transpose() * a * stair.rest).transpose();
  const double summed = (stair.rest.cwiseAbs().transpose() * a.cwiseAbs() * stair.rest.cwiseAbs()).norm();
  const double size = std::max(M.norm(), kReachedBarely / kZero * summed);
  double own = M.norm();
  if (!(own > kReachedBarely * summed)) {
    own = a.norm();
    for (const double column : a.cwiseAbs().colwise().sum())
      if (column > 0) own = std::min(own, column);
  }
  reach.in_doubt = stair.lost > kReachedSurely * own;
  reach.hidden = modes_of(M, d.inverse().matrix().asDiagonal() * stair.rest, size);
  return reach;
}

Reach find_seen(const Matrix& A, const Matrix& C, double tolerance) {
  return find_reach(transposed(A), transposed(C), tolerance);
}

}  // namespace dalembert

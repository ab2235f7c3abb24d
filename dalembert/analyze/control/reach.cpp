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

constexpr double kReached = 1e-10;
// Of A and B, below which a coupling is round-off.
constexpr double kExact = 1e-14;

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

HiddenMode hidden_mode(std::complex<double> eigenvalue, int order, double size, Eigen::VectorXcd w) {
  Eigen::Index most = 0;
  w.cwiseAbs().maxCoeff(&most);
  w /= w(most);
  HiddenMode mode{eigenvalue, order, size, true, {}};
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
      modes.push_back(hidden_mode(0, order, size, shown.row(k).transpose().cast<std::complex<double>>()));
  }
  const auto zeros = static_cast<std::size_t>(known.rows());
  const Eigen::EigenSolver<Dense> solver(M);
  std::vector<Eigen::Index> sorted(static_cast<std::size_t>(M.rows()));
  for (std::size_t k = 0; k < sorted.size(); ++k) sorted[k] = static_cast<Eigen::Index>(k);
  std::ranges::sort(sorted, {}, [&](Eigen::Index k) { return std::abs(solver.eigenvalues()(k)); });
  for (std::size_t k = zeros; k < sorted.size(); ++k) {
    const std::complex<double> eigenvalue = solver.eigenvalues()(sorted[k]);
    if (eigenvalue.imag() >= 0)
      modes.push_back(hidden_mode(eigenvalue, 1, size, to_z * solver.eigenvectors().col(sorted[k])));
  }
  return modes;
}

// The states that inputs reach by the pattern of A and B, in ascending order, and then the others: entries that are exactly 0 connect nothing.
struct PatternOfReach {
  std::vector<std::size_t> order;
  std::size_t reached = 0;
};
PatternOfReach pattern_of(const Matrix& A, const Matrix& B) {
  std::vector<std::size_t> front;
  std::vector<bool> met(A.rows);
  const auto meet = [&](std::size_t i) {
    if (!met[i]) front.push_back(i);
    met[i] = true;
  };
  for (std::size_t i = 0; i < B.rows; ++i)
    for (std::size_t j = 0; j < B.cols; ++j)
      if (B(i, j) != 0) meet(i);
  for (std::size_t k = 0; k < front.size(); ++k)
    for (std::size_t i = 0; i < A.rows; ++i)
      if (A(i, front[k]) != 0) meet(i);
  PatternOfReach pattern{{}, front.size()};
  for (const bool wanted : {true, false})
    for (std::size_t i = 0; i < A.rows; ++i)
      if (met[i] == wanted) pattern.order.push_back(i);
  return pattern;
}

// Orthonormal columns that span what B and A, in balanced units, reach from 0.
Dense reached_by(const Dense& A, const Dense& B) {
  Dense basis(A.rows(), 0), front = B.size() > 0 ? new_directions(basis, B, B.norm()) : basis;
  while (front.cols() > 0) {
    const Eigen::Index before = basis.cols();
    basis.conservativeResize(Eigen::NoChange, before + front.cols());
    basis.rightCols(front.cols()) = front;
    front = new_directions(basis, A * front, A.norm());
  }
  return basis;
}

// D⁻¹ A D with D as of `balance`, for the states of A that are reached and for the others by themselves; and D.
std::pair<Dense, Eigen::VectorXd> balanced(const Matrix& A, std::size_t reached) {
  const std::size_t others = A.rows - reached;
  std::vector<double> scale = balance(block(A, 0, 0, reached, reached));
  const std::vector<double> of_others = balance(block(A, reached, reached, others, others));
  scale.insert(scale.end(), of_others.begin(), of_others.end());
  const Eigen::VectorXd D = Eigen::Map<const Eigen::VectorXd>(scale.data(), static_cast<Eigen::Index>(scale.size()));
  return {D.cwiseInverse().asDiagonal() * dense_of<Dense>(A) * D.asDiagonal(), D};
}

}  // namespace

Reach find_reach(const Matrix& A, const Matrix& B) {
  const PatternOfReach pattern = pattern_of(A, B);
  const auto n = static_cast<Eigen::Index>(A.rows), m = static_cast<Eigen::Index>(B.cols),
             r = static_cast<Eigen::Index>(pattern.reached);
  const auto state = [&](Eigen::Index i) { return pattern.order[static_cast<std::size_t>(i)]; };
  const auto [a, D] = balanced(principal(A, pattern.order), pattern.reached);
  Dense b(r, m);
  for (Eigen::Index i = 0; i < r; ++i)
    for (Eigen::Index j = 0; j < m; ++j) b(i, j) = B(state(i), static_cast<std::size_t>(j)) / D(i);
  const Dense basis = reached_by(a.topLeftCorner(r, r), b);
  const Eigen::Index k = basis.cols();
  Reach reach;
  reach.reached = Matrix(A.rows, static_cast<std::size_t>(k));
  // Orthonormal in the units of z.
  if (k > 0) {
    const Dense in_z =
        Eigen::HouseholderQR<Dense>(D.head(r).asDiagonal() * basis).householderQ() * Dense::Identity(r, k);
    for (Eigen::Index i = 0; i < r; ++i)
      for (Eigen::Index j = 0; j < k; ++j) reach.reached(state(i), static_cast<std::size_t>(j)) = in_z(i, j);
  }
  if (k == n) return reach;
  // The complement: its rows follow a motion of their own.
  Dense rest = Dense::Zero(n, n - k);
  if (k > 0) rest.topLeftCorner(r, r - k) = Dense(Eigen::HouseholderQR<Dense>(basis).householderQ()).rightCols(r - k);
  rest.bottomRightCorner(n - r, n - r).setIdentity();
  const Dense M = (rest.transpose() * a * rest).transpose();
  Dense to_z(n, n - k);  // columns: w of z
  for (Eigen::Index i = 0; i < n; ++i) to_z.row(static_cast<Eigen::Index>(state(i))) = rest.row(i) / D(i);
  for (const std::vector<std::size_t>& part : independent_parts(matrix(M))) {
    const Dense of_part = M(part, part);
    // Below a part of the size from which they were found, entries are round-off.
    const bool by_ranks = static_cast<Eigen::Index>(part.front()) < r - k;
    const double size = std::max(of_part.norm(), by_ranks ? a.topLeftCorner(r, r).norm() : 0);
    const Dense across = rest(Eigen::all, part).transpose();
    const bool exactly = (across * a.leftCols(r) * basis).norm() <= kExact * a.norm() &&
                         (across.leftCols(r) * b).norm() <= kExact * b.norm();
    for (HiddenMode& mode : modes_of(of_part, to_z(Eigen::all, part), size > 0 ? size : 1)) {
      mode.exactly = exactly;
      reach.hidden.push_back(std::move(mode));
    }
  }
  return reach;
}

std::vector<HiddenMode> find_unseen(const Matrix& A, const Matrix& C) {
  return find_reach(transposed(A), transposed(C)).hidden;
}

}  // namespace dalembert

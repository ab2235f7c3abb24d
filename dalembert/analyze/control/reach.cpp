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
// An eigenvalue that is found in a part is known to this part of its size. And where A has an entry that should be 0, as by cos(90°) = 6e-17, it is the square
// root of that: of the size of all of A, but for what is faster than kFast in rad/s, whose stiffness makes no such entries in parts that it is not connected with.
constexpr double kOfPart = 1e-9, kOfAll = 1e-7, kFast = 10;

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
  HiddenMode mode;
  mode.eigenvalue = eigenvalue;
  mode.order = order;
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

using States = std::vector<std::size_t>;

// The states that inputs reach by the pattern of A and B, in parts between which there is nothing, not even an input, and the others: entries that are exactly 0
// connect nothing.
struct Groups {
  std::vector<States> reached;
  States others;
};
Groups groups_of(const Matrix& A, const Matrix& B) {
  States front;
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
  std::ranges::sort(front);
  Matrix connected = principal(A, front);
  for (std::size_t j = 0; j < B.cols; ++j) {
    const auto first = std::ranges::find_if(front, [&](std::size_t i) { return B(i, j) != 0; });
    for (auto i = first; i != front.end(); ++i)
      if (B(*i, j) != 0)
        connected(static_cast<std::size_t>(first - front.begin()), static_cast<std::size_t>(i - front.begin())) = 1;
  }
  Groups groups;
  for (const States& part : independent_parts(connected)) {
    States& states = groups.reached.emplace_back();
    for (const std::size_t i : part) states.push_back(front[i]);
  }
  for (std::size_t i = 0; i < A.rows; ++i)
    if (!met[i]) groups.others.push_back(i);
  return groups;
}

// Orthonormal columns that span what B and A, in balanced units, reach from 0.
Dense reached_by(const Dense& A, const Dense& B) {
  Dense basis(A.rows(), 0), front = B.size() > 0 ? new_directions(basis, B, 1) : basis;
  while (front.cols() > 0) {
    const Eigen::Index before = basis.cols();
    basis.conservativeResize(Eigen::NoChange, before + front.cols());
    basis.rightCols(front.cols()) = front;
    front = new_directions(basis, A * front, A.norm());
  }
  return basis;
}

// Adds columns that are 0 in all but these states.
void append(Dense& columns, const States& states, const Dense& more) {
  const Eigen::Index before = columns.cols();
  columns.conservativeResize(Eigen::NoChange, before + more.cols());
  columns.rightCols(more.cols()).setZero();
  for (Eigen::Index i = 0; i < more.rows(); ++i)
    columns.row(static_cast<Eigen::Index>(states[static_cast<std::size_t>(i)])).tail(more.cols()) = more.row(i);
}

Dense orthogonal(const Dense& columns) { return Eigen::HouseholderQR<Dense>(columns).householderQ(); }

// A and B in balanced units, D⁻¹ A D and D⁻¹ B, each group by itself, with columns of B of norm 1.
struct Balanced {
  Dense A, B;
  Eigen::VectorXd D;
};
Balanced balanced(const Matrix& A, const Matrix& B, const Groups& groups) {
  Eigen::VectorXd D = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(A.rows));
  const auto balance_group = [&](const States& states) {
    const std::vector<double> scale = balance(principal(A, states));
    for (std::size_t i = 0; i < states.size(); ++i) D(static_cast<Eigen::Index>(states[i])) = scale[i];
  };
  for (const States& states : groups.reached) balance_group(states);
  balance_group(groups.others);
  const auto inverse = D.cwiseInverse().asDiagonal();
  Dense b = inverse * dense_of<Dense>(B);
  for (Eigen::Index j = 0; j < b.cols(); ++j)
    if (const double norm = b.col(j).norm(); norm > 0) b.col(j) /= norm;
  return {inverse * dense_of<Dense>(A) * D.asDiagonal(), std::move(b), std::move(D)};
}

}  // namespace

Reach find_reach(const Matrix& A, const Matrix& B) {
  const auto n = static_cast<Eigen::Index>(A.rows);
  const Groups groups = groups_of(A, B);
  const auto [a, b, D] = balanced(A, B, groups);
  // What is reached, also orthonormal in the units of z, and its complement, whose rows follow a motion of their own.
  Dense basis(n, 0), in_z(n, 0), rest(n, 0);
  std::vector<double> found_in;  // by column of `rest`: the size of what ranks were decided in
  for (const States& part : groups.reached) {
    const Dense of_part = a(part, part), found = reached_by(of_part, b(part, Eigen::all));
    const Eigen::Index size = of_part.rows(), k = found.cols();
    append(basis, part, found);
    if (k > 0) append(in_z, part, orthogonal(D(part).asDiagonal() * found).leftCols(k));
    append(rest, part, (k > 0 ? orthogonal(found) : Dense::Identity(size, size)).rightCols(size - k));
    found_in.resize(static_cast<std::size_t>(rest.cols()), of_part.norm());
  }
  const auto others = static_cast<Eigen::Index>(groups.others.size());
  append(rest, groups.others, Dense::Identity(others, others));
  found_in.resize(static_cast<std::size_t>(rest.cols()));
  Reach reach;
  reach.reached = in_z.cols() > 0 ? matrix(in_z) : Matrix(A.rows, 0);
  const Dense M = (rest.transpose() * a * rest).transpose();
  const Dense to_z = D.cwiseInverse().asDiagonal() * rest;  // columns: w of z
  for (const States& part : independent_parts(matrix(M))) {
    const Dense of_part = M(part, part), across = rest(Eigen::all, part).transpose();
    double size = of_part.norm();
    for (const std::size_t column : part) size = std::max(size, found_in[column]);
    const bool exactly = (across * a * basis).norm() <= kExact * size && (across * b).norm() <= kExact;
    if (size == 0) size = 1;
    for (HiddenMode& mode : modes_of(of_part, to_z(Eigen::all, part), size)) {
      mode.size = size;
      mode.exactly = exactly;
      mode.uncertainty = std::max(kOfPart * size, kOfAll * std::min(a.norm(), kFast));
      reach.hidden.push_back(std::move(mode));
    }
  }
  std::ranges::stable_sort(reach.hidden, {}, [](const HiddenMode& mode) { return std::abs(mode.eigenvalue); });
  return reach;
}

std::vector<HiddenMode> find_unseen(const Matrix& A, const Matrix& C) {
  return find_reach(transposed(A), transposed(C)).hidden;
}

}  // namespace dalembert

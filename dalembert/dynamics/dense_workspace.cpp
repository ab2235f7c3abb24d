// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/dense_workspace.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <cstddef>

namespace dalembert {
namespace {

// Entries outside the pattern are zero from the start, so only the entries of the pattern are written.
void spread(const Pattern& pattern, const std::vector<double>& values, std::vector<double>& dense) {
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    dense[index(pattern.row[k]) * index(pattern.cols) + index(pattern.col[k])] = values[k];
}

int position_rows(const Layout& layout) { return static_cast<int>(layout.holonomic.size()); }

}  // namespace

void RowBasis::set(const KktSolver& found) {
  all = found.rank() == found.m();
  if (all) return;
  rows.clear();
  for (int k = 0; k < found.rank(); ++k) rows.push_back(found.independent_row(k));
  std::sort(rows.begin(), rows.end());  // in the original order the skyline stays narrow
}

void RowBasis::set(const std::vector<int>& independent) {
  all = false;
  rows = independent;
}

BasisSolver::BasisSolver(int n, int m) : W(index(m) * index(n)), values(index(m)), lambda(index(m)), kkt(n, m) {}

void BasisSolver::gather(const RowBasis& basis, const double* matrix, const double* vector, std::size_t n) {
  kkt.set_rows(static_cast<int>(basis.rows.size()));
  for (std::size_t k = 0; k < basis.rows.size(); ++k) {
    std::copy_n(matrix + index(basis.rows[k]) * n, n, W.data() + k * n);
    values[k] = vector[basis.rows[k]];
  }
}

DenseWorkspace::DenseWorkspace(const Layout& layout, bool eager)
    : M(index(layout.nv) * index(layout.nv)),
      W(index(layout.m) * index(layout.nv)),
      kkt(layout.nv, layout.m),
      layout_(layout) {
  if (!eager) return;
  W_position(), position(), basis(), position_basis(), identity();
}

void DenseWorkspace::spread_M(const std::vector<double>& packed) { spread(layout_.M, packed, M); }

void DenseWorkspace::spread_W(const std::vector<double>& packed) {
  spread(layout_.W, packed, W);
  if (!W_position_.empty()) copy_position_rows();
}

void DenseWorkspace::copy_position_rows() {
  const std::size_t n = index(layout_.nv);
  for (std::size_t k = 0; k < layout_.holonomic.size(); ++k)
    std::copy_n(W.data() + index(layout_.holonomic[k]) * n, n, W_position_.data() + k * n);
}

const double* DenseWorkspace::W_position() {
  if (position_rows(layout_) == layout_.m) return W.data();
  if (W_position_.empty()) {
    W_position_.resize(layout_.holonomic.size() * index(layout_.nv));
    copy_position_rows();
  }
  return W_position_.data();
}

KktSolver& DenseWorkspace::position() {
  if (position_ == nullptr) position_ = std::make_unique<KktSolver>(layout_.nv, position_rows(layout_));
  return *position_;
}

BasisSolver& DenseWorkspace::basis() {
  if (basis_ == nullptr) basis_ = std::make_unique<BasisSolver>(layout_.nv, layout_.m);
  return *basis_;
}

BasisSolver& DenseWorkspace::position_basis() {
  if (position_basis_ == nullptr) position_basis_ = std::make_unique<BasisSolver>(layout_.nv, position_rows(layout_));
  return *position_basis_;
}

const double* DenseWorkspace::identity() {
  if (identity_.empty()) {
    const std::size_t n = index(layout_.nv);
    identity_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) identity_[i * n + i] = 1;
  }
  return identity_.data();
}

}  // namespace dalembert

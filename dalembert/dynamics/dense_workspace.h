// SPDX-License-Identifier: Apache-2.0
// Matrices spread out, and the dense solvers on them: what a kernel that solves nothing itself needs, and what decides
// where one that does meets a pivot it cannot trust.
#pragma once

#include <memory>
#include <vector>

#include "dalembert/dynamics/kkt.h"

namespace dalembert {

/// Some rows of W that the others follow from, found on the manifold. A little off it, where Runge–Kutta stages and
/// unprojected states are, redundant rows look independent and contradict each other; then only these rows are used,
/// and as they stay the same during a step, the vector field stays smooth.
struct RowBasis {
  /// The rows that `found`, which has just factored W, calls independent; all of them when the rank is full.
  void set(const KktSolver& found);
  /// These rows, ascending. No allocation beyond the first.
  void set(const std::vector<int>& independent);
  void set_all() { all = true; }

  bool all = true;
  std::vector<int> rows;  ///< indices; used unless `all`
};

/// The rows of a basis, copied out, and a solver for them.
struct BasisSolver {
  BasisSolver(int n, int m);
  /// Copies the rows of a matrix and of a vector that belong to the basis.
  void gather(const RowBasis& basis, const double* matrix, const double* vector, std::size_t n);

  std::vector<double> W, values, lambda;  ///< [k]: of row rows[k]
  KktSolver kkt;
};

/// Row-major matrices of a layout. What only some calls need is made when first asked for, or at once when `eager`.
class DenseWorkspace {
 public:
  DenseWorkspace(const Layout& layout, bool eager);

  /// From the kernel's packed values. spread_W() also fills W_position().
  void spread_M(const std::vector<double>& packed);
  void spread_W(const std::vector<double>& packed);

  std::vector<double> M;  ///< n×n
  std::vector<double> W;  ///< m×n
  KktSolver kkt;          ///< all m rows

  const double* W_position();     ///< m_h×n: the rows of W that have a position level
  KktSolver& position();          ///< for these
  BasisSolver& basis();           ///< for some rows of W
  BasisSolver& position_basis();  ///< for some rows of W_position
  const double* identity();       ///< n×n, the plain metric

 private:
  void copy_position_rows();

  const Layout& layout_;
  std::vector<double> W_position_, identity_;
  std::unique_ptr<KktSolver> position_;
  std::unique_ptr<BasisSolver> basis_, position_basis_;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Dense copies of the sparse matrices, and the dense solvers for them. Kernels without a KKT solve of their own need
// them; for the other kernels they take over when the kernel meets a pivot that it cannot trust.
#pragma once

#include <memory>
#include <vector>

#include "dalembert/dynamics/kkt_solver.h"

namespace dalembert {

/// Independent rows of W from which the other rows follow, chosen on the manifold. Runge–Kutta stages and unprojected
/// states lie a little off the manifold, where redundant rows look independent and contradict each other. Solves there
/// use the rows of the basis only. The basis stays the same during a step, so that the vector field stays smooth.
struct RowBasis {
  /// Takes the rows that `found` has found independent in its last factorisation of W; all rows when the rank is full.
  void set(const KktSolver& found);
  /// Takes the given rows, in ascending order. Allocates only on the first call.
  void set(const std::vector<int>& independent);
  void set_all() { all = true; }

  bool all = true;
  std::vector<int> rows;  ///< indices of the rows; used unless `all`
};

/// A copy of the rows of a basis, and a KKT solver for these rows.
struct BasisSolver {
  BasisSolver(int n, int m);
  /// Copies the rows of a matrix and of a vector that belong to the basis.
  void gather(const RowBasis& basis, const double* matrix, const double* vector, std::size_t n);

  std::vector<double> W, values, lambda;  ///< entry (row of W) k belongs to row basis.rows[k]
  KktSolver kkt;
};

/// Dense row-major matrices of a layout. The parts that only some calls need are allocated on first use, or in the
/// constructor when `eager`.
class DenseWorkspace {
 public:
  DenseWorkspace(const Layout& layout, bool eager);

  /// Copy the kernel's packed values into the dense matrices. spread_W() also fills W_position().
  void spread_M(const std::vector<double>& packed);
  void spread_W(const std::vector<double>& packed);

  std::vector<double> M;  ///< mass matrix, n×n
  std::vector<double> W;  ///< constraint matrix, m×n
  KktSolver kkt;          ///< solver for all m rows of W

  const double* W_position();     ///< m_h×n: the rows of W that have a position level
  KktSolver& position();          ///< solver for the rows of W_position
  BasisSolver& basis();           ///< solver for a basis of the rows of W
  BasisSolver& position_basis();  ///< solver for a basis of the rows of W_position
  const double* identity();       ///< n×n identity matrix

 private:
  void copy_position_rows();

  const Layout& layout_;
  std::vector<double> W_position_, identity_;
  std::unique_ptr<KktSolver> position_;
  std::unique_ptr<BasisSolver> basis_, position_basis_;
};

}  // namespace dalembert

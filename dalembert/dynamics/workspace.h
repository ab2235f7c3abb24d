// SPDX-License-Identifier: Apache-2.0
// The memory that evaluating a system needs, and the kernel's packed results spread out into it.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {

/// Some rows of W that the others follow from, found on the manifold. A little off it, where Runge–Kutta stages and
/// unprojected states are, redundant rows look independent and contradict each other; then only these rows are used,
/// and as they stay the same during a step, the vector field stays smooth.
struct RowBasis {
  RowBasis(int n, int m);
  /// The rows that `found`, which has just factored W, calls independent; all of them when the rank is full.
  void set(const KktSolver& found);
  /// These rows, ascending. No allocation.
  void set(const std::vector<int>& independent);
  void set_all() { all = true; }
  /// Copies the rows of a matrix and of a vector that belong to the basis.
  void gather(const double* matrix, const double* vector, std::size_t n);

  bool all = true;
  std::vector<int> rows;                  ///< indices; used unless `all`
  std::vector<double> W, values, lambda;  ///< [k]: of row rows[k]
  KktSolver solver;
};

/// Belongs to one thread and to one layout. Matrices are dense and row-major.
struct Workspace {
  explicit Workspace(const Dynamics& dynamics);

  std::vector<double> work;  ///< the kernel's scratch memory
  std::vector<double> out;   ///< the kernel's packed results
  std::vector<double> u;     ///< inputs at the time of the last call

  std::vector<double> M;           ///< n×n      evaluate_rates, evaluate_mass
  std::vector<double> W;           ///< m×n      evaluate_rates, evaluate_velocity
  std::vector<double> f;           ///< n        evaluate_rates: F − B − G
  std::vector<double> gamma;       ///< m        evaluate_rates
  std::vector<double> a;           ///< m        evaluate_velocity
  std::vector<double> h;           ///< m_h      evaluate_position
  std::vector<double> W_position;  ///< m_h×n   evaluate_velocity: the rows of W that have a position level

  KktSolver kkt;                   ///< all m rows
  KktSolver position;              ///< the m_h rows with a position level
  RowBasis basis, position_basis;  ///< of W and of W_position; all rows unless told otherwise

  std::vector<double> dq, dv, step, multipliers, residual;  ///< projections; dq, dv (n): the displacement
  std::vector<double> identity;                             ///< n×n, the plain metric
};

/// What a kernel is called with at (t, q, v): the workspace's inputs and scratch, the system's parameters. v may be
/// null.
KernelArguments kernel_arguments(const Dynamics& dynamics, double t, const double* q, const double* v,
                                 Workspace& workspace);

// Each reads (t, q, v) and fills the vectors above that name it.
void evaluate_rates(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
void evaluate_mass(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
void evaluate_velocity(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);
void evaluate_position(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);

}  // namespace dalembert

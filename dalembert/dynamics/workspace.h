// SPDX-License-Identifier: Apache-2.0
// The memory that evaluating a system needs. The kernel's matrices stay packed as layout.M and layout.W list their
// entries, so that a workspace grows with the non-zeros; dense ones are made where a dense solve is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dalembert/dynamics/dense_workspace.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/sparse_rows.h"

namespace dalembert {

/// Belongs to one thread and to one kernel, which must outlive it.
struct Workspace {
  explicit Workspace(const Dynamics& dynamics);

  std::vector<double> work;  ///< the kernel's scratch memory
  std::vector<double> out;   ///< the kernel's packed results
  std::vector<double> u;     ///< inputs at the time of the last call; constant ones from the start

  std::vector<double> M;       ///< layout.M   evaluate_rates, evaluate_mass
  std::vector<double> W;       ///< layout.W   evaluate_rates, evaluate_velocity
  std::vector<double> f;       ///< nv         evaluate_rates: F − B − G
  std::vector<double> gamma;   ///< m          evaluate_rates
  std::vector<double> a;       ///< m          evaluate_velocity
  std::vector<double> h;       ///< m_h        evaluate_position
  std::vector<double> h_size;  ///< m_h        evaluate_position, unless v_is_qdot: the size of its terms
  std::vector<double> N, n0;   ///< layout.N, nq   evaluate_kinematics (kinematics.h)
  SparseRows W_rows;           ///< the rows of W among its packed values
  struct RowSize {
    double position = 0;  ///< of the terms of h: Σᵢ |Wᵣᵢ qᵢ|, or h_size
    double velocity = 0;  ///< Σᵢ |Wᵣᵢ vᵢ| + |aᵣ|
    double squared = 0;   ///< Σᵢ Wᵣᵢ²
  };
  std::vector<RowSize> row_sizes;  ///< m        measure_rows

  bool constant_inputs = false;
  /// Inputs that have this value instead, whatever the system says (integrate/stepper.h): index, value.
  std::vector<std::pair<int, double>> held_inputs;

  /// The kernel's machine code, as far as it had some when find_code() was called.
  std::array<KernelCode*, kKernelFunctions> code{};
  void find_code(const Kernel& kernel);

  /// Where forces depend on multipliers, else null.
  std::unique_ptr<FrictionSolver> friction;

  KktReport kkt;                   ///< of the last solve with all rows
  double loss = 1;                 ///< as KktReport::loss(), of the last solve with whatever rows
  std::int64_t fallbacks = 0;      ///< solves that the kernel was asked for and the dense solver had to do
  RowBasis basis, position_basis;  ///< of W and of its rows with a position level; all rows unless told otherwise

  /// The dense side; null when the system does not fits_dense(). Of a small one whose kernel solves nothing itself
  /// it is there from the start; otherwise it is made, of a small one as a whole, when first asked for.
  DenseWorkspace* dense(const Dynamics& dynamics);

  // Projections; dq (nq), dv (nv): the displacement.
  std::vector<double> dq, dv, step, start, before, zero, multipliers, residual, magnitude;

 private:
  std::unique_ptr<DenseWorkspace> dense_;
};

/// Inputs at a time into workspace.u.
inline void evaluate_inputs(const Dynamics& dynamics, double t, Workspace& workspace) {
  if (workspace.constant_inputs) return;
  dynamics.inputs(t, workspace.work.data(), workspace.u.data());
  for (const auto& [input, value] : workspace.held_inputs) workspace.u[static_cast<std::size_t>(input)] = value;
}
/// Those that do not change are evaluated once, and again when anything about them was changed.
void evaluate_constant_inputs(const Dynamics& dynamics, Workspace& workspace);

/// What a kernel is called with at (t, q, v): the workspace's inputs and scratch, the system's parameters. v may be
/// null. Inputs are evaluated here only where every function may read them; elsewhere evaluate_inputs() goes before.
inline KernelArguments kernel_arguments(const Dynamics& dynamics, double t, const double* q, const double* v,
                                        Workspace& workspace) {
  if (dynamics.layout().driven) evaluate_inputs(dynamics, t, workspace);
  return {.t = t,
          .q = q,
          .v = v,
          .u = workspace.u.data(),
          .p = dynamics.parameters().data(),
          .prepared = dynamics.prepared(),
          .work = workspace.work.data()};
}

/// Calls a function at (t, q, v, λ), with the workspace's inputs and scratch and the system's parameters: by machine
/// code where the workspace has it, without a detour.
DALEMBERT_CALLS_CODE
inline void call_kernel(const Dynamics& dynamics, KernelFunction function, double t, const double* q, const double* v,
                        Workspace& workspace, double* out, const double* lambda = nullptr) {
  if (KernelCode* code = workspace.code[static_cast<std::size_t>(function)]) {
    if (dynamics.layout().driven) evaluate_inputs(dynamics, t, workspace);
    const double* const arguments[] = {&t,     dynamics.parameters().data(), workspace.u.data(), q, v, nullptr,
                                       lambda, dynamics.prepared()};
    if (code(arguments, workspace.work.data(), out) == 0) return;
  }
  KernelArguments in = kernel_arguments(dynamics, t, q, v, workspace);
  in.lambda = lambda;
  dynamics.kernel().call(function, in, out);
}

// Each reads (t, q, v) and fills the vectors above that name it.
void evaluate_rates(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
void evaluate_mass(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
void evaluate_velocity(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);
void evaluate_position(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);

/// Sets workspace.position_basis to the independent ones of the rows with a position level at (t, q, v), by the dense
/// solver. False when the system is too large for that.
bool find_position_basis(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Memory for evaluating a system. Matrices stay packed in the patterns layout.M and layout.W, so that the memory grows
// with the number of non-zeros. Dense copies exist only where a dense solve is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dalembert/dynamics/dense_workspace.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/friction_system.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/dynamics/sparse_rows.h"

namespace dalembert {

/// Belongs to one thread and to one kernel, which must outlive it.
struct Workspace {
  explicit Workspace(const Dynamics& dynamics);
  /// Forgets everything but sizes, as the constructor would leave it, for a system with the same kernel.
  void renew(const Dynamics& dynamics);

  std::vector<double> work;  ///< the kernel's scratch memory
  std::vector<double> out;   ///< the kernel's packed results
  std::vector<double> u;     ///< inputs at the time of the last call; constant inputs are set by the constructor

  std::vector<double> M;       ///< layout.M   evaluate_rates, evaluate_mass
  std::vector<double> W;       ///< layout.W   evaluate_rates, evaluate_velocity
  std::vector<double> f;       ///< nv         evaluate_rates: F − B − G
  std::vector<double> gamma;   ///< m          evaluate_rates
  std::vector<double> a;       ///< m          evaluate_velocity
  std::vector<double> h;       ///< m_h        evaluate_position
  std::vector<double> h_size;  ///< m_h        evaluate_position, unless v_is_qdot: the size of its terms
  std::vector<double> N;       ///< KinematicsPlaces   evaluate_kinematics (kinematics.h)
  SparseRows W_rows;           ///< index of the packed values of W by row
  struct RowSize {
    double position = 0;  ///< size of the terms of h: Σᵢ |Wᵣᵢ qᵢ|, or h_size
    double velocity = 0;  ///< Σᵢ |Wᵣᵢ vᵢ| + |aᵣ|
    double squared = 0;   ///< Σᵢ Wᵣᵢ²
  };
  std::vector<RowSize> row_sizes;  ///< m        measure_rows

  bool constant_inputs = false;
  /// Inputs that are overridden with a value (Stepper::hold_input): index, value.
  std::vector<std::pair<int, double>> held_inputs;

  /// Machine code of each kernel function at the time of find_code(); null where there was none.
  std::array<KernelCode*, kKernelFunctions> code{};
  void find_code(const Kernel& kernel);

  /// Solver for forces that depend on multipliers; null if there are none.
  std::unique_ptr<FrictionSystem> friction;

  KktReport kkt;                   ///< rank and conditioning of the last solve with all rows
  double loss = 1;                 ///< KktReport::loss() of the last solve, also of a solve with a basis of rows
  std::int64_t fallbacks = 0;      ///< number of solves that the kernel could not do and the dense solver did
  RowBasis basis, position_basis;  ///< bases of the rows of W, and of its holonomic rows; initially all rows
  RowBasis acting;                 ///< the rows that act, from the last find_acting_rows()
  void find_acting_rows(const Dynamics& dynamics);

  /// The dense workspace; null when the system is too large (see fits_dense()). The first call allocates it, unless the
  /// system is small and its kernel does not solve: then the constructor does.
  DenseWorkspace* dense(const Dynamics& dynamics);

  // Memory of projections. dq (nq) and dv (nv) are the displacement.
  std::vector<double> dq, dv, step, start, before, zero, multipliers, residual, magnitude;

 private:
  std::unique_ptr<DenseWorkspace> dense_;
};

/// Evaluates the inputs at a time into workspace.u.
inline void evaluate_inputs(const Dynamics& dynamics, double t, Workspace& workspace) {
  if (workspace.constant_inputs) return;
  dynamics.inputs(t, workspace.work.data(), workspace.u.data());
  for (const auto& [input, value] : workspace.held_inputs) workspace.u[static_cast<std::size_t>(input)] = value;
}
/// Evaluates inputs that do not depend on time. Called once, and again after a change of parameters or held inputs.
void evaluate_constant_inputs(const Dynamics& dynamics, Workspace& workspace);

/// The arguments of a kernel call at (t, q, v): the workspace's inputs and scratch memory, the system's
/// parameters. v may be null. Evaluates the inputs only where Layout::driven; otherwise call evaluate_inputs()
/// first for functions that read u.
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

/// Calls a kernel function at (t, q, v, λ), with the workspace's inputs and scratch memory and the system's parameters.
/// Calls the machine code directly where the workspace has it, without a virtual call.
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

// Each of these functions evaluates at (t, q, v) and fills the workspace vectors whose comments name it.
void evaluate_rates(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
void evaluate_mass(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
void evaluate_velocity(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);
void evaluate_position(const Dynamics& dynamics, double t, const double* q, Workspace& workspace);

/// Sets workspace.position_basis to independent holonomic rows at (t, q, v), by the dense solver.
/// False when the system is too large.
bool find_position_basis(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The numeric side of a constrained system, as functions of numbers: what a tape, machine code or a hand-written class
// provides.
//
//   M q̈ + B + G = F + Wᵀλ,   W q̇ + a = 0,   W q̈ + γ = 0            (notation: docs/notation.md)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/base/kernel_code.h"

namespace dalembert {

class Linearization;

/// The places of the entries that a kernel writes of a sparse matrix, in the order it writes them. Symmetric matrices
/// list both halves.
struct Pattern {
  int rows = 0, cols = 0;
  std::vector<int> row, col;
  int nonzeros() const { return static_cast<int>(row.size()); }
};

/// Names and units, for messages and result files. Units are SI names such as "N*m"; empty where the model gives none.
struct Names {
  std::string model;
  std::vector<std::string> coordinates, coordinate_units;  ///< N
  std::vector<std::string> rows, row_units, lambda_units;  ///< m: "pin[1]"; [h] or [η]; unit of λ
  std::vector<std::string> parameters;
  std::vector<std::string> inputs, input_units;
  std::vector<std::string> outputs, output_units;
  std::vector<std::string> conserved;  ///< "p[phi]": what conserved quantity i is
};

/// Sizes and sparsity of a kernel. Constraint rows are in the order of the model.
struct Layout {
  int n = 0;                   ///< coordinates N
  int m = 0;                   ///< constraint rows
  std::vector<int> holonomic;  ///< rows (ascending, of 0..m-1) that have a position level h; the others are Pfaffian
  int parameters = 0, inputs = 0, outputs = 0, conserved = 0;
  Pattern M, W;
  bool conservative = false;     ///< F = 0, a = 0 and ∂L/∂t = 0 identically: the energy E is constant
  bool constant_inputs = false;  ///< the kernel's inputs do not depend on t
  bool driven = false;           ///< inputs are in constraints or energies: every function may read u
  std::size_t work = 0;          ///< doubles of scratch memory that a call needs
  std::size_t prepared = 0;      ///< numbers that Kernel::prepare() writes
};

/// What a kernel can compute. In each row: what `out` receives, packed in this order.
enum class KernelFunction {
  kPosition,  ///< h[m_h], at (t, q)
  kVelocity,  ///< W[nnz], a[m], at (t, q)
  kMass,      ///< M[nnz], at (t, q, v)
  kTerms,     ///< M[nnz], B[n], G[n], F[n], W[nnz], a[m], gamma[m], at (t, q, v, u)
  kRates,     ///< M[nnz], f[n] = F − B − G, W[nnz], gamma[m], at (t, q, v, u): what the KKT solve needs
  kEnergy,    ///< T, V, E = q̇·∂L/∂q̇ − L, ∂L/∂t, F·q̇, then conserved[..], at (t, q, v, u)
  kInputs,    ///< u[inputs], at t
  kOutputs,   ///< outputs[..], at (t, q, v, qdd, lambda, u)
  kPower,     ///< dE/dt = F·q̇ − λᵀa − ∂L/∂t, at (t, q, v, lambda, u)

  // The KKT system (dynamics/kkt.h) factored and solved within the function. Only where Kernel::solves_kkt(); each has
  // trust[2], see trusted().
  kAccelerations,  ///< qdd[n], lambda[m], trust[2], at (t, q, v, u)
  /// h[m_h], its terms' size Σ|W_ij q_j| [m_h], δq[n], trust[2], at (t, q, v): M δq = W_hᵀμ, W_h δq = −h
  kPositionStep,
  /// Wv + a [m], Σ|W_ij v_j| + |a_i| [m], δv[n], trust[2], then what makes the residuals: W[nnz], a[m], h[m_h], at
  /// (t, q, v): M δv = Wᵀμ, W δv = −(Wv + a)
  kVelocityStep,
};
inline constexpr int kKernelFunctions = 12;

/// Arguments of a call; a function reads only those named in its row above (and u where Layout::driven), the others may
/// be null.
struct KernelArguments {
  double t = 0;
  const double* q = nullptr;         ///< n
  const double* v = nullptr;         ///< n
  const double* qdd = nullptr;       ///< n
  const double* lambda = nullptr;    ///< m
  const double* u = nullptr;         ///< inputs
  const double* p = nullptr;         ///< parameters
  const double* prepared = nullptr;  ///< what prepare() made of p
  double* work = nullptr;            ///< layout().work doubles, of this thread
};

/// Immutable and safe to call from many threads, each with its own `work`.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const Layout& layout() const = 0;
  virtual void call(KernelFunction function, const KernelArguments& in, double* out) const = 0;
  /// Whatever depends on parameters alone, computed once for all calls: layout().prepared numbers.
  virtual void prepare(const double* /*p*/, double* /*prepared*/) const {}
  virtual bool solves_kkt() const { return false; }
  /// From here on calls may be slow to begin with and fast thereafter. Safe from many threads.
  virtual void expect_many_calls() const {}
  /// What a run tells: how many solves were `made` since it last told, about how many are `left`. What makes calls fast
  /// is done where that saves time. It depends on these numbers alone, not on a clock nor on what is kept on disk: the
  /// same command gives the same digits each time.
  virtual void note_calls(std::int64_t /*made*/, double /*left*/) const {}
  /// What call() would run, as long as the kernel lives; null where there is no code, or not yet. Unless it returns 0,
  /// call() must be used instead.
  virtual KernelCode* code(KernelFunction /*function*/) const { return nullptr; }
  /// The equations linearised (linearization.h), made when first asked for; null where the kernel cannot say.
  virtual const Linearization* linearization() const { return nullptr; }
};

/// Number of doubles that `function` writes.
std::size_t output_size(const Layout& layout, KernelFunction function);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The interface of a constrained system to the numeric layers: functions that a tape, machine code or a hand-written
// class implements.
//
// Notation: docs/notation.md; with velocities v other than q̇: layout.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/base/kernel_code.h"
#include "dalembert/dynamics/layout.h"

namespace dalembert {

class Linearization;

/// Names and units, for messages and result files. Units are SI names such as "N*m"; empty where the model gives none.
struct Names {
  std::string model;
  std::vector<std::string> coordinates, coordinate_units;  ///< nq
  /// nv; empty where v = q̇, whose names and units follow from the coordinates. A velocity that is the rate of a
  /// coordinate has the coordinate's name.
  std::vector<std::string> velocities, velocity_units;
  std::vector<std::string> rows, row_units, lambda_units;  ///< m: names such as "pin[1]"; units of h or η; units of λ
  int actuated = 0;  ///< number of rows, the last ones, that make a coordinate follow a function of time; λ drives it
  std::vector<std::string> parameters;
  std::vector<std::string> inputs, input_units;
  std::vector<std::string> outputs, output_units;
  std::vector<std::string> conserved;  ///< name of each conserved quantity, such as "p[phi]"
  std::vector<std::string> frictions, friction_units;

  /// Names of the entries of M, B, F …: those of the velocities, or of the coordinates where v = q̇.
  const std::vector<std::string>& of_motion() const { return velocities.empty() ? coordinates : velocities; }
  std::size_t constraint_rows() const { return rows.size() - static_cast<std::size_t>(actuated); }
  /// Name of row r in messages: "pin[1]", "alpha (prescribed)".
  std::string row(std::size_t r) const { return r < constraint_rows() ? rows[r] : rows[r] + " (prescribed)"; }
  /// Name of velocity i: "theta'" or its own; "velocity 3" if it has no name.
  std::string velocity(std::size_t i) const {
    if (i < velocities.size()) return is_coordinate(velocities[i]) ? velocities[i] + "'" : velocities[i];
    return i < coordinates.size() ? coordinates[i] + "'" : "velocity " + std::to_string(i + 1);
  }
  bool is_coordinate(const std::string& name) const {
    for (const std::string& coordinate : coordinates)
      if (coordinate == name) return true;
    return false;
  }
  /// velocity(i) for all velocities.
  std::vector<std::string> velocity_names() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < of_motion().size(); ++i) names.push_back(velocity(i));
    return names;
  }
};

/// What a kernel can compute. Each comment lists what `out` receives, packed in this order (offsets: layout.h), and the
/// arguments that the function reads.
enum class KernelFunction {
  kPosition,    ///< h[m_h], at (t, q); unless v_is_qdot, then the size of its terms Σ|∂h/∂q_j q_j| [m_h]
  kVelocity,    ///< W[nnz], a[m], at (t, q)
  kKinematics,  ///< N[nnz], n₀[nq], at (t, q); nothing where v_is_qdot
  kMass,        ///< M[nnz], at (t, q, v)
  kTerms,       ///< M[nnz], B[nv], G[nv], F[nv], W[nnz], a[m], gamma[m], at (t, q, v, u)
  kRates,       ///< M[nnz], f[nv] = F − B − G, W[nnz], gamma[m], at (t, q, v, u): what the KKT solve needs
  kEnergy,      ///< T, V, E = q̇·∂L/∂q̇ − L, ∂L/∂t, F·q̇, then conserved[..], at (t, q, v, u)
  kInputs,      ///< u[inputs], at t
  kOutputs,     ///< outputs[..], at (t, q, v, qdd, lambda, u)
  kPower,  ///< dE/dt = F·q̇ − λᵀa − ∂L/∂t, at (t, q, v, lambda, u), including forces that depend on multipliers
  /// Φ[nnz], C[nnz], ∂N/∂λ[nnz], then for each friction c₀, γ_c, N₀, μ, μ_s, c (friction.h), at (t, q, v, u); nothing
  /// unless load_dependent(). The F of other functions has only the forces that do not depend on multipliers.
  kFriction,

  // The following functions factor and solve the KKT system (dynamics/kkt.h). They exist where Kernel::solves_kkt().
  // trust[2] tells whether the pivots can be trusted, see trusted().
  kAccelerations,  ///< v̇[nv], lambda[m], trust[2], at (t, q, v, u)
  /// h[m_h], the size of its terms Σ|∂h/∂q_j q_j| [m_h], δ[nv], trust[2], at (t, q, v): M δ = W_hᵀμ, W_h δ = −h
  kPositionStep,
  /// Wv + a [m], Σ|W_ij v_j| + |a_i| [m], δv[nv], trust[2], then the terms of the residuals: W[nnz], a[m] and all that
  /// kPosition writes, at (t, q, v): M δv = Wᵀμ, W δv = −(Wv + a)
  kVelocityStep,
};
inline constexpr int kKernelFunctions = 14;

/// Arguments of a call. A function reads only those that its comment above names (and u where
/// Layout::driven); the others may be null.
struct KernelArguments {
  double t = 0;
  const double* q = nullptr;         ///< nq coordinates
  const double* v = nullptr;         ///< nv velocities
  const double* qdd = nullptr;       ///< nv accelerations v̇
  const double* lambda = nullptr;    ///< layout().multipliers() numbers: λ, then friction forces
  const double* u = nullptr;         ///< values of the inputs
  const double* p = nullptr;         ///< values of the parameters
  const double* prepared = nullptr;  ///< result of prepare() for p
  double* work = nullptr;            ///< layout().work doubles of scratch memory, used by one thread only
};

/// Immutable and safe to call from many threads, each with its own `work`.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const Layout& layout() const = 0;
  virtual void call(KernelFunction function, const KernelArguments& in, double* out) const = 0;
  /// Computes everything that depends on parameters alone, layout().prepared numbers, once for all calls.
  virtual void prepare(const double* /*p*/, double* /*prepared*/) const {}
  virtual bool solves_kkt() const { return false; }
  /// Operations of one call of kAccelerations, or of kRates where the kernel does not solve the KKT system; 0: unknown.
  virtual std::size_t operations() const { return 0; }
  /// Announces many calls: the kernel may spend time now (such as on compiling) to make later calls fast. Thread-safe.
  virtual void expect_many_calls() const {}
  /// A run reports its progress: the number of solves `made` since the last report, and the approximate number `left`.
  /// The kernel speeds itself up (such as by compiling) where that saves time. The decision depends on these numbers
  /// alone, not on a clock or on files, so that the same command gives the same digits each time.
  virtual void note_calls(std::int64_t /*made*/, double /*left*/) const {}
  /// The machine code that call() would run, valid as long as the kernel lives; null where there is none, or none yet.
  /// If the code returns a value other than 0, use call() instead.
  virtual KernelCode* code(KernelFunction /*function*/) const { return nullptr; }
  /// What executes the kernel at present, for display: "interpreter", "machine code of LLVM 19.1.7"; empty where the
  /// kernel is code of the program itself.
  virtual std::string computed_by() const { return {}; }
  /// The linearised equations (linearization.h), derived on the first call; null where the kernel has none.
  virtual const Linearization* linearization() const { return nullptr; }
};

/// Number of doubles that `function` writes.
std::size_t output_size(const Layout& layout, KernelFunction function);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The numeric side of a constrained system, as functions of numbers: what a tape, machine code or a hand-written class
// provides.
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
  /// nv; empty where v = q̇: those of the coordinates, per s. A velocity that is the rate of a coordinate has its name.
  std::vector<std::string> velocities, velocity_units;
  std::vector<std::string> rows, row_units, lambda_units;  ///< m: "pin[1]"; [h] or [η]; unit of λ
  int actuated = 0;  ///< so many last rows are coordinates that follow a function of time; λ is what drives them
  std::vector<std::string> parameters;
  std::vector<std::string> inputs, input_units;
  std::vector<std::string> outputs, output_units;
  std::vector<std::string> conserved;  ///< "p[phi]": what conserved quantity i is
  std::vector<std::string> frictions, friction_units;

  /// What entries of M, B, F … are named by: velocities, or the coordinates that they are the rates of.
  const std::vector<std::string>& of_motion() const { return velocities.empty() ? coordinates : velocities; }
  std::size_t constraint_rows() const { return rows.size() - static_cast<std::size_t>(actuated); }
  /// Row r as messages name it: "pin[1]", "alpha, which is prescribed".
  std::string row(std::size_t r) const { return r < constraint_rows() ? rows[r] : rows[r] + " (prescribed)"; }
  /// "theta'", or a velocity's own name; "velocity 3" where there is none.
  std::string velocity(std::size_t i) const {
    if (i < velocities.size()) return is_coordinate(velocities[i]) ? velocities[i] + "'" : velocities[i];
    return i < coordinates.size() ? coordinates[i] + "'" : "velocity " + std::to_string(i + 1);
  }
  bool is_coordinate(const std::string& name) const {
    for (const std::string& coordinate : coordinates)
      if (coordinate == name) return true;
    return false;
  }
  /// All of them.
  std::vector<std::string> velocity_names() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < of_motion().size(); ++i) names.push_back(velocity(i));
    return names;
  }
};

/// What a kernel can compute. In each row: what `out` receives, packed in this order (layout.h says where).
enum class KernelFunction {
  kPosition,    ///< h[m_h], at (t, q); unless v_is_qdot then also its terms' size Σ|∂h/∂q_j q_j| [m_h]
  kVelocity,    ///< W[nnz], a[m], at (t, q)
  kKinematics,  ///< N[nnz], n₀[nq], at (t, q); nothing where v_is_qdot
  kMass,        ///< M[nnz], at (t, q, v)
  kTerms,       ///< M[nnz], B[nv], G[nv], F[nv], W[nnz], a[m], gamma[m], at (t, q, v, u)
  kRates,       ///< M[nnz], f[nv] = F − B − G, W[nnz], gamma[m], at (t, q, v, u): what the KKT solve needs
  kEnergy,      ///< T, V, E = q̇·∂L/∂q̇ − L, ∂L/∂t, F·q̇, then conserved[..], at (t, q, v, u)
  kInputs,      ///< u[inputs], at t
  kOutputs,     ///< outputs[..], at (t, q, v, qdd, lambda, u)
  kPower,  ///< dE/dt = F·q̇ − λᵀa − ∂L/∂t, at (t, q, v, lambda, u), forces that depend on multipliers included
  /// Φ[nnz], C[nnz], ∂N/∂λ[nnz], then of each friction c₀, γ_c, N₀, μ, μ_s, c (friction.h), at (t, q, v, u); nothing
  /// unless load_dependent(). F elsewhere is what is left of the forces without multipliers.
  kFriction,

  // The KKT system (dynamics/kkt.h) factored and solved within the function. Only where Kernel::solves_kkt(); each has
  // trust[2], see trusted().
  kAccelerations,  ///< v̇[nv], lambda[m], trust[2], at (t, q, v, u)
  /// h[m_h], its terms' size Σ|∂h/∂q_j q_j| [m_h], δ[nv], trust[2], at (t, q, v): M δ = W_hᵀμ, W_h δ = −h
  kPositionStep,
  /// Wv + a [m], Σ|W_ij v_j| + |a_i| [m], δv[nv], trust[2], then what makes the residuals: W[nnz], a[m] and all that
  /// kPosition writes, at (t, q, v): M δv = Wᵀμ, W δv = −(Wv + a)
  kVelocityStep,
};
inline constexpr int kKernelFunctions = 14;

/// Arguments of a call; a function reads only those named in its row above (and u where Layout::driven), the others may
/// be null.
struct KernelArguments {
  double t = 0;
  const double* q = nullptr;         ///< nq
  const double* v = nullptr;         ///< nv
  const double* qdd = nullptr;       ///< nv: v̇
  const double* lambda = nullptr;    ///< layout().multipliers()
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
  /// What computes now, for people: "interpreter", "machine code of LLVM 19.1.7"; empty where the kernel is code of the program itself.
  virtual std::string computed_by() const { return {}; }
  /// The equations linearised (linearization.h), made when first asked for; null where the kernel cannot say.
  virtual const Linearization* linearization() const { return nullptr; }
};

/// Number of doubles that `function` writes.
std::size_t output_size(const Layout& layout, KernelFunction function);

}  // namespace dalembert

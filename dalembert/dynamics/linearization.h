// SPDX-License-Identifier: Apache-2.0
// The equations of motion linearised about a state, its accelerations and its multipliers:
//
//   r(q, v) = M q̈ − f − Wᵀλ,   c(q, v) = W q̈ + γ        with q̈, λ and t held
//
// The derivatives of r and c are as sparse as the equations. Those of q̈(q, v) itself, −K⁻¹ ∂(r, c) with the KKT matrix
// K = (M, −Wᵀ; W, 0), are full. So implicit methods solve with K and the sparse derivatives (integrate/kkt_newton.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// Immutable and safe to call from many threads, each with its own scratch memory.
class Linearization {
 public:
  virtual ~Linearization() = default;
  /// Pattern of the derivatives of (r, c) by (q, v). Rows: r[n], then c[m]; columns: q[n], then v[n].
  const Pattern& pattern() const { return pattern_; }
  std::size_t work() const { return work_; }  ///< doubles of scratch memory that a call needs
  /// Computes the entries of pattern(). Reads t, q, v, qdd, lambda, u and p; `in.work` holds work() doubles.
  virtual void call(const KernelArguments& in, double* out) const = 0;

 protected:
  Pattern pattern_;
  std::size_t work_ = 0;
};

/// Points at which RunDerivatives are computed: entry i of lane l is at [i · lanes + l], but for p and prepared, which lanes share.
struct DerivativePoints {
  const double *t = nullptr, *q = nullptr, *v = nullptr, *qdd = nullptr, *lambda = nullptr, *u = nullptr;
  const double *p = nullptr, *prepared = nullptr;
  double* work = nullptr;  ///< RunDerivatives::work() doubles
};

/// The exact derivatives along a run, or what they are found from implicitly (integrate/implicit_derivatives.h): for systems that are load_dependent(), have no
/// fixed order of elimination, or whose accelerations are longer than their residuals are hard to solve. Immutable and safe to call from many threads.
class RunDerivatives {
 public:
  /// What is differentiated, in the notation of dynamics/kernel.h, by the arguments that the function reads.
  enum class Part {
    kRates,          ///< q̇ [nq]; only unless v_is_qdot
    kAccelerations,  ///< v̇[nv], λ[m]; the values of v̇, λ and trust[2] follow the derivatives
    // No derivatives: x[nv] and λ[m_h] or λ[m] with M x − Wᵀλ = b, −W x = c, for W of the holonomic rows or of all; b and c in the places of v̇ and λ. For b = 0 x
    // is the step onto the constraints that removes the residual c.
    kPositionStep,
    kVelocityStep,
    kOutputs,
    kIntegrands,
    kRows,  ///< h of the holonomic rows, W v + a [m], v_s [k]
    /// In place of kAccelerations and both steps, with v̇, λ and the forces of frictions held:
    kResiduals  ///< M v̇ − f − (Wᵀ + Φ)λ + Cᵀf [nv], W v̇ + γ [m], C v̇ + γ_c [k], N, v_s, μ, c [k each], in the symbols of dynamics/friction.h
  };
  static constexpr std::size_t kParts = 8;
  /// Offset of each group of columns in all patterns: q, v, v̇, λ with the forces of frictions, inputs, those parameters that were asked for, integrals.
  struct Columns {
    int q = 0, v = 0, qdd = 0, lambda = 0, u = 0, p = 0, integrals = 0, end = 0;
  };

  virtual ~RunDerivatives() = default;
  const Columns& columns() const { return columns_; }
  bool has(Part part) const { return has_[static_cast<std::size_t>(part)]; }
  /// Rows and columns of the entries that are not zero by structure.
  const Pattern& pattern(Part part) const { return patterns_[static_cast<std::size_t>(part)]; }
  /// Number of points of one call: kLanes for the parts that are needed at several points of a step, else 1.
  static constexpr int kLanes = 8;
  static int lanes(Part part) {
    return part == Part::kAccelerations || part == Part::kRates || part == Part::kIntegrands ? kLanes : 1;
  }
  /// Numbers that call() writes for each lane: the entries of the pattern, then values.
  std::size_t size(Part part) const { return sizes_[static_cast<std::size_t>(part)]; }
  std::size_t work() const { return work_; }          ///< doubles of scratch memory that a call needs
  std::size_t prepared() const { return prepared_; }  ///< numbers that prepare() writes
  /// Whether inputs depend on the parameters that were asked for.
  bool inputs_depend() const { return !of_inputs_.row.empty(); }
  /// The entries that call_inputs() writes: a row for each input, a column for each of these parameters, row by row.
  const Pattern& pattern_of_inputs() const { return of_inputs_; }

  virtual void prepare(const double* p, double* prepared) const = 0;
  virtual void call(Part part, const DerivativePoints& in, double* out) const = 0;
  /// Writes the derivatives of the inputs at one point by the parameters: the entries of pattern_of_inputs().
  virtual void call_inputs(const DerivativePoints& in, double* out) const = 0;
  /// Runs tell how many calls they have made since they last told and about how many are still to come, so that machine code can be made for these. Thread-safe.
  virtual void note_calls(std::int64_t /*made*/, double /*left*/) const {}
  /// Announces many calls, as Kernel::expect_many_calls() does: for runs on several threads, whose counts are in no order.
  virtual void expect_many_calls() const {}

 protected:
  Columns columns_;
  bool has_[kParts] = {};
  Pattern patterns_[kParts], of_inputs_;
  std::size_t sizes_[kParts] = {}, work_ = 0, prepared_ = 0;
};

}  // namespace dalembert

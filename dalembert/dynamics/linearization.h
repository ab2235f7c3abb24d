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

/// Derivatives of the accelerations of a system whose kernel solves_kkt(). Immutable and safe to call from many threads.
class AccelerationDerivatives {
 public:
  virtual ~AccelerationDerivatives() = default;
  /// Computes ∂v̇/∂q, ∂v̇/∂v, and ∂v̇/∂p for each parameter that was asked for, including the dependence of inputs on p: nv rows of
  /// nq + nv + (number of these parameters) numbers. Reads t, q, v, u and p. Valid where the pivots of kAccelerations are trusted().
  virtual void call(const KernelArguments& in, double* out) const = 0;
  std::size_t work() const { return work_; }  ///< doubles of scratch memory that a call needs
  /// Tells how many calls a run has made, so that machine code can be made for later ones. Thread-safe.
  virtual void note_calls(std::int64_t /*made*/) const {}

 protected:
  std::size_t work_ = 0;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Private to dalembert: the linear algebra of the steps of assemble() in the free velocities, for chosen rows of W. A vector of
// velocities has nv entries, 0 for held ones; a vector of rows has one entry for each chosen row.
//
//   constrained    min ½ (δ − pull)ᵀM(δ − pull)  subject to  W δ = −r                                    (1)
//   damped         min ½ ‖S(W δ + r)‖² + ½ damping · δᵀN δ                                               (2)
//
// S scales rows to norm 1; N is the metric M divided by its largest diagonal entry (dense steps take only the diagonal
// of M). Dense steps solve (1) by KktSolver, which finds ranks. Sparse steps factor the quasidefinite system by LDLᵀ:
//
//   ⎡ N    (SW)ᵀ ⎤ ⎡ δ ⎤   ⎡ N pull ⎤
//   ⎣ SW    −μ   ⎦ ⎣ y ⎦ = ⎣  −S r  ⎦        μ = damping for (2); for (1) a tiny μ, whose effect iterative refinement removes
#pragma once

#include <memory>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert::assembly {

using Vector = std::vector<double>;

/// A selection of coordinates or rows: `chosen` lists the selected indices, `place` is the position of each index in
/// that list, -1 if it is not selected.
struct Places {
  Places(std::vector<int> chosen, int count);
  std::size_t size() const { return chosen.size(); }
  std::vector<int> chosen, place;
};

/// After set_metric() and set_rows() nothing is left of what it solved before: one object serves one assembly after the other.
class Steps {
 public:
  virtual ~Steps() = default;
  /// Takes the metric as packed values in the pattern layout.M. False when a value is not finite.
  virtual bool set_metric(const Vector& M) = 0;
  /// Takes W as packed finite values in the pattern layout.W; `scale` is the diagonal of S.
  virtual void set_rows(const Vector& W, const Vector& scale) = 0;

  /// Factors the matrix of (1). Where the metric is singular on the motions that the rows allow, the identity replaces
  /// it from here on. False when the factorization fails even so. Directions in which scaled rows differ by less than
  /// the tolerance do not add to the rank.
  virtual bool factor(double rank_tolerance) = 0;
  /// Solves (1); a null `pull` is zero. One factor() serves any number of calls.
  virtual bool constrained_step(const Vector* pull, const Vector& r, Vector& step) = 0;
  /// Solves (2).
  virtual bool damped_step(double damping, const Vector& r, Vector& step) = 0;
  /// Approximate number of multiplications in factor() or damped_step(); 0 for sparse steps, whose cost is not limited.
  virtual double work() const { return 0; }
  /// The length √(xᵀMx) of a displacement, up to a constant factor.
  virtual double length(const Vector& x) const = 0;
};

/// Dense steps for small systems and where sparse factors would fill in, else sparse ones. Null when the dense matrix
/// would be too large.
std::unique_ptr<Steps> make_steps(const Layout& layout, Places coordinates, Places rows);
std::unique_ptr<Steps> make_dense_steps(const Layout& layout, Places coordinates, Places rows);
/// Sparse steps; null when the sparse factors would fill in.
std::unique_ptr<Steps> make_sparse_steps(const Layout& layout, Places coordinates, Places rows);

}  // namespace dalembert::assembly

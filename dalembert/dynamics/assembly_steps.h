// SPDX-License-Identifier: Apache-2.0
// Private to assemble(): the linear algebra of its steps along the velocities that are free, for some rows of W. Vectors
// over velocities have nv entries, 0 at what is held; those over rows one for each row chosen.
//
//   constrained    min ½ (δ − pull)ᵀM(δ − pull)  subject to  W δ = −r                                    (1)
//   damped         min ½ ‖S(W δ + r)‖² + ½ damping · δᵀN δ                                               (2)
//
// S scales rows to norm 1; N is the metric M divided by its largest diagonal entry (dense: its diagonal alone).
// Dense: the KKT core, which finds ranks. Sparse: LDLᵀ of the quasidefinite
//
//   ⎡ N    (SW)ᵀ ⎤ ⎡ δ ⎤   ⎡ N pull ⎤
//   ⎣ SW    −μ   ⎦ ⎣ y ⎦ = ⎣  −S r  ⎦        μ = damping, or next to nothing and then refined away for (1)
#pragma once

#include <memory>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert::assembly {

using Vector = std::vector<double>;

/// What the coordinates and rows that take part are called among themselves; -1: takes no part.
struct Places {
  Places(std::vector<int> chosen, int count);
  std::size_t size() const { return chosen.size(); }
  std::vector<int> chosen, place;
};

class Steps {
 public:
  virtual ~Steps() = default;
  /// From packed values, layout.M. False when one is not finite.
  virtual bool set_metric(const Vector& M) = 0;
  /// From packed values, layout.W, all finite; `scale` is the diagonal of S.
  virtual void set_rows(const Vector& W, const Vector& scale) = 0;

  /// For (1). Where the metric is singular on the motions allowed, the plain one takes its place from here on. False
  /// when there is no solution. Directions in which scaled rows differ by less than the tolerance count as none.
  virtual bool factor(double rank_tolerance) = 0;
  /// (1); `pull` null: 0. May be called many times after one factor().
  virtual bool constrained_step(const Vector* pull, const Vector& r, Vector& step) = 0;
  /// (2)
  virtual bool damped_step(double damping, const Vector& r, Vector& step) = 0;
  /// Multiplications of factor() or of a damped step, about, where they count: 0 of sparse ones.
  virtual double work() const { return 0; }
  /// √(xᵀMx) up to a constant factor
  virtual double length(const Vector& x) const = 0;
};

/// Dense for small systems and where the sparse factors would fill in; null when that is too large.
std::unique_ptr<Steps> make_steps(const Layout& layout, Places coordinates, Places rows);
std::unique_ptr<Steps> make_dense_steps(const Layout& layout, Places coordinates, Places rows);
/// Null when the factors would fill in.
std::unique_ptr<Steps> make_sparse_steps(const Layout& layout, Places coordinates, Places rows);

}  // namespace dalembert::assembly

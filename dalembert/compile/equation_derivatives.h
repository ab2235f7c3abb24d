// SPDX-License-Identifier: Apache-2.0
// Everything that determines the motion at a state, with its exact first derivatives: what a linearisation and a search
// for equilibria are made of.
//
//   r = M v̇ − f − (Wᵀ + Φ)λ   c = W v̇ + γ   w = W v + a   h   k = q̇ of v   y: the model's outputs
//
// v̇ and λ count as arguments of their own, so r and c have second derivatives of constraints in them (λ·∂W, ∂γ) and
// forces may depend on λ.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// Where the parts are: offsets into the functions, their number.
struct DerivativeRows {
  std::size_t r = 0, c = 0, w = 0, h = 0, k = 0, y = 0, end = 0;
};
/// And of what they are derivatives by: coordinates, velocities, v̇, λ, inputs, t.
struct DerivativeColumns {
  std::size_t q = 0, v = 0, vdot = 0, lambda = 0, u = 0, t = 0, end = 0;
};

/// A point to evaluate at: nq, nv, nv, m and inputs numbers.
struct MotionPoint {
  double t = 0;
  std::vector<double> q, v, vdot, lambda, u;
};

/// Parts of the graph of the equations (expr.h) up to which derivatives are made: a chain of 47 links in space in the
/// angles of its hinges, which takes some 3 s; of sparse equations 1,500 links.
inline constexpr std::size_t kMostDifferentiated = 200'000;

/// Immutable; safe to use from many threads.
class EquationDerivatives {
 public:
  explicit EquationDerivatives(const Equations& equations);

  const DerivativeRows& rows() const { return rows_; }
  const DerivativeColumns& columns() const { return columns_; }
  /// Places of the entries that are not zero by structure.
  const Pattern& pattern() const { return pattern_; }
  /// Whether a row of r, c, w, h or k has an entry in this column; of a coordinate one that is not 0 but for round-off at
  /// random points, with the parameters of the model (the angle of a wheel). What conditions, abs, sign … choose by counts.
  bool motion_depends_on(std::size_t column) const { return depends_[column]; }

  /// Instructions of one call of derivatives().
  std::size_t instructions() const { return derivatives_.instructions.size(); }

  /// rows().end numbers.
  std::vector<double> values(const Dynamics& dynamics, const MotionPoint& at) const;
  /// The values of pattern().
  std::vector<double> derivatives(const Dynamics& dynamics, const MotionPoint& at) const;

 private:
  void find_dependence(const Equations& equations);
  void find_choices(const Equations& equations, const std::vector<Expr>& functions);

  DerivativeRows rows_;
  DerivativeColumns columns_;
  Pattern pattern_;
  std::vector<bool> depends_;  // by column
  Tape values_, derivatives_;
};

}  // namespace dalembert

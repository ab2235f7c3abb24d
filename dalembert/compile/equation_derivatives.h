// SPDX-License-Identifier: Apache-2.0
// The functions that determine the motion at a state, with their exact first derivatives: for linearisations and the
// search for equilibria. (Symbols: derive/equations.h; h are the residuals of the constraints on positions.)
//
//   r = M v̇ − f − (Wᵀ + Φ)λ   c = W v̇ + γ   w = W v + a   h   k = q̇ as a function of v   y: the model's outputs
//
// v̇ and λ are independent arguments, so the derivatives of r and c contain second derivatives of the constraints
// (λ·∂W, ∂γ), and forces may depend on λ.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// Offset of each part in the list of functions; `end` is the number of functions.
struct DerivativeRows {
  std::size_t r = 0, c = 0, w = 0, h = 0, k = 0, y = 0, end = 0;
};
/// Offset of each group of arguments that derivatives are taken by: coordinates, velocities, v̇, λ, inputs, t; `end` is
/// the number of arguments.
struct DerivativeColumns {
  std::size_t q = 0, v = 0, vdot = 0, lambda = 0, u = 0, t = 0, end = 0;
};

/// Number of parts of the equations' graph (expr.h) up to which derivatives are made. A spatial chain in the angles of
/// its hinges reaches it with 47 links, which takes some 3 s; a chain with sparse equations with 1,500 links.
inline constexpr std::size_t kMostDifferentiated = 200'000;

/// Immutable; safe to use from many threads.
class EquationDerivatives {
 public:
  explicit EquationDerivatives(const Equations& equations);

  const DerivativeRows& rows() const { return rows_; }
  const DerivativeColumns& columns() const { return columns_; }
  /// Rows and columns of the entries that are not zero by structure.
  const Pattern& pattern() const { return pattern_; }
  /// Whether r, c, w, h or k (see above) depends on the argument of this column. An entry that is not zero by structure
  /// suffices, but for a coordinate it must also exceed round-off at random points, with the model's parameters: terms
  /// may cancel (the angle of a wheel). A coordinate and the time also count if conditions, abs, sign … choose a branch
  /// by them. Neither counts where rows α − ω t drive coordinates α at constant rates ω, and nothing else contains them.
  /// The time does not count either where the values of the model's parameters take it out exactly: A sin(ωt) with A = 0.
  bool motion_depends_on(std::size_t column) const { return depends_[column]; }
  /// Whether the formula of an input contains the time, with the values of the model's parameters.
  bool inputs_depend_on_time() const { return inputs_depend_on_time_; }
  /// Whether values of parameters decide that the motion does not depend on time: other values may decide otherwise.
  bool values_decide_time() const { return values_decide_time_; }

  /// Instructions of one call of derivatives().
  std::size_t instructions() const { return derivatives_.instructions.size(); }

  /// The values of all functions at a point: rows().end numbers.
  std::vector<double> values(const Dynamics& dynamics, const MotionPoint& at) const;
  /// The derivatives at a point: the values of the entries of pattern().
  std::vector<double> derivatives(const Dynamics& dynamics, const MotionPoint& at) const;

 private:
  // By entry of the pattern: whether it is not 0.
  std::vector<bool> find_dependence(const Equations& equations);
  // By column: whether conditions choose by it.
  std::vector<bool> find_choices(const Equations& equations, const std::vector<Expr>& functions) const;
  void find_time(const Equations& equations, const std::vector<Expr>& functions);
  void find_drives(const Equations& equations, const std::vector<bool>& counts, const std::vector<bool>& chosen_by);

  DerivativeRows rows_;
  DerivativeColumns columns_;
  Pattern pattern_;
  std::vector<bool> depends_;  // by column: motion_depends_on()
  bool inputs_depend_on_time_ = false, values_decide_time_ = false;
  Tape values_, derivatives_;
};

}  // namespace dalembert

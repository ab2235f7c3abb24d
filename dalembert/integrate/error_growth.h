// SPDX-License-Identifier: Apache-2.0
// Private to integrate: how the errors of the steps grow on the way to the end of a run.
//
// An error δ = (δq, δv) of the state obeys the linearised motion, and every step adds its own error e:
//   δq' = δv,   δv' = J δ,   J δ = (q̈(q + εδq, v + εδv) − q̈(q, v))/ε;     δ ← δ ± e                         (1)
// e is the embedded error estimate of the step plus round-off, with the sign that lengthens δ, so that errors which may
// add up in truth do not cancel here. (1) is integrated over stretches, each from the end of one step to the end of a
// later one, by velocity Verlet. Adams–Bashforth predicts the new velocity (H₀ is the length of the previous stretch):
//   δq₁ = δq + H δv + H²/2 g,   g₁ = J(δq₁, δv + H g + H²/(2H₀) (g − g₀)),   δv₁ = δv + H/2 (g + g₁)          (2)
// (2) keeps the amplitude of oscillations (H·ω < 1.4) and of gyroscopic motions (H·Ω < 0.5); its own
// error is small compared with the uncertainty of e. Where g damps δv so strongly that (2) would be
// unstable, HΓ > 1 with Γ = −g·g/g·δv,
//   δv₁ = δv + H g/(1 + HΓ),   δq₁ = δq + H/2 (δv + δv₁)                                                      (3)
// Where v is not q̇, δq' = k = N δv + (∂(N v + n₀)/∂q) δq, a difference as well, and
//   δq₁ = δq + H/2 (k + k₁)                                                                                  (4)
// solved by three iterations, so that a pure rotation does not lengthen δq.
// A stretch costs one evaluation, since q̈(q, v) is known at the ends of steps. Every few stretches δ is
// projected onto the tangent space of the manifold, since (1) is stable only there. Implicit methods propagate δ
// themselves, with the factors of the step.
// Sources: Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., I.10 and II.3 (transport of errors); Skeel, Numer. Math.
// 48 (1986) 1-20 (estimates of the global error); Benettin, Galgani, Giorgilli & Strelcyn, Meccanica 15 (1980) 9-20
// (tangent vectors and the growth of errors in chaotic motion).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/base/number_block.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

class OneStepMethod;

namespace integration {

/// The named error is this multiple of the error |δ| that is followed: the embedded estimates give the size of
/// the steps' errors, but not their direction. Measured on random runs (tests/judge/judge_verdicts.py).
inline constexpr double kOverestimate = 10;
/// If the error exceeds this fraction of the motion, no digit can be trusted.
inline constexpr double kDigitsLost = 0.1;
/// The motion of a coordinate counts as at least this fraction of the largest motion in the same unit.
inline constexpr double kMinorMotion = 1e-3;

class ErrorGrowth {
 public:
  /// If not `enabled`, due() is never true and nothing is estimated. `workspace` is the run's; its basis must hold the
  /// independent rows at the end of a step. advance() overwrites its other contents.
  ErrorGrowth(const Dynamics& dynamics, Workspace& workspace, double atol, bool enabled);

  /// Takes the state y = (q, v) at the start of the run.
  void start(double t, const double* y);
  /// The sum of the estimated errors of the steps since the last advance(), one number for each component of y.
  double* step_errors() { return step_errors_.data(); }
  /// Counts a step that has ended. True if advance() is to be called with the state there.
  bool due() { return ++steps_ >= every_; }
  bool pending() const { return enabled_ && steps_ > 0; }
  /// Follows the error δ to the end of the last step; y and qdd are the state and the accelerations there.
  void advance(double t, const double* y, const double* qdd);

  /// Follows the error δ over one step of an implicit method, which propagates it by OneStepMethod::carry(); an
  /// explicit scheme such as (2) would be unstable.
  void carry(double t, const double* y, OneStepMethod& method);

  /// Called after a jump of the state at the time that advance() or carry() has reached. `carry` replaces the error of
  /// the state before the jump, nq + nv numbers, by that of the state after it.
  template <class Carry>
  void jump(const Carry& carry) {
    carry(delta_.data());
    forget_rates();
    share_ = share_of(delta_);
    note_size(at_);
  }

  bool enabled() const { return enabled_; }
  std::span<const double> error() const { return largest_; }  ///< largest recent |δ|, by component of y
  std::span<const double> range() const { return range_; }    ///< max q_i − min q_i, then max |v_i|
  std::span<const double> size() const { return size_; }      ///< max |y_i|, by component of y
  std::size_t coordinates() const { return nq_; }
  /// For each component of y the number of its group: all coordinates, or all velocities, of one unit.
  const std::vector<std::size_t>& groups() const { return group_; }
  /// The entry of `of_coordinates` for the coordinate whose rate the velocity is. Where v is not q̇: the largest entry
  /// among the coordinates that the velocity moves.
  double over_moved(std::span<const double> of_coordinates, int velocity) const {
    const bool plain = dynamics_.layout().v_is_qdot;
    return plain ? of_coordinates[static_cast<std::size_t>(velocity)] : largest_moved(of_coordinates, velocity);
  }
  /// The time since which the named error has exceeded kDigitsLost of the motion; empty if it does not.
  std::optional<double> lost_at() const { return lost_at_; }
  std::int64_t evaluations() const { return evaluations_; }

 private:
  void group_by_units();
  void forget_rates();
  void look_at(const double* y);
  void add_step_errors(const double* y);
  void end_stretch(const double* y);
  void note_size(double t);
  bool slope(double t, const double* y, const double* qdd, double* g);
  void back_to_tangents(double t, const double* y);
  double damping() const;
  void move_coordinates(double t, const double* y, double H, const double* dv0, const double* dv1);
  double largest_moved(std::span<const double> of_coordinates, int velocity) const;
  double share_of(std::span<const double> change) const;
  bool find_rates(double t, const double* y, const double* dq, const double* dv, double* rates);
  void choose_stretch(double step);

  const Dynamics& dynamics_;
  const bool enabled_;
  const std::size_t nq_, nv_, ny_;
  const double atol_;
  Workspace& workspace_;
  double at_ = 0, last_stretch_ = 0;
  NumberBlock memory_;
  std::span<double> lowest_, highest_, range_, size_, weight_;
  std::span<double> delta_, step_errors_, g_, g_before_, g_next_, shifted_, lambda_,
      largest_;                                                  // empty where not enabled
  std::span<double> rates_before_, rates_, qdot_, dq_, beside_;  // empty where v = q̇, too
  std::vector<std::size_t> group_;                               // for each component of y: its group of one unit
  std::vector<double> group_range_;                              // largest range in each group
  double turn_ = 0;                                              // rate |J| of the error's change · length of a step
  double share_ = 0;                                             // max |δ_i|·weight_i: δ relative to the motion
  int steps_ = 0, every_ = 1, stretches_ = 0;
  std::optional<double> lost_at_;
  std::int64_t evaluations_ = 0;
};

}  // namespace integration
}  // namespace dalembert

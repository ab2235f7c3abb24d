// SPDX-License-Identifier: Apache-2.0
// Private to integrate: how the errors of the steps grow on the way to the end of a run.
//
// An error δ = (δq, δv) of the state obeys the linearised motion, and every step adds its own error e:
//   δq' = δv,   δv' = J δ,   J δ = (q̈(q + εδq, v + εδv) − q̈(q, v))/ε;     δ ← δ ± e                         (1)
// e is the embedded estimate of the step and round-off, with the sign that makes δ longer: nothing cancels that may
// add up in truth. (1) is followed over stretches from the end of one step to that of another, by velocity Verlet whose
// new velocity is predicted by Adams–Bashforth (H₀: the stretch before):
//   δq₁ = δq + H δv + H²/2 g,   g₁ = J(δq₁, δv + H g + H²/(2H₀) (g − g₀)),   δv₁ = δv + H/2 (g + g₁)          (2)
// (2) keeps the amplitude of oscillations (H·ω < 1.4) and of gyroscopic motions (H·Ω < 0.5); its own error is small
// beside what is not known of e. Where g damps δv so strongly that (2) would be unstable, HΓ > 1 with Γ = −g·g/g·δv,
//   δv₁ = δv + H g/(1 + HΓ),   δq₁ = δq + H/2 (δv + δv₁)                                                      (3)
// Where v is not q̇, δq' = k = N δv + (∂(N v + n₀)/∂q) δq, a difference as well, and
//   δq₁ = δq + H/2 (k + k₁)                                                                                  (4)
// by three iterations: turning alone makes δq no longer.
// A stretch costs one evaluation, for q̈(q, v) is known at the ends of steps; now and then δ is put back onto the tangent
// space of the manifold, where alone (1) is stable. Implicit methods carry δ themselves, with the factors of the step.
// Sources: Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., I.10 and II.3 (transport of errors); Skeel, Numer. Math.
// 48 (1986) 1-20 (estimates of the global error); Benettin, Galgani, Giorgilli & Strelcyn, Meccanica 15 (1980) 9-20
// (tangent vectors and the growth of errors in chaotic motion).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dalembert/dynamics/workspace.h"

namespace dalembert {

class OneStepMethod;

namespace integration {

/// What is named is this many times what (1) of error_growth.h gives: the embedded estimates stand for the errors of
/// steps in size, not in direction. Measured on random runs (tests/judge/judge_verdicts.py).
inline constexpr double kOverestimate = 10;
/// An error of more than this of the motion leaves no digit to trust.
inline constexpr double kDigitsLost = 0.1;
/// A coordinate's motion counts from this part of the largest one in the same unit.
inline constexpr double kMinorMotion = 1e-3;

class ErrorGrowth {
 public:
  /// Not `enabled`: never due(), nothing is estimated. The workspace is the run's: its rows of W that are independent
  /// at the end of a step; what else it holds is overwritten by advance().
  ErrorGrowth(const Dynamics& dynamics, Workspace& workspace, double atol, bool enabled);

  /// The state y = (q, v) at the start of the run.
  void start(double t, const double* y);
  /// Where the estimated errors of the steps since the last advance() are summed up: of y.
  double* step_errors() { return step_errors_.data(); }
  /// A step has ended; true: tell advance() the state there.
  bool due() { return ++steps_ >= every_; }
  bool pending() const { return enabled_ && steps_ > 0; }
  /// To the end of the last step: the state there and its accelerations.
  void advance(double t, const double* y, const double* qdd);

  /// The same over one step of an implicit method, which carries changes of the state itself: (2) would be unstable there.
  void carry(double t, const double* y, OneStepMethod& method);

  /// The state has jumped where advance() or carry() has come to: `carry` makes of δ, nq + nv numbers, that of the state after.
  template <class Carry>
  void jump(const Carry& carry) {
    carry(delta_.data());
    forget_rates();
  }

  bool enabled() const { return enabled_; }
  const std::vector<double>& error() const { return largest_; }  ///< of y: the largest |δ| of late
  const std::vector<double>& range() const { return range_; }    ///< of y: max q_i − min q_i, max |v_i|
  const std::vector<double>& size() const { return size_; }      ///< of y: max |y_i|
  std::size_t coordinates() const { return nq_; }
  /// Of a quantity of coordinates the one of the coordinate that a velocity is the rate of, or the largest among those
  /// that it moves.
  double over_moved(const std::vector<double>& of_coordinates, int velocity) const {
    const bool plain = dynamics_.layout().v_is_qdot;
    return plain ? of_coordinates[static_cast<std::size_t>(velocity)] : largest_moved(of_coordinates, velocity);
  }
  /// Since when |δ| has been larger than `kLost` of the motion.
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
  double largest_moved(const std::vector<double>& of_coordinates, int velocity) const;
  double share_of(const std::vector<double>& change) const;
  bool find_rates(double t, const double* y, const double* dq, const double* dv, double* rates);
  void choose_stretch(double step);

  const Dynamics& dynamics_;
  const bool enabled_;
  const std::size_t nq_, nv_, ny_;
  const double atol_;
  Workspace& workspace_;
  double at_ = 0, last_stretch_ = 0;
  std::vector<double> delta_, step_errors_, g_, g_before_, g_next_;
  std::vector<double> lowest_, highest_, range_, size_, weight_, shifted_, lambda_, largest_;
  std::vector<std::size_t> group_;                                 // of each of y: with those of one unit
  std::vector<double> group_range_;                                // the largest of them
  std::vector<double> rates_before_, rates_, qdot_, dq_, beside_;  // empty where v = q̇
  double turn_ = 0;                                                // |J| along δ times the length of a step
  double share_ = 0;                                               // of the motion: max |δ_i|·weight_i
  int steps_ = 0, every_ = 1, stretches_ = 0;
  std::optional<double> lost_at_;
  std::int64_t evaluations_ = 0;
};

}  // namespace integration
}  // namespace dalembert

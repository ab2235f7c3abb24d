// SPDX-License-Identifier: Apache-2.0
// Private to integrate: what is integrated. Accelerations come from here alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/names.h"
#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/slide.h"

namespace dalembert::integration {

// y = (q, v, w): q' = N v + n₀ (v where v = q̇), v' = v̇, w' = F·q̇ − λᵀa − ∂L/∂t where the power balance is kept.
class Motion final : public RightHandSide {
 public:
  Motion(const Dynamics& dynamics, bool with_power)
      : workspace(dynamics),
        dynamics_(dynamics),
        with_power_(with_power),
        nq_(index(dynamics.nq())),
        nv_(index(dynamics.nv())),
        m_(index(dynamics.layout().multipliers())),
        lambda_(m_),
        at_(lambda_.data()),
        projected_(nq_ + nv_) {}

  /// q, v and w.
  int size() const { return static_cast<int>(nq_ + nv_) + (with_power_ ? 1 : 0); }
  /// Numbers that evaluate() writes: the slope, then what a kernel that solves has to say after v̇ (KernelFunction).
  int room() const { return static_cast<int>(nq_ + nv_ + m_) + 2; }
  bool evaluate(double t, const double* y, double* dydt) override;
  std::size_t copied() const override { return on_manifold || !dynamics_.layout().v_is_qdot ? 0 : nv_; }
  /// Of the last evaluation, as long as its `dydt` is untouched.
  std::span<const double> lambda() const { return {at_, m_}; }

  /// v̇ and the multipliers at a point, for those who look there on their way: evaluate() has no part in it.
  bool find_forces(double t, const double* y, double* qdd, double* multipliers);

  // The motion slides on the limits of guards (slide.h).
  bool sliding() const { return !slide_.empty(); }
  bool slides_on(std::size_t guard) const { return slide_.contains(guard); }
  void slide_on(std::size_t guard) { slide_.add(guard); }
  void leave_slide(std::size_t guard) { slide_.remove(guard); }
  void hold_slide(const Branches& branches) { slide_.hold(branches); }
  double share_outside(std::size_t& guard, double& share) const { return slide_.outside(guard, share); }
  std::size_t slides() const { return slide_.shares().size(); }

  Workspace workspace;
  KktStatus status = KktStatus::kOk;
  std::int64_t evaluations = 0;
  /// f at the nearest state on the manifold instead (leaps.cpp).
  bool on_manifold = false;
  double manifold_tolerance = 0;  ///< residuals above it are no projection; units of the rows
  /// Over the evaluations since they were set to 0: of the KKT solve and of |λ|.
  double largest_loss = 0, largest_lambda = 0;
  double least_grip = std::numeric_limits<double>::infinity(),
         largest_grip = 0;  ///< of steps without λ (elimination.h)
  void note_grip(double grip) {
    least_grip = std::min(least_grip, grip);
    largest_grip = std::max(largest_grip, grip);
  }
  std::vector<double> shares;  ///< likewise, of each evaluation of a slide the shares of its guards

 private:
  double power(double t, const double* q, const double* v);
  bool evaluate_slowly(double t, const double* y, double* dydt);

  const Dynamics& dynamics_;
  const bool with_power_;
  const std::size_t nq_, nv_, m_;
  std::vector<double> lambda_;
  const double* at_;  // where λ is
  std::vector<double> projected_;
  Slide slide_;
};

}  // namespace dalembert::integration

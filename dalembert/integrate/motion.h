// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the right-hand side that is integrated. All accelerations of a run come from here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/names.h"
#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/slide.h"

namespace dalembert::integration {

// The equations for y = (q, v, w): q' = N v + n₀ (v where v = q̇), v' = v̇, and for the work, if it is integrated,
// w' = F·q̇ − λᵀa − ∂L/∂t.
class Motion final : public RightHandSide {
 public:
  Motion(const Dynamics& dynamics, bool with_power) : Motion(dynamics, with_power, Workspace(dynamics)) {}
  Motion(const Dynamics& dynamics, bool with_power, Workspace&& memory)
      : workspace(std::move(memory)),
        dynamics_(dynamics),
        with_power_(with_power),
        nq_(index(dynamics.nq())),
        nv_(index(dynamics.nv())),
        m_(index(dynamics.layout().multipliers())),
        lambda_(m_),
        at_(lambda_.data()),
        projected_(nq_ + nv_) {}

  /// Number of entries of y = (q, v, w).
  int size() const { return static_cast<int>(nq_ + nv_) + (with_power_ ? 1 : 0); }
  /// Number of entries that evaluate() writes: the slope, then λ and trust[2] of the kernel
  /// (KernelFunction::kAccelerations).
  int room() const { return static_cast<int>(nq_ + nv_ + m_) + 2; }
  bool evaluate(double t, const double* y, double* dydt) override;
  std::size_t copied() const override { return on_manifold || !dynamics_.layout().v_is_qdot ? 0 : nv_; }
  /// The multipliers of the last evaluation, valid as long as its `dydt` is unchanged.
  std::span<const double> lambda() const { return {at_, m_}; }

  /// Makes evaluations at other points of a run's present step those of the run's motion `run`, of the same kernel: takes over its code, rows,
  /// held inputs, modes of frictions and slides. Where parameters have changed, evaluate_constant_inputs() is called as well.
  void follow(const Motion& run);
  /// Whether kernel code for several systems at once computes what evaluate() does: code solves the KKT system with all rows, and v = q̇.
  bool may_share_lanes() const {
    return workspace.code[static_cast<std::size_t>(KernelFunction::kAccelerations)] != nullptr && !on_manifold &&
           workspace.basis.all && slide_.empty() && dynamics_.layout().v_is_qdot;
  }
  /// Notes the last evaluation that such code made: its λ and trust. λ must stay where it is as `dydt` of evaluate() would.
  void note_shared(const double* lambda, const double* trust);
  /// Computes v̇ and the multipliers at a point, without changing the state of evaluate().
  bool find_forces(double t, const double* y, double* qdd, double* multipliers);

  // Sliding on the limits of guards (slide.h).
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
  /// Whether evaluate() first projects the state onto the manifold (leaps.cpp).
  bool on_manifold = false;
  double manifold_tolerance = 0;  ///< a projection with a larger residual has failed; in the units of the rows
  /// Largest loss of the KKT solve and largest |λ| since these were set to 0.
  double largest_loss = 0, largest_lambda = 0;
  /// Smallest and largest VelocityElimination::grip() of steps without λ, since these were reset.
  double least_grip = std::numeric_limits<double>::infinity(), largest_grip = 0;
  void note_grip(double grip) {
    least_grip = std::min(least_grip, grip);
    largest_grip = std::max(largest_grip, grip);
  }
  std::vector<double> shares;  ///< shares s_k of a slide's guards (slide.h), for each evaluation since the last reset

 private:
  double power(double t, const double* q, const double* v);
  bool evaluate_slowly(double t, const double* y, double* dydt);

  const Dynamics& dynamics_;
  const bool with_power_;
  const std::size_t nq_, nv_, m_;
  std::vector<double> lambda_;
  const double* at_;  // address of λ
  std::vector<double> projected_;
  Slide slide_;
};

}  // namespace dalembert::integration

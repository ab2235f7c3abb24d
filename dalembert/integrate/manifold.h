// SPDX-License-Identifier: Apache-2.0
// Private to integrate: states back onto the manifold, what is evaluated there, and which rows are independent.
#pragma once

#include <utility>
#include <vector>

#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/motion.h"

namespace dalembert::integration {

class Manifold {
 public:
  /// All must outlive this.
  Manifold(const Dynamics& dynamics, const IntegrateOptions& options, Motion& motion);

  /// Positions and velocities. False when the residuals stay far above what the tolerance allows.
  bool project(double t, double* y);
  /// Of the last project().
  KktStatus status() const { return status_; }
  /// The displacement that it made, `y` less `before`, in the norm of the error control of a step from y0; what round-off
  /// asked for counts as none.
  double displacement(const double* y0, const double* y, const double* before) const;
  /// The slope at a point of the manifold. There all rows count: the rank and the least-norm λ are decided afresh.
  bool evaluate(double t, const double* y, double* slope);
  /// max |force| of a friction, at the point of the manifold that was evaluated last.
  double largest_friction() const { return largest_friction_; }

  /// After evaluate(): these rows of W are independent there.
  void keep_rows();
  /// The step that starts here is made with those rows alone (see RowBasis); `t`, `y` is the point they belong to.
  void use_rows(double t, const double* y);
  const std::vector<int>& rows() const { return rows_; }
  int rank() const { return static_cast<int>(rows_.size()); }
  /// Whether they are fewer than m.
  bool deficient() const { return deficient_; }

  /// Whether the workspace holds the residuals of the point that is looked at next; once.
  bool take_residuals() { return std::exchange(measured_, false); }
  bool has_residuals() const { return measured_; }
  /// It holds another point now.
  void forget_residuals() { measured_ = false; }

 private:
  const Dynamics& dynamics_;
  const IntegrateOptions& options_;
  Motion& motion_;
  const int nq_, nv_, m_;
  std::vector<int> rows_;
  bool deficient_ = false;
  KktStatus status_ = KktStatus::kOk;
  bool measured_ = false;
  bool position_corrected_ = false, velocity_corrected_ = false;  // by more than round-off, in the last projection
  double largest_friction_ = 0;
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Private to integrate: projects states onto the manifold, evaluates slopes there, and keeps the independent rows.
#pragma once

#include <utility>
#include <vector>

#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/motion.h"

namespace dalembert::integration {

class Manifold {
 public:
  /// All arguments must outlive this object.
  Manifold(const Dynamics& dynamics, const IntegrateOptions& options, Motion& motion);

  /// Projects positions and velocities. False when the residuals stay far above the tolerance.
  bool project(double t, double* y);
  /// What project() returns, and notes, where this projection has led to y.
  bool keep(const Projection& projection, const double* y);
  /// Projects with all rows that act now; for states where these are other rows than those that use_rows() has found independent.
  bool project_by_all_rows(double t, double* y);
  /// Status of the last project().
  KktStatus status() const { return status_; }
  /// The displacement `y` − `before` of the last project(), in the norm of the error control for a step from y0. A
  /// correction of round-off counts as 0.
  double displacement(const double* y0, const double* y, const double* before) const;
  /// Whether the last projection has corrected more of the positions, of the velocities than round-off.
  bool position_corrected() const { return position_corrected_; }
  bool velocity_corrected() const { return velocity_corrected_; }
  /// Computes the slope at a point of the manifold with all rows, which decides the rank and the least-norm λ anew.
  bool evaluate(double t, const double* y, double* slope);

  /// After evaluate(): keeps the rows of W that are independent there.
  void keep_rows();
  /// The next step uses only the rows that were kept (see RowBasis); (t, y) is the point where they are independent.
  void use_rows(double t, const double* y);
  const std::vector<int>& rows() const { return rows_; }
  int rank() const { return static_cast<int>(rows_.size()); }
  /// Whether fewer than m rows are independent.
  bool deficient() const { return deficient_; }

  /// Whether the workspace holds the residuals of the point that is judged next. Resets that mark.
  bool take_residuals() { return std::exchange(measured_, false); }
  bool has_residuals() const { return measured_; }
  /// The workspace holds another point now.
  void forget_residuals() { measured_ = false; }

 private:
  const Dynamics& dynamics_;
  const IntegrateOptions& options_;
  Motion& motion_;
  const int nq_, nv_, m_;
  std::vector<std::size_t> angles_;  // coordinates in rad
  std::vector<int> rows_;
  bool deficient_ = false;
  KktStatus status_ = KktStatus::kOk;
  bool measured_ = false;
  bool position_corrected_ = false, velocity_corrected_ = false;
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Private to integrate: what is measured at every point on the manifold, and the verdict that it makes.
#pragma once

#include <string>
#include <vector>

#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/error_growth.h"
#include "dalembert/integrate/integrate_options.h"

namespace dalembert::integration {

class Quality {
 public:
  /// All must outlive this.
  Quality(const Dynamics& dynamics, const IntegrateOptions& options, Workspace& workspace, bool with_power);

  /// After a KKT solve with all rows at a point of the manifold: the rank found there bounds the rank off the manifold
  /// nearby.
  void note_rank(double t);
  /// Of a singular position that was passed between such points.
  void note_rank_of_passage(int rank) { min_rank_ = std::min(min_rank_, rank); }
  /// Residuals, energy and conserved quantities at (t, y), y = (q, v, w); false when something is not finite. The first
  /// point is the start. `measured`: the workspace holds the residuals of this point.
  bool check(double t, const double* y, bool measured);
  /// An event has set the state: what it makes of the energy and of conserved quantities is no error.
  void note_jump(double t, const double* before, const double* after);
  /// Whether the start was checked.
  bool started() const { return started_; }
  // Of the last check().
  const Energy& energy() const { return energy_; }
  const std::vector<double>& conserved() const { return conserved_; }

  /// By how much the start was moved onto the manifold.
  void note_moved(double moved) { moved_at_start_ = std::max(moved_at_start_, moved); }
  /// J, of a step; and what the work so far is measured by.
  void add_work_error(double error) { work_error_ += error; }
  double work_scale() const { return work_scale_; }
  /// max |residual| / what is allowed. May be put back where a residual is not the method's.
  double residual_excess() const { return residual_excess_; }
  void put_back_excess(double excess) { residual_excess_ = excess; }

  /// Into path.verdict. (t, y): the last point; `seconds`: how long the run was.
  void judge(const ErrorGrowth& growth, double t, const double* y, double seconds, Trajectory& path);

 private:
  void judge_energy(const ErrorGrowth& growth, double t, const double* y, Trajectory& path);
  double atol_share(double scale, const ErrorGrowth& growth, double t, const double* y);
  double momentum_size(std::size_t which, const ErrorGrowth& growth, double t, const double* y);
  void warn_of_atol(const ErrorGrowth& growth, Verdict& verdict) const;

  const Dynamics& dynamics_;
  const IntegrateOptions& options_;
  Workspace& workspace_;
  const int nq_, nv_, ny_, m_;
  const bool with_power_;

  bool started_ = false;
  Energy energy_;
  double energy_start_ = 0, energy_deviation_ = 0, balance_deviation_ = 0;
  double largest_kinetic_ = 0, lowest_potential_ = 0, highest_potential_ = 0, largest_energy_ = 0;
  double work_scale_ = 0, work_error_ = 0;
  double residual_excess_ = 0, largest_position_ = 0, largest_velocity_ = 0;
  std::vector<double> conserved_, conserved_start_, conserved_drift_, conserved_largest_;
  std::vector<bool> ambiguous_;  // rows whose λ was not unique somewhere
  int min_rank_ = 0;
  double least_independence_ = 1, least_independent_at_ = 0;
  double moved_at_start_ = 0;
};

}  // namespace dalembert::integration

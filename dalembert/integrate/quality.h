// SPDX-License-Identifier: Apache-2.0
// Private to integrate: measures every accepted point on the manifold, and derives the verdict of the run.
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
  /// All arguments must outlive this object.
  Quality(const Dynamics& dynamics, const IntegrateOptions& options, Workspace& workspace, bool with_power);

  /// Notes the rank, after a KKT solve with all rows at a point of the manifold. Nearby states off the manifold
  /// may seem to have a higher rank.
  void note_rank(double t);
  /// Notes the rank at a singular position that a step has passed.
  void note_rank_of_passage(int rank) { min_rank_ = std::min(min_rank_, rank); }
  /// Measures residuals, energy and conserved quantities at (t, y), y = (q, v, w). False when a value is not finite.
  /// The first point is the start. `measured`: the workspace holds the residuals of this point.
  bool check(double t, const double* y, bool measured);
  /// An event of the model has set the state: the jumps of the energy and of conserved quantities are no errors.
  void note_jump(double t, const double* before, const double* after);
  /// The energy that events have given so far, J.
  double given_by_events() const { return given_by_events_; }
  /// Whether the start was checked.
  bool started() const { return started_; }
  // Results of the last check().
  const Energy& energy() const { return energy_; }
  const std::vector<double>& conserved() const { return conserved_; }

  /// Notes by how much the start was moved onto the manifold.
  void note_moved(double moved) { moved_at_start_ = std::max(moved_at_start_, moved); }
  /// Adds the error of the work in a step, in J. work_scale() is the energy, in J, that such errors are compared with.
  void add_work_error(double error) { work_error_ += error; }
  double work_scale() const { return work_scale_; }
  /// The largest ratio of |residual| to its limit. put_back_excess() restores an earlier value after a residual for
  /// which the method is not to blame.
  double residual_excess() const { return residual_excess_; }
  void put_back_excess(double excess) { residual_excess_ = excess; }

  /// Writes path.verdict. (t, y) is the last point, `seconds` the time that the run covers.
  void judge(const ErrorGrowth& growth, double t, const double* y, double seconds, Trajectory& path);

 private:
  void judge_energy(const ErrorGrowth& growth, double t, const double* y, Trajectory& path);
  double atol_share(double scale, const ErrorGrowth& growth, double t, const double* y);
  double momentum_size(std::size_t which, const ErrorGrowth& growth, double t, const double* y);
  void leave_out_still(double t, const double* y, std::vector<double>& motion);
  void warn_of_atol(const ErrorGrowth& growth, Verdict& verdict) const;

  const Dynamics& dynamics_;
  const IntegrateOptions& options_;
  Workspace& workspace_;
  const int nq_, nv_, ny_, m_;
  const bool with_power_;

  bool started_ = false;
  Energy energy_;
  double given_by_events_ = 0;
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

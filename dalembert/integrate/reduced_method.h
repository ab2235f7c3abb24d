// SPDX-License-Identifier: Apache-2.0
// Steps of a reduced state, explicit or implicit: (q, w) in place of (q, v), with the velocities w that the constraints leave free
// (dynamics/elimination.h). To the run it looks like a method for the full state.
//
// Steps solve for no multipliers, unless forces depend on them; then v̇ comes from the full system, with frictions that
// slide or stick as the run has decided. Between steps the state is complete: positions are projected, λ is solved for,
// and all checks are made as in the other formulation. If velocities w and rows are picked by the program, they are
// picked anew where S grows or the rows become nearly dependent. A new pick does not change the full state.
//
// Implicit steps take the derivatives of (q', w') from differences (difference_newton.h): on the manifold of the positions q is redundant, and (q', w') is
// defined beside it too, so the stages need no constraints.
#pragma once

#include <vector>

#include "dalembert/dynamics/elimination.h"
#include "dalembert/integrate/difference_newton.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/motion.h"

namespace dalembert::integration {

class ReducedMethod final : public OneStepMethod, private RightHandSide {
 public:
  /// Steps by the method of `options`; of auto, the explicit one. `motion` is the run's; it counts the evaluations.
  ReducedMethod(const IntegrateOptions& options, const Dynamics& dynamics, Motion& motion);

  const MethodFacts& facts() const override { return inner_->facts(); }
  double* first_slope() override { return first_.data(); }
  double* last_slope() override { return last_.data(); }
  bool advance(RightHandSide& f, double t, const double* y, double h, double* y1) override;
  double error(const double* y, const double* y1, double h, int count, double rtol, double atol) override;
  bool error_needs_last_slope() const override { return inner_->error_needs_last_slope(); }
  int worst_component() const override;
  double component_error(int component, double h) override;
  double largest_slope(int component) const override;
  void add_step_error(const double* y, const double* y1, double h, int count, double* sum) override;
  bool make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h) override;
  void interpolate(double theta, const double* y, double* result, double* slope = nullptr) const override;
  void set_aside() override;
  void put_back() override;
  void carry(double* change) override;
  void shift() override;
  void restart() override;

  /// Whether the last step failed because the velocities w do not determine all velocities.
  bool lost_velocities() const { return lost_; }
  /// The solver of implicit steps; null for explicit ones.
  const ShiftedSolver* solver() const { return newton_.get(); }
  /// Size of the reduced state: nq + nv − rank W.
  int state_size() const { return static_cast<int>(nq_) + elimination_.size(); }

 private:
  bool evaluate(double t, const double* y, double* dydt) override;
  void make_inner(std::size_t coupled);
  bool find_rates(double t, const double* q, const double* w, double* whole, double* vdot, double* wdot,
                  double* lambda) const;
  bool begin(double t, const double* y);
  bool make_step(double t, const double* y, double h, double* y1);
  bool use_end(double t, const double* y1);
  bool to_reduced(double t, const double* y, double* reduced);
  int inner(int component) const;

  const IntegrateOptions& options_;
  const Dynamics& dynamics_;
  Motion& motion_;
  mutable VelocityElimination elimination_;
  std::size_t nq_, nv_, size_, nw_ = 0;
  bool with_power_, load_dependent_;
  std::unique_ptr<DifferenceNewton> newton_;  // of an implicit method
  std::unique_ptr<OneStepMethod> inner_;      // method for the reduced state of the last choice
  std::vector<double> first_, last_;          // slopes of the full state, filled by the run
  mutable std::vector<double> lambda_;
  std::vector<double> vdot_;
  std::vector<double> start_, end_, whole_;  // reduced state at the start and the end of the step; full state
  mutable std::vector<double> between_, between_slope_, whole_between_, wdot_;
  std::vector<double> seen_;  // the full state at which the first inner slope was evaluated
  double seen_t_ = 0, end_t_ = 0, t_ = 0, h_ = 0;
  int orientation_ = 1;  // VelocityElimination::orientation() where the step begins
  double chosen_t_ = 0;
  // Of set_aside(): the last state of the elimination, and what evaluations count in the motion.
  struct Aside {
    VelocityElimination::LastState elimination;
    bool ended = false, lost = false;
    std::int64_t evaluations = 0;
    double least_grip = 0, largest_grip = 0;
  };
  Aside aside_;
  bool begun_ = false, ended_ = false, lost_ = false, must_choose_ = true;
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Explicit steps of fewer numbers: (q, w) in place of (q, v), with velocities w that the constraints leave free
// (dynamics/elimination.h). To a run it looks like a method for the whole state.
//
// No multiplier is solved for within a step, but where forces depend on them: there v̇ comes from the whole system, with
// frictions that slide or stick as the run has decided. Between steps the state is whole: positions are projected, λ is solved for
// and every check is made as with the other form. Velocities and rows that the program picks are picked anew where S
// grows or the rows come to depend on each other, which changes no number of the whole state.
#pragma once

#include <vector>

#include "dalembert/dynamics/elimination.h"
#include "dalembert/integrate/motion.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert::integration {

class ReducedMethod final : public OneStepMethod, private RightHandSide {
 public:
  /// `motion`: of the run; its evaluations are counted there.
  ReducedMethod(const Tableau& tableau, const Dynamics& dynamics, const Dynamics* stated, Motion& motion);

  const MethodFacts& facts() const override { return *tableau_; }
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
  void shift() override;
  void restart() override { begun_ = false; }

  /// Whether the last step failed since [W; Y] is singular.
  bool lost_velocities() const { return lost_; }
  /// Numbers of the state: nq + nv − rank W.
  int state_size() const { return static_cast<int>(nq_) + elimination_.size(); }

 private:
  bool evaluate(double t, const double* y, double* dydt) override;
  bool find_rates(double t, const double* q, const double* w, double* whole, double* vdot, double* wdot,
                  double* lambda) const;
  bool begin(double t, const double* y);
  bool make_step(double t, const double* y, double h, double* y1);
  bool use_end(double t, const double* y1);
  bool to_reduced(double t, const double* y, double* reduced);
  int inner(int component) const;

  const Tableau* tableau_;
  const Dynamics& dynamics_;
  Motion& motion_;
  mutable VelocityElimination elimination_;
  std::size_t nq_, nv_, size_, nw_ = 0;
  bool with_power_, load_dependent_;
  std::unique_ptr<RungeKutta> inner_;  // for the number of velocities of the last choice
  std::vector<double> first_, last_;   // slopes of the whole state, as the run fills them
  mutable std::vector<double> lambda_;
  std::vector<double> vdot_;
  std::vector<double> start_, end_, whole_;  // reduced state at the beginning and the end of the step; a whole one
  mutable std::vector<double> between_, between_slope_, whole_between_, wdot_;
  std::vector<double> seen_;  // the whole state at which the first inner slope was taken
  double seen_t_ = 0, t_ = 0, h_ = 0;
  int orientation_ = 1;  // where the step begins
  double chosen_t_ = 0;
  bool begun_ = false, ended_ = false, lost_ = false, must_choose_ = true;
};

}  // namespace dalembert::integration

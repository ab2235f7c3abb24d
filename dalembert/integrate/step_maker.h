// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the core of a run. It makes one step after the other, each back on the manifold, and judges its
// error; what a step may have passed, and what happens at its end, is for observers (observer.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dalembert/integrate/error_growth.h"
#include "dalembert/integrate/manifold.h"
#include "dalembert/integrate/reduced_method.h"
#include "dalembert/integrate/shifted_solver.h"
#include "dalembert/integrate/step.h"
#include "dalembert/integrate/step_control.h"

namespace dalembert::integration {

class StepMaker {
 public:
  /// `dynamics` and `options` must outlive this. `with_power`: the work is integrated along, as the last component.
  StepMaker(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, bool with_power);

  /// What comes are tries of one step.
  void begin_tries();
  /// From step.t to t1, on the manifold, with the slope there. False when that is impossible (see Step) or when the
  /// error exceeds 1.
  bool try_step(double t1, double length);
  /// Of stages on the manifold: as the tolerances are.
  void set_manifold_tolerance();
  /// The slope at the end, where all rows count.
  bool evaluate_end();
  /// λ, rank and rows of the end that was evaluated last are kept aside: whoever looks between uses the same workspace.
  void keep_end();
  /// The try is given up.
  void reject();
  /// The step is over: the run is at its end.
  void move_on();
  /// Why the last try, of this length, could not be made.
  std::string why_failed(double length) const;

  /// Where the run is, after so many steps.
  RunPoint point(std::int64_t steps) const;

  OneStepMethod& method() const { return *method_; }
  /// Accelerations where the run is.
  const double* qdd() const { return method_->first_slope() + dynamics.nq(); }
  RungeKutta& explicit_pair() { return explicit_; }
  /// Which method makes the next step. `stiff`: an implicit one, if it can be.
  void choose_method(bool stiff);
  void use(OneStepMethod& method);

  const Dynamics& dynamics;
  const IntegrateOptions& options;
  const bool with_power;
  const double direction;  ///< of time: 1, or −1
  Motion motion;
  Manifold manifold;
  Step step;
  StepControl control;
  ErrorGrowth growth;

 private:
  double embedded_error(double length);
  double judge_work(double length, double of_motion);
  double error_of_shares() const;
  void follow_errors();

  RungeKutta explicit_;
  std::unique_ptr<ShiftedSolver> newton_;  // these three are made when first needed
  std::unique_ptr<OneStepMethod> implicit_;
  std::unique_ptr<ReducedMethod> reduced_;
  OneStepMethod* method_;                                   // the one at work
  std::int64_t steps_for_work_ = 0, steps_for_motion_ = 0;  // whose error decided
};

}  // namespace dalembert::integration

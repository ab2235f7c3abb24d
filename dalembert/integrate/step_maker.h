// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the core of a run. It makes one step after the other, projects each onto the manifold, and
// judges its error. Observers (observer.h) find events within a step, and act at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dalembert/integrate/error_growth.h"
#include "dalembert/integrate/manifold.h"
#include "dalembert/integrate/reduced_method.h"
#include "dalembert/integrate/runge_kutta.h"
#include "dalembert/integrate/shifted_solver.h"
#include "dalembert/integrate/spare_parts.h"
#include "dalembert/integrate/step.h"
#include "dalembert/integrate/step_control.h"

namespace dalembert::integration {

class StepMaker {
 public:
  /// `dynamics` and `options` must outlive this object. `with_power`: the work is integrated as the last component.
  /// Takes its memory from `spare` and leaves it there at the end.
  StepMaker(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, bool with_power,
            SpareParts& spare);
  ~StepMaker();

  /// Begins the tries of one step.
  void begin_tries();
  /// Makes a step from step.t to t1, projects its end and evaluates the slope there. False when that fails (see
  /// Step), or when the error exceeds 1.
  bool try_step(double t1, double length);
  /// The parts of try_step(): begin_step(), method().advance() from `step` to step.y1, whose result keep_advance() takes, the projection of step.y1,
  /// whose result keep_projection() takes, evaluate_end(), whose result judge_end() takes with the displacement that the projection was. The first of them
  /// that is false ends the try, which has failed.
  bool begin_step(double t1, double length);
  bool keep_advance(bool advanced);
  bool keep_projection(bool projected);
  bool judge_end(bool evaluated, double displacement);
  /// Projects the end of the step.
  bool project_end();
  /// Manifold::displacement() of project_end(); 0 where it decides about nothing.
  double displacement() const {
    return options.adaptive ? manifold.displacement(step.y.data(), step.y1.data(), step.before.data()) : 0;
  }
  /// The parts from keep_advance() on.
  bool end_step(bool advanced) {
    return keep_advance(advanced) && project_end() && judge_end(evaluate_end(), displacement());
  }
  /// Sets Motion::manifold_tolerance, for stages on the manifold, by the tolerances of the run.
  void set_manifold_tolerance();
  /// Evaluates the slope at the end of the step, with all rows.
  bool evaluate_end();
  /// Saves λ, rank and rows of the end, which was evaluated last; evaluations within the step overwrite the workspace.
  void keep_end();
  /// Gives up the try.
  void reject();
  /// Moves the run to the end of the step.
  void move_on();
  /// Explains why the last try, of this length, failed.
  std::string why_failed(double length) const;
  /// Which inertia leaves no accelerations at a point where they cannot be found, or where this is the `problem`; empty where that is not decided.
  std::string why_no_accelerations(double t, const double* y, const std::string& problem) const;

  /// The present state of the run; `steps` is the number of accepted steps.
  RunPoint point(std::int64_t steps) const;

  OneStepMethod& method() const { return *method_; }
  /// Accelerations at the present state.
  const double* qdd() const { return method_->first_slope() + dynamics.nq(); }
  RungeKutta& explicit_pair() { return explicit_; }
  /// Chooses the method of the next step. `stiff`: an implicit one, if possible.
  void choose_method(bool stiff);
  void use(OneStepMethod& method);

  const Dynamics& dynamics;
  const IntegrateOptions& options;
  const bool with_power;
  const double direction;  ///< 1, or −1 backwards in time
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

  SpareParts& spare_;
  RungeKutta explicit_;
  std::unique_ptr<ShiftedSolver> newton_;  // this and the next two are created on first use
  std::unique_ptr<OneStepMethod> implicit_;
  std::unique_ptr<ReducedMethod> reduced_;
  OneStepMethod* method_;                                   // the present method
  std::int64_t steps_for_work_ = 0, steps_for_motion_ = 0;  // steps whose error was decided by work, motion
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Integrates a motion from a consistent start and keeps it on the constraint manifold: in one call, or step by step.
//
// y = (q, v) on the index-1 form: q' = v, v' = q̈(t, q, v) from the KKT solve, by an explicit Runge–Kutta pair. After
// each step positions and velocities are projected (dynamics/project.h), and the step is judged by the embedded
// estimate and the displacement together: error control sees the projected state. Output points between steps come from
// the continuous extension, projected as well, with q̈ and λ solved there: residuals are at round-off in every row of
// the output. Steps end at the corners of table inputs and never cross one: beyond it the motion is smooth again.
// Sources: Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., II.4-6; Hairer & Wanner, Solving ODEs II, 2nd ed., IV.2,
// VII.2.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

/// Never throws; every failure is a status with a reason that says when, what and which. See Trajectory.
Trajectory integrate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options = {});

/// A run by hand: the steps of integrate(), one at a time. Between steps a caller, such as a controller, can read the state
/// and change inputs:
///
///   Stepper stepper(dynamics, start, {.until = 10});
///   for (int k = 1; stepper.step_to(k * 1e-3); ++k) stepper.hold_input("tau", -20 * stepper.q()[0] - stepper.v()[0]);
///   const Trajectory path = stepper.finish();
class Stepper {
 public:
  /// `options` as in integrate(). Rows are recorded as output_step and output_times say, otherwise after every step;
  /// take_rows may let the run forget them. `until` is the latest end. There is no second run (cross_check). Call
  /// Kernel::expect_many_calls() beforehand to use compiled code, if the kernel has any, from the first step on.
  Stepper(const Dynamics& dynamics, const State& start, IntegrateOptions options = {});
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  /// Makes one step, as long as its error allows. False when no step was made: at the end,
  /// or if the run failed (status()).
  bool step();
  /// Makes steps, the last of which ends exactly at t. False when t was not reached.
  bool step_to(double t);
  /// The time of the row or of the end of the run that is t up to the round-off of multiples, else t. Where inputs are held from there on, the row at t
  /// has what was held before.
  double round_to_row(double t) const;
  /// Overrides an input with a value from here on, until the next call. False, with why_not() set and nothing changed,
  /// if there is no such input, the value is not finite, the input is a spline, or conditions on time depend on inputs.
  /// Also false if the equations cannot be evaluated with the value, which ends the run.
  [[nodiscard]] bool hold_input(std::string_view name, double value);
  const std::string& why_not() const;

  /// kOk while the run can go on, and when it has reached its end.
  RunStatus status() const;
  const std::string& reason() const;
  bool at_end() const;
  /// The present state of the run. The spans below are valid until the next call of a function that is not const.
  RunPoint point() const;
  double time() const;
  std::span<const double> q() const;
  std::span<const double> v() const;
  std::span<const double> qdd() const;
  std::span<const double> lambda() const;
  std::span<const double> inputs() const;
  State state() const;

  /// Returns the rows so far and their verdict; no step may follow. The status is kStopped if the end was not reached. The verdict names no error of the end
  /// where an input was set to another value after the state was read: neighbouring motions would have other inputs.
  Trajectory finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// A run by hand: the steps that integrate() makes, one at a time, with the state to be seen and inputs to be changed
// between them, as a controller does.
//
//   Stepper stepper(dynamics, start, {.until = 10});
//   for (int k = 1; stepper.step_to(k * 1e-3); ++k) stepper.hold_input("tau", -20 * stepper.q()[0] - stepper.v()[0]);
//   const Trajectory path = stepper.finish();
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/integrate/integrate.h"

namespace dalembert {

class Stepper {
 public:
  /// `options` as in integrate(): rows are kept as output_step and output_times say, and where neither does, after every
  /// step; take_rows may give them away. `until` is the latest end. There is no second run (cross_check). Compiled code,
  /// if the kernel has any, is used from the first step on where the kernel was told to expect many calls.
  Stepper(const Dynamics& dynamics, const State& start, IntegrateOptions options = {});
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  /// One step, as long as its error allows. False when none was made: at the end, or where nothing leads on (status()).
  bool step();
  /// Steps, the last of which ends at t exactly. False when t was not reached.
  bool step_to(double t);
  /// From here on the input has this value, whatever the model says, until it is given another. False, with why_not() set
  /// and nothing changed, where there is no such input, the value is not finite, the input is a spline, or conditions on
  /// time depend on inputs; and where the equations cannot be evaluated with it, which ends the run.
  [[nodiscard]] bool hold_input(std::string_view name, double value);
  const std::string& why_not() const;

  /// kOk while the run can go on or has come to its end.
  RunStatus status() const;
  const std::string& reason() const;
  bool at_end() const;
  /// Where the run is. Its parts, and the inputs, are valid until the next call that is not const.
  RunPoint point() const;
  double time() const;
  std::span<const double> q() const;
  std::span<const double> v() const;
  std::span<const double> qdd() const;
  std::span<const double> lambda() const;
  std::span<const double> inputs() const;
  State state() const;

  /// The rows so far and the verdict on them; no step may follow. kStopped when the end was not reached.
  Trajectory finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Private to integrate: chooses the length of each step: as long as the errors allow, but not beyond a
// time at which a step must end.
#pragma once

#include "dalembert/integrate/schedule.h"
#include "dalembert/integrate/step_ends.h"
#include "dalembert/integrate/step_maker.h"

namespace dalembert::integration {

class Pace {
 public:
  /// Both arguments must outlive this object.
  Pace(StepMaker& maker, Schedule& schedule);

  /// Chooses the length of the first step. The slope at the start must have been evaluated.
  void begin();
  /// No step goes beyond this time.
  void stop_at(double t) { stop_ = t; }
  /// Writes length and end of the next try into Step. False if the step would be too short.
  bool choose();
  double length() const { return length_; }

  /// Called after a try that was rejected, or that is to be repeated.
  void reject();
  void again() { length_ = allowed_; }
  /// Called after a step that is kept. True if it ends at a corner of an input.
  bool reach_end();
  /// Chooses the length after a step that is kept. `cut`: the step was shortened to end where a branch changed.
  void accept(bool cut);

  const StepEnds& ends() const { return ends_; }

 private:
  double first_step() const;

  StepMaker& maker_;
  Schedule& schedule_;
  StepEnds ends_;
  double stop_;
  double length_ = 0;
  double allowed_ = 0;  // the length that the error would have allowed
  bool cut_ = false;    // whether the step is shorter than allowed_
  bool ends_here_ = false;
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Private to integrate: how long each step is tried: as the errors allow, but not over the times at which steps end.
#pragma once

#include "dalembert/integrate/schedule.h"
#include "dalembert/integrate/step_ends.h"
#include "dalembert/integrate/step_maker.h"

namespace dalembert::integration {

class Pace {
 public:
  /// Both must outlive this.
  Pace(StepMaker& maker, Schedule& schedule);

  /// The length of the first step; the start must be evaluated.
  void begin();
  /// Steps end here at the latest.
  void stop_at(double t) { stop_ = t; }
  /// Where the next try goes, into Step. False: it would be too short.
  bool choose();
  double length() const { return length_; }

  /// How the try ended.
  void reject();
  void again() { length_ = allowed_; }
  /// It is kept; true: it ends at a corner of an input.
  bool reach_end();
  /// `cut`: it ends where something changed.
  void accept(bool cut);

  const StepEnds& ends() const { return ends_; }

 private:
  double first_step() const;

  StepMaker& maker_;
  Schedule& schedule_;
  StepEnds ends_;
  double stop_;
  double length_ = 0;
  double allowed_ = 0;  // what the error would have allowed, had the step not to end before
  bool cut_ = false;    // it is shorter
  bool ends_here_ = false;
};

}  // namespace dalembert::integration

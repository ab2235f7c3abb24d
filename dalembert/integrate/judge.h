// SPDX-License-Identifier: Apache-2.0
// Private to integrate: checks every accepted point on the manifold, for the verdict (quality.h).
#pragma once

#include "dalembert/integrate/observer.h"
#include "dalembert/integrate/quality.h"
#include "dalembert/integrate/run_for.h"

namespace dalembert::integration {

class Judge final : public Observer {
 public:
  Judge(StepMaker& maker, Trajectory& path, RunFor purpose)
      : Observer(maker, path),
        quality(maker.dynamics, maker.options, maker.motion.workspace, maker.with_power),
        purpose_(purpose) {}

  /// Checks the point (t, y). False when a value is not finite there. A run for its states alone has no verdict, and measures nothing.
  bool check(double t, const double* y) {
    const bool measured = manifold_.take_residuals();
    if (purpose_ == RunFor::kStates) return true;
    const bool finite = quality.check(t, y, measured);
    step_.work_scale = quality.work_scale();
    return finite;
  }
  void note_end() override {
    if (purpose_ == RunFor::kStates) return;
    quality.add_work_error(step_.work_error);
    quality.note_rank(step_.t1);
  }
  bool arrive() override {
    if (step_.changed) quality.note_rank(step_.t1);
    if (step_.jumps) quality.note_jump(step_.t1, step_.y_before.data(), step_.y1.data());
    return true;
  }

  Quality quality;

 private:
  const RunFor purpose_;
};

}  // namespace dalembert::integration

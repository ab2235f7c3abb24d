// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/lane_runs.h"

#include <array>

namespace dalembert::integration {
namespace {

class RunsInLanes {
 public:
  RunsInLanes(LaneSteps& steps, const NextOfLane& next, const EndOfLane& end) : steps_(steps), next_(next), end_(end) {}

  void run() {
    std::array<StepMaker*, kLanes> begun{}, projected{};
    std::array<bool, kLanes> evaluated{};
    for (;;) {
      // A run that ends a step begins the next one at once, while its numbers are near.
      bool any = false;
      for (std::size_t l = 0; l < kLanes; ++l) {
        if (begun[l] != nullptr)
          end_step(l, projected[l] != nullptr && projected[l]->judge_end(evaluated[l], steps_.displacement(l)));
        if (work_[l] == nullptr) take_work(l);
        any = (begun[l] = begin_step(l)) != nullptr || any;
      }
      if (!any) return;
      std::array<bool, kLanes> advanced{};
      steps_.advance(begun, advanced);
      for (std::size_t l = 0; l < kLanes; ++l)
        projected[l] = begun[l] != nullptr && begun[l]->keep_advance(advanced[l]) ? begun[l] : nullptr;
      steps_.project_ends(projected);
      steps_.evaluate_ends(projected, evaluated);
    }
  }

 private:
  void take_work(std::size_t l) {
    work_[l] = next_(l);
    if (work_[l] != nullptr) steps_.seat(l, work_[l]->run()->maker());
  }

  // Begins the next step of a lane that LaneSteps can make; what it cannot make is made here. Null if there is no work left.
  StepMaker* begin_step(std::size_t l) {
    while (work_[l] != nullptr) {
      Run& run = *work_[l]->run();
      if (run.at_end() || !run.begin_try()) {
        end_run(l);
        continue;
      }
      StepMaker& maker = run.maker();
      const Step& step = maker.step;
      if (!maker.begin_step(step.t1, step.length)) {
        end_step(l, false);
        continue;
      }
      if (steps_.takes(maker)) return &maker;
      end_step(l, maker.end_step(
                      maker.method().advance(maker.motion, step.t, step.y.data(), step.length, maker.step.y1.data())));
    }
    return nullptr;
  }

  void end_step(std::size_t l, bool made) {
    if (work_[l]->run()->end_try(made) == Run::Made::kOver) end_run(l);
  }

  void end_run(std::size_t l) {
    Integration& work = *work_[l];
    work.next();
    if (work.run() != nullptr) return steps_.seat(l, work.run()->maker());
    end_(l);
    take_work(l);
  }

  LaneSteps& steps_;
  const NextOfLane& next_;
  const EndOfLane& end_;
  std::array<Integration*, kLanes> work_{};
};

}  // namespace

void run_in_lanes(LaneSteps& steps, const NextOfLane& next, const EndOfLane& end) {
  RunsInLanes(steps, next, end).run();
}

}  // namespace dalembert::integration

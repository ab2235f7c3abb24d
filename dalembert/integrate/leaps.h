// SPDX-License-Identifier: Apache-2.0
// Private to integrate: steps over singular positions, and out of the noise beside them. How stands in leaps.cpp.
#pragma once

#include <vector>

#include "dalembert/integrate/independence.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class Leaps final : public Observer {
 public:
  Leaps(StepMaker& maker, Trajectory& path, Independence& independence)
      : Observer(maker, path), independence_(independence) {}

  Tried after_try(Tried tried) override;
  void note_end() override;

  /// For an output row at t in a step of length h that passes a singular position: Step::out is the projection, whose
  /// velocities were corrected by up to `correction`, and has been evaluated. What round-off makes of it there may be more
  /// than what the continuous extension is off; then that one is taken, and true is returned.
  bool replace_noise(double t, double h, double correction);

 private:
  bool should_leap(bool made);
  bool leap(bool step_made);
  bool make_leap(double t1);
  bool has_grown_since(double loss, double lambda) const;
  bool looks_near() const;
  void foresee(double s);
  double foreseen_independence(double s);
  bool find_place(double ahead);
  double noise_of_velocities(double seconds, double speed) const;
  double noise_here(double speed) const;
  bool is_noisy(double step);

  Independence& independence_;
  double rejected_ = 0, rejected_step_ = 0;   // error and length of the last try, if it was rejected
  double place_ = 0;                          // when the motion comes to a singular position;
  double independence_here_ = 1, rises_ = 0;  // how independent the rows are, and how fast that changes ahead, 1/s
  std::vector<double> gaps_;                  // between the stages, relative to the step
  int approaches_ = 0;                        // to the place that is near
  double rejections_ = 0;                     // lately
  double longest_ = 0;                        // step since a place was last looked for in vain,
  double loss_there_ = 1, lambda_there_ = 0;  // and these when it was made
  double quiet_ = 0;                          // longest step since round-off was last looked for
  int idle_ = 0;                              // times not to look for a place
};

}  // namespace dalembert::integration

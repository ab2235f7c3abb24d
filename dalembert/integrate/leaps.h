// SPDX-License-Identifier: Apache-2.0
// Private to integrate: steps over singular positions, and out of the round-off noise
// near them. leaps.cpp explains how.
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

  /// For an output row at t in a step of length h that passes a singular position. Step::out is the projected and
  /// evaluated state, whose velocities the projection corrected by up to `correction`. If round-off makes it less
  /// accurate than the continuous extension, the extension replaces it, and true is returned.
  bool replace_noise(double t, double h, double correction);
  /// Whether redundant rows share their load by round-off at (t, q), which is close to a position where more rows are dependent. Overwrites W of the
  /// workspace.
  bool shares_are_noise(double t, const double* q);

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
  double place_ = 0;                          // time at which the motion reaches a singular position
  double independence_here_ = 1, rises_ = 0;  // independence of the rows at the step's start; its rate ahead, 1/s
  std::vector<double> gaps_;                  // middles of the gaps between stages, as fractions of the step
  int approaches_ = 0;                        // number of steps that have approached the singular position ahead
  double rejections_ = 0;                     // number of recent rejections, older ones with less weight
  double longest_ = 0;                        // longest step since the last search that found no singular position
  double loss_there_ = 1, lambda_there_ = 0;  // KKT loss and max |λ| when the step `longest_` was made
  double quiet_ = 0;                          // longest step since the last test for round-off
  int idle_ = 0;                              // number of searches for a singular position to be skipped
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Private to integrate: finds the singular positions that steps pass, and reports each with its
// time. passages.cpp explains how.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/integrate/independence.h"
#include "dalembert/integrate/judge.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class Passages final : public Observer {
 public:
  /// A run for its states looks for no passages.
  Passages(StepMaker& maker, Trajectory& path, Independence& independence, Judge& judge, RunFor purpose);

  /// Notes loss and multipliers at the start, which must have been evaluated last.
  void note_start();
  /// Called before the first step, of about this length. Measures how fast W changes, since the step may be so long
  /// that W returns to its initial value.
  void begin(double first_step);
  void note_end() override;
  bool look_within() override;
  /// Adds a warning about the passages to the verdict.
  void finish();

 private:
  bool may_have_passed();
  double hermite_independence(double theta);
  bool may_vanish(double a, double at_a, double b, double at_b, int depth);
  void look();
  void note_passage(double place, int rank);
  std::string describe() const;

  Independence& independence_;
  Judge& judge_;
  const bool looks_;
  const double started_at_;
  int passed_ = 0, lost_ = 0;                   // number of passages; largest loss of rank
  std::vector<double> times_;                   // times of the first passages
  double last_ = 0, error_ = 0;                 // time of the last passage; largest error of a step with a passage
  double last_step_ = 0;                        // length of the step of the last passage
  std::vector<int> rows_;                       // rows that are dependent at the first passage
  double loss_ = 1, lambda_ = 0;                // loss of the KKT solve and max |λ| at the end of the last step
  std::vector<double> multipliers_, earlier_;   // λ at the end of the last step, and of the one before
  double moved_squared_ = 0, way_squared_ = 0;  // squared path of W in the last step: lower, upper bound
  double row_way_ = 0;                          // path of a row that may have vanished twice
  bool may_ = false;                            // the last step may have passed a singular position
  bool grown_ = false;                          // multipliers have grown, or marked_
  bool marked_ = false;                         // the step shows a stronger sign than grown multipliers
  double length_ = 0;                           // length of the last step
  bool turns_ = false;                          // rows may have turned by 360 degrees in the last step
  std::vector<double> known_;                   // independence at the points between the parts of a step
  std::vector<std::size_t> low_;                // indices of the low values in known_
};

}  // namespace dalembert::integration

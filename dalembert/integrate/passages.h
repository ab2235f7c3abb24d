// SPDX-License-Identifier: Apache-2.0
// Private to integrate: singular positions that steps go over, told of each with its time. How stands in passages.cpp.
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
  Passages(StepMaker& maker, Trajectory& path, Independence& independence, Judge& judge);

  /// At the start, which was evaluated last.
  void note_start();
  /// Before the first step, of about this length: it may be so long that W comes back to where it was.
  void begin(double first_step);
  void note_end() override;
  bool look_within() override;
  /// What the verdict says of them.
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
  const double started_at_;
  int passed_ = 0, lost_ = 0;                   // how many; the rank lost
  std::vector<double> times_;                   // of the first ones
  double last_ = 0, error_ = 0;                 // when; of these steps
  double last_step_ = 0;                        // how long that step was
  std::vector<int> rows_;                       // that depend there
  double loss_ = 1, lambda_ = 0;                // at the end of the last step: of the KKT solve, max |λ|
  std::vector<double> multipliers_, earlier_;   // and λ; at the end of the step before
  double moved_squared_ = 0, way_squared_ = 0;  // of W in the last step, at least and at most
  double row_way_ = 0;                          // of a row that may have vanished twice
  bool may_ = false;                            // the step may have passed one:
  bool grown_ = false;                          // multipliers have grown, or it shows more:
  bool marked_ = false;                         // it shows more than that
  double length_ = 0;                           // of the last step,
  bool turns_ = false;                          // in which rows may have turned about whole
  std::vector<double> known_;                   // independence between the parts,
  std::vector<std::size_t> low_;                // and where it is low
};

}  // namespace dalembert::integration

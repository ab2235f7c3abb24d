// SPDX-License-Identifier: Apache-2.0
// Private to integrate: finds changes at times that are known before the run begins.
//
// Guards of time alone: the times at which they leave their level, found with bounds over intervals of time. An
// interval on which a guard has one level is done. On an interval on which the guard is monotone, each change occurs
// only once and is found by bisection to the last digit. All other intervals are halved.
// Drives: the intervals in which a term that depends on time alone changes quickly, such as a pulse after a long silence.
// Those of outputs alone are searched where the run finds extremes of these outputs. An interval is done when the bounds say that the drive is constant there, or when a few samples
// predict the drive between them; its width then limits the length of steps there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/integrate/integrate_options.h"

namespace dalembert {

class Schedule {
 public:
  Schedule() = default;
  Schedule(const Dynamics& system, double start, const IntegrateOptions& options);

  /// A change of a guard's level. switches() lists them in the order of travel.
  struct Switch {
    double time = 0;
    std::size_t guard = 0;
    double level = 0;
  };
  const std::vector<Switch>& switches() const { return switches_; }
  /// The levels of the guards of time alone just after the start; 0 for guards of the state.
  const std::vector<double>& first_levels() const { return first_levels_; }

  /// The longest step from t, in the direction of travel, that does not miss a drive. To be
  /// called in the order of travel.
  double longest_step(double t);

  /// Guards and drives whose search was given up, for a warning; empty: none.
  const std::vector<std::string>& given_up() const { return given_up_; }
  /// A guard that changes more often than can be listed, so that no run can begin; empty: none.
  const std::string& too_many() const { return too_many_; }

 private:
  struct Piece {
    double begin = 0, end = 0;  // times, with begin < end in either direction of travel
    double width = 0;           // longest step there
  };

  std::vector<Switch> switches_;
  std::vector<double> first_levels_;
  std::vector<Piece> pieces_;  // in the order of travel
  std::vector<std::string> given_up_;
  std::string too_many_;
  double direction_ = 1;
  std::size_t piece_ = 0;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Private to integrate: what happens at times that are known before the run begins.
//
// Guards of time alone: where they leave their level, found with bounds over intervals of time. An interval on which a
// guard has one level is done; one on which it is monotone holds each change but once, found by bisection to the last
// digit; all others are halved. Drives: where a part of the equations that depends on time alone is narrow, as a pulse
// in a long silence. An interval is done when the bounds say that nothing happens there, or when a few samples foretell
// what lies between them; its width then says how long a step there may be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

class Schedule {
 public:
  Schedule() = default;
  Schedule(const Dynamics& system, double start, double until);

  /// A guard takes a new level; in the order of travel.
  struct Switch {
    double time = 0;
    std::size_t guard = 0;
    double level = 0;
  };
  const std::vector<Switch>& switches() const { return switches_; }
  /// The levels that guards of time have on leaving the start; 0 for guards of the state.
  const std::vector<double>& first_levels() const { return first_levels_; }

  /// How long a step from t may be at most, in the direction of travel, for drives to be seen. Ask in the order of
  /// travel.
  double longest_step(double t);

  /// What could not be searched to the end, for a warning; empty: nothing.
  const std::vector<std::string>& given_up() const { return given_up_; }
  /// Which guard changes more often than can be listed; empty: none. No run can begin then.
  const std::string& too_many() const { return too_many_; }

 private:
  struct Piece {
    double begin = 0, end = 0;  // in time running forwards
    double width = 0;           // of the longest step there
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

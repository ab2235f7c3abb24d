// SPDX-License-Identifier: Apache-2.0
// Private to integrate: events of the model along a run (dynamics/events.h). Their functions are guards (branches.h); where one passes 0,
// a step ends, the event is noted, and what it sets is set: all events of that instant at once, from the state before, then back onto
// the constraints with what was set held.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "dalembert/dynamics/events.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class StatedEvents final : public Observer {
 public:
  /// Only of systems with events. `branches` must outlive this: it has their guards.
  StatedEvents(StepMaker& maker, Trajectory& path, Branches& branches);

  /// Their guards at a point, into the branches. qdd: there, where rates are wanted.
  void watch(double t, const double* y, const double* qdd);
  void look_ahead(double seconds) { look_ahead_ = seconds; }
  /// At the start, and after a jump: on which side of 0 each is, or comes to be.
  void take_sides();
  /// An event passes 0 at (t, y), where guards were watched: which of all do so there and count. Its level changes. `qdd`, `lambda`: there.
  void pass(std::size_t guard, bool upwards, double t, const double* y, const double* qdd, const double* lambda);
  bool sets() const;
  bool stops() const;
  /// Notes those that pass, at t, and makes y what they set it to. False, with problem(), where that is impossible.
  bool happen(double t, double* y, const double* qdd, const double* lambda);
  /// An error of the state at the instant of those that passed last becomes that of the state after it (a product with the saltation
  /// matrix, theory §8). What is needed of both sides is in Step, and what comes after in y and slope.
  void carry(double* delta);
  const std::string& problem() const { return problem_; }

 private:
  KernelArguments arguments(double t, const double* y, const double* qdd, const double* lambda);
  bool counts(std::size_t event, bool upwards, const KernelArguments& in) const;
  bool set(double t, const double* y, const double* qdd, const double* lambda, State& after);
  double value_of(std::size_t event, double t, const double* y);
  bool accumulate(double t);

  Branches& branches_;
  const Events& events_;
  std::vector<std::size_t> passing_;  // events that happen together, and count
  std::size_t first_ = 0;             // the event by which they were found
  double rate_ = 0;                   // of it
  double jumped_at_ = std::numeric_limits<double>::quiet_NaN();
  double interval_ = 0, longest_interval_ =
                            0;  // between the last two jumps; the longest since intervals have become shorter each time
  int shorter_ = 0;             // how often they have
  bool reads_forces_ = false;
  double look_ahead_ = 0;
  std::vector<double> work_, values_, rates_, ahead_values_, ahead_, qdd_, multipliers_, none_;
  std::string problem_;
};

}  // namespace dalembert::integration

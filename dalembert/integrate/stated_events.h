// SPDX-License-Identifier: Apache-2.0
// Private to integrate: events of the model along a run (dynamics/events.h). Their functions g are guards (branches.h). Where one
// passes 0, a step ends and the event is noted. All events of that instant set what they set at once, from the state before; then
// the state is brought back onto the constraints, with what was set held.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "dalembert/dynamics/events.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/contact_states.h"
#include "dalembert/integrate/integrals.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class StatedEvents final : public Observer {
 public:
  /// Only for systems with events. `branches` holds the guards of the events; `integrals` and `contacts` are null where the system has none. All arguments
  /// must outlive this object.
  StatedEvents(StepMaker& maker, Trajectory& path, Branches& branches, Integrals* integrals, ContactStates* contacts);

  /// Evaluates the events' guards at a point, into `branches`; qdd: accelerations there, null without rates.
  void watch(double t, const double* y, const double* qdd);
  /// Notes how large the terms of the events' functions are at a point.
  void measure_terms(double t, const double* y);
  void look_ahead(double seconds) { look_ahead_ = seconds; }
  // Poles in the step at hand: g changes its sign there, or not, without passing 0.
  void forget_poles() { poles_.assign(poles_.size(), kNone); }
  void note_pole(std::size_t event, double t) { poles_[event] = t; }
  bool has_pole(std::size_t event) const { return !std::isnan(poles_[event]); }
  /// At the end of the step: sets on which side of 0 each g is that had a pole, of which a warning says once about when that was.
  void pass_poles();
  /// At the start and after a jump: sets on which side of 0 each event's g is.
  void take_sides();
  /// `guard`, that of an event or of a contact, passes 0 at (t, y): finds all events that pass 0 there and count, and changes their levels. `jumped`: of each
  /// event, whether it was beyond 0 where the step began, because a condition changed there: then it is not at 0 now.
  void pass(std::size_t guard, bool upwards, double t, const double* y, const double* qdd, const double* lambda,
            const std::vector<char>& jumped);
  /// At a point where the g of an event is 0: whether the event counts for a motion that comes to this point from beside it, and then sets or stops something.
  bool changes_motion_beside(std::size_t event, double t, const double* y, const double* qdd, const double* lambda);
  /// The events that pass and count.
  const std::vector<std::size_t>& passing() const { return passing_; }
  /// Whether an event sets or stops something.
  bool changes_motion(std::size_t event) const;
  bool ends_run(std::size_t event) const {
    return events_.events[event].stops || static_cast<int>(event) == options_.stop_event;
  }
  bool sets() const;
  bool stops() const;
  /// Notes the passing events at t and replaces y by the state that they set. False, with problem(), where that is impossible.
  bool happen(double t, double* y, const double* qdd, const double* lambda);
  /// The function g of an event at a point.
  double value_of(std::size_t event, double t, const double* y);
  /// Applies the jump of the last events to a neighbouring state y = (q, v).
  bool set_beside(double t, double* y);
  /// Applies the settings of these events alone to y. False where that is impossible.
  bool set_alone(const std::vector<std::size_t>& events, double t, double* y);
  /// Whether the condition of an event is met at a point.
  bool holds_at(std::size_t event, double t, const double* y);
  const std::string& problem() const { return problem_; }
  /// Why the last settings beside the run were impossible, if they were.
  const std::string& problem_beside() const { return beside_; }

 private:
  KernelArguments arguments(double t, const double* y, const double* qdd, const double* lambda);
  bool counts(std::size_t event, bool upwards, const KernelArguments& in) const;
  /// What events set: the values are those of `after`, and what is not set may move.
  struct Settings {
    std::vector<bool> hold_position, hold_velocity;
    bool moves = false;  // a position is set
  };
  bool find_settings(const std::vector<std::size_t>& events, const KernelArguments& in, State& after, bool beside,
                     Settings& found);
  bool set(const std::vector<std::size_t>& events, double t, const double* y, const double* qdd, const double* lambda,
           State& after);
  bool set_displaced(const std::vector<std::size_t>& events, double t, const double* y, const double* qdd,
                     const double* lambda, State& after);
  bool assemble_with(const Dynamics& system, const Settings& settings, bool beside, State& after);
  bool let_contacts_part(const Settings& settings, const double* before, State& after);
  bool accumulate(double t);

  Branches& branches_;
  Integrals* const integrals_;     // null where no event reads them
  ContactStates* const contacts_;  // null where there are none
  const Events& events_;
  std::vector<std::size_t> passing_;  // events that happen together and count
  std::size_t first_ = 0;             // the event that was found first
  double rate_ = 0;                   // rate of its g
  std::vector<double> passed_at_;     // g of each event that passed at the last instant, NaN for the others
  double jumped_at_ = std::numeric_limits<double>::quiet_NaN();  // time of the last jump
  double interval_ = 0;                                          // between the last two jumps
  double longest_interval_ = 0;  // the first interval of those that become shorter each time
  int shorter_ = 0;              // number of these
  int at_once_ = 0;              // jumps at the last instant, after its first
  bool reads_forces_ = false;
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> poles_;     // by event: the time of its pole in the step; kNone: it has none
  std::vector<char> told_poles_;  // by event: whether a warning has said that it has poles
  double look_ahead_ = 0;
  ContactStates::Rests rests_;  // after the last jump: the rows of these contacts hold beside the run as well
  std::vector<double> work_, values_, rates_, ahead_values_, ahead_, qdd_, multipliers_, none_;
  std::string problem_, beside_;
};

}  // namespace dalembert::integration

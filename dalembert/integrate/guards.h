// SPDX-License-Identifier: Apache-2.0
// Private to integrate: ends steps where a guard leaves its level. The run goes on with the next branch, or along the
// limit of the guard if both sides lead back to it (sliding.cpp).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/contact_states.h"
#include "dalembert/integrate/integrals.h"
#include "dalembert/integrate/observer.h"
#include "dalembert/integrate/schedule.h"
#include "dalembert/integrate/stated_events.h"
#include "dalembert/integrate/stick_slip.h"

namespace dalembert::integration {

class Guards final : public Observer {
 public:
  /// Rates of guards that depend on forces are finite differences over this fraction of a step.
  static constexpr double kLookAhead = 0.01;

  /// All arguments must outlive this object. `maker` makes steps of the system with held branches; `integrals` is null where it has none.
  Guards(StepMaker& maker, Trajectory& path, const Schedule& schedule, Branches& branches, Integrals* integrals);

  /// Sets the branches at the initial state, before the constraints are evaluated there.
  void look_at_start();
  /// Sets the branches at the start, which is on the manifold. False where the equations cannot be evaluated, or with a
  /// problem().
  bool begin();
  /// At a point on the manifold: sets the level of each guard that has left its level because other guards have
  /// changed. `slope` receives the slope there. False when the equations cannot be evaluated.
  bool settle(double t, double* y, double* slope);
  /// Explains why the frictions or contacts have no consistent state or several, or why the values that events set are impossible; otherwise empty.
  std::string problem() const;
  /// Why what events set was impossible at a displaced state, if it was.
  const std::string& problem_beside() const;
  /// A displacement of a point of the run: y = (q, v) moves by ε·tangent, and each parameter (index, rate) by ε·rate, |ε| ≤ h.
  struct Displacement {
    const std::vector<double>& tangent;
    const std::vector<std::pair<int, double>>& parameters;
    double h;
  };
  /// Whether something changes at the end of the step that was just made, at an instant that find_delay() differentiates.
  bool ends_at_change() const { return crossing_ || !due().empty(); }
  /// The guard that leaves its level at the end of the step by the motion, as far as one does; before change().
  std::optional<std::size_t> crossing() const { return crossing_ ? std::optional(crossing_->guard) : std::nullopt; }
  /// After change(): the time by which the run has moved the state back along its slope, onto the gap of an impact.
  double moved_back() const { return moved_back_; }
  /// The guards of all events and impacts at the end of the step where the state jumps or the run stops there, and of all events that are noted; before change().
  const std::vector<std::size_t>& jumping() const { return jumping_; }
  const std::vector<std::size_t>& noted() const { return noted_; }
  /// The event that guard k belongs to.
  const std::string& name_of_event(std::size_t k) const {
    return dynamics_.events()->events[k - branches_.first_of_events()].name;
  }
  /// Whether guard k is of an event, and the name of the event or of the contact.
  std::pair<bool, std::string> name_of_happening(std::size_t k) const {
    const bool is_event = branches_.is_of_event(k);
    return {is_event, is_event ? name_of_event(k) : name_of_contact(k - branches_.first_of_contacts())};
  }
  /// Whether the run ends where guard k passes 0.
  bool ends_run(std::size_t k) const;
  /// The changes at known times at the end of the step; before change(), which makes them before all others.
  std::span<const Schedule::Switch> due() const;
  /// Whether more changes at known times come within so many seconds of t, where a change was just made.
  bool switches_within(double seconds, double t) const {
    return next_switch_ < schedule_.switches().size() &&
           std::abs(schedule_.switches()[next_switch_].time - t) <= seconds;
  }
  /// After change(): the slope after due(), before crossing() changes anything; empty if it is not known.
  const std::vector<double>& slope_between() const { return slope_between_; }
  /// Whether guard k changes the equations or the state where it leaves its level: an event may only be recorded.
  bool changes_motion(std::size_t k) const { return !branches_.is_of_event(k) || step_.jumps || step_.stops; }
  /// The guards of frictions, and of forces of contacts.
  bool is_of_mode(std::size_t k) const { return branches_.is_of_friction(k) || branches_.is_of_contact(k); }
  bool may_jump(std::size_t k) const { return branches_.is_of_event(k) || branches_.is_gap(k); }
  /// How guard k is called.
  const std::string& name_of_guard(std::size_t k) const { return branches_.info(k).text; }
  /// The conditions that have left their level where the step began.
  const std::vector<std::size_t>& changed_here() const { return changed_here_; }
  /// Writes to `delay` the derivative by ε of the instant t, an end of the step, at which guard k leaves its level, where the motion passes (q, v) = y with this slope;
  /// 0 if the displacement does not move it. False if the instant has no derivative.
  bool find_delay(std::size_t k, const Displacement& by, double t, const double* y, const double* slope, double& delay);
  /// Whether a guard of time alone that is due at the end of the step reaches its limit; else it jumps over it, where another one is due.
  bool reaches_limit(std::size_t k);
  /// Writes to `after` the tangent of the state after the change (saltation matrix, jumps.cpp); by.tangent is that before it. `y` and `slope`: the
  /// state and its slope before the change; `delay`: from find_delay(). Call it after change(). False if the jump fails at a displaced state.
  bool carry_through(const Displacement& by, double delay, const std::vector<double>& y,
                     const std::vector<double>& slope, std::vector<double>& after);
  /// Whether outputs or events read impulses of contacts, which are parameters.
  bool keeps_impulses() const;
  /// Whether the last change has noted some.
  bool notes_impulses() const { return keeps_impulses() && step_.jumps && contacts_->struck(); }
  /// After carry_through(): of each impulse that the change has noted its parameter, and its derivative by ε.
  std::vector<std::pair<int, double>> rates_of_impulses() const;
  // jumps_apart.cpp: the jumps at the end of the step one after another; after change().
  /// The levels of the conditions, which contacts are closed, and what the frictions do.
  struct Mode {
    std::vector<double> levels;
    std::vector<char> closed;
    std::vector<double> frictions;  // FrictionSystem::add_hold()
    bool operator==(const Mode&) const = default;
  };
  Mode mode() const;
  /// Some of jumping(), which happen at once, and how their impacts went where they were carried out first: displaced, they go in the same way.
  struct Jump {
    std::vector<std::size_t> guards;
    std::vector<ContactStates::Struck> struck;
  };
  /// Of an event or a gap at a point.
  struct Place {
    double value = 0, rate = 0;
    bool at_limit = false;
    double side = 0;
    bool holds = true;
  };
  bool find_mode(const Mode& before, const std::vector<char>& jumped, double t, const double* y, Mode& between);
  bool find_places(const Mode& mode, double t, const double* y, const double* slope, std::vector<Place>& places);
  bool goes_on_between(const std::vector<char>& jumped, const Mode& between, const std::vector<Place>& places,
                       const std::vector<Place>& first, const std::vector<Place>& last) const;
  const Place& place_among(const std::vector<Place>& places, std::size_t guard) const {
    return places[guard - branches_.first_of_contacts()];
  }
  bool jump_alone(Jump& jump, const Mode& mode, double t, double* y);
  bool carry_through_alone(Jump& jump, const Mode& mode, const Displacement& by, const std::vector<double>& y,
                           const std::vector<double>& slope, double rate, const std::vector<double>& next,
                           double& delay, std::vector<double>& after);
  /// Keeps what the guards are, and brings it back.
  Branches::Values values() const { return branches_.values(); }
  void recall(const Branches::Values& values) { branches_.recall(values); }

  /// Called at the end of the run.
  void finish();
  /// Evaluates the inputs that do not depend on time, after a change of held inputs, or of parameters or levels that they may read.
  void evaluate_inputs_anew();

  // limits_at_start.cpp; at the start of the run, after begin().
  /// The guards of frictions and of forces of contacts that are 0 up to round-off, and of events that are 0 and would change the motion beside the start.
  std::vector<std::size_t> limits_at_start();
  /// Whether a displacement moves something; kUnknown where that cannot be evaluated beside the start.
  enum class Moves { kNo, kYes, kUnknown };
  /// Whether a displacement of the start moves guard k away from 0, or its rate if that is 0 as well, or lets a friction slide that sticks at its limit.
  Moves moves_at_start(std::size_t k, const Displacement& by);
  std::string description_of(std::size_t k) const;
  std::vector<std::size_t> closed_contacts() const;
  /// Whether a displacement of the start changes the gap of a closed contact, or its rate.
  Moves leaves_contact_at_start(std::size_t contact, const Displacement& by);
  std::string name_of_contact(std::size_t contact) const;
  /// The first guards of the frictions that stick and are pressed, within their limits.
  std::vector<std::size_t> sticking_frictions();
  /// Of each of these, whether a displacement of the start lets it slide.
  std::vector<Moves> slide_at_start(const std::vector<std::size_t>& sticking, const Displacement& by);
  std::string name_of_friction(std::size_t k) const;

  /// Called before a try of a step: may shorten the step so that it ends where the next impact is expected.
  void aim();
  Tried after_try(Tried tried) override;
  void note_end() override;
  bool change() override;
  bool move_on() override;

 private:
  struct Crossing {
    std::size_t guard = 0;
    bool upwards = false;
  };
  // A step that was shortened to end where `gap` is expected to be 0; t1, length: the end and length that it would have had.
  struct Aim {
    std::size_t gap = 0;
    double t1 = 0, length = 0;
  };
  void watch(double t, const double* y, const double* qdd, bool with_rates = true);
  void watch_end();
  bool is_due(const Schedule::Switch& one, double t) const { return maker_.direction * (one.time - t) <= same_time_; }
  bool decide_frictions(double t, double* y, const FrictionExit& exit);
  bool decide_through(std::size_t k, double t, double* y);
  void hold_branches();
  bool take_switches(double t);
  std::string condition_of(std::size_t k) const;
  bool constraints_go_on(double t, double* y, const std::string& condition);

  // crossings.cpp
  /// Whether a step ends where guard k leaves its level within it.
  bool ends_steps(std::size_t k) const {
    return !branches_.is_timed(k) && !motion_.slides_on(k) && stays_[k] == 0 &&
           !(branches_.is_of_event(k) && events_->has_pole(k - branches_.first_of_events()));
  }
  void find_staying(double step);
  void measure_conditions(double t, const double* y);
  void measure_terms();
  void warn_of_staying();
  bool comes_near(std::size_t k, double step);
  void watch_within(double theta, double step);
  void look_between(double step);
  bool resolves_guards(double step);
  std::optional<double> find_pole(std::size_t k, double step);
  bool passes_zero(std::size_t k, double a, double b, double step);
  double room_at(double theta, double step, const std::vector<std::size_t>& guards, std::size_t* first);
  bool brackets_crossing(double step, const std::vector<std::size_t>& guards, double noise, double& a, double& b,
                         double& room_a, double& room_b);
  bool dips_below(double step, const std::vector<std::size_t>& guards, double noise, std::size_t i, double& b,
                  double& room_b);
  void find_hidden_dips(double step, const std::vector<std::size_t>& guards, double noise, double& a, double& b,
                        double& room_a, double& room_b);
  double first_crossing(double step, const std::vector<std::size_t>& guards, std::size_t& which);

  void keep_guards();
  Tried end_at_guard();
  bool find_near();
  Tried end_at(double theta, std::size_t which);
  bool leaves_by_jump(std::size_t which, bool upwards, double end, double whole_end);
  bool end_at_gap(std::size_t which);
  double find_earlier(std::size_t& which);
  bool shows_all_guards(std::size_t which);
  Tried end_where_ambiguous();
  Tried change_here(std::size_t k, bool upwards);
  bool take_levels(double t, double* y, double* slope, std::size_t hit = ContactStates::kNone);
  bool pass();
  bool judge_energy_jump(double before, bool by_time, const std::optional<Crossing>& crossing);
  void prepare_jump(std::size_t k, bool upwards);
  std::vector<char> events_beyond() const;

  // flights.cpp
  void note_flights();
  bool lands(std::size_t which);
  bool hits(std::size_t which);

  // jumps_apart.cpp
  template <class Run>
  bool in_mode(const Mode& mode, const Run& run);
  Place place_of(std::size_t k, double t, const double* y, const double* slope);
  bool set_beside(double t, double* y);

  // jumps.cpp
  double jump_guard_at(std::size_t k, double t, const double* y);
  double guard_at(std::size_t k, double t, const double* y);
  bool find_rate_in_time(std::size_t k, double t, double& rate);
  bool find_rate_along(std::size_t k, double t, const double* slope, double& rate);
  void displace_parameters(const Displacement& by, double epsilon);
  template <class At>
  std::vector<Moves> changes_at_start(const Displacement& by, const At& at);
  bool jump_beside(double t, double* y);
  using JumpTo = std::function<bool(double t, double* y)>;
  bool differentiate_jump(const Displacement& by, double h, double delay, const std::vector<double>& y,
                          const std::vector<double>& slope, const JumpTo& jump, std::vector<double>& derivative);
  void change_slope(const Displacement& by, double delay, const std::vector<double>& slope, const double* next,
                    std::vector<double>& after) const;
  void carry(double* delta);

  bool happen(double before, bool by_time, const Crossing& crossing);
  bool take_levels_after_jump(double t, double* y, double* slope, std::size_t hit);

  // sliding.cpp
  bool stay_if_pushed_back(std::size_t k, bool upwards, double t, double* y, double* slope);
  bool leaves_slide_within(double& a, double& b);
  bool end_of_slide();

  const Schedule& schedule_;
  Branches& branches_;
  std::unique_ptr<StickSlip> frictions_;                             // null without friction
  std::unique_ptr<ContactStates> contacts_;                          // null without contacts
  std::unique_ptr<StatedEvents> events_;                             // null without events
  std::vector<double> guard_before_, rate_before_;                   // at the start of the step
  std::vector<double> guard_between_, rate_between_, room_between_;  // at a point within it
  std::vector<std::size_t> near_, out_guards_, alone_, slid_;
  std::vector<double> looks_, rooms_;  // points to look at, as fractions of the step; the guards' room there
  std::vector<double> rooms_of_;       // at each of these points, the room of each guard that is near its limit
  std::optional<Crossing> crossing_;   // guard that leaves its level at the end of the step
  std::string broken_;                 // why a constraint does not go on where a condition changes
  bool ambiguous_ = false;             // more than one state of the frictions is consistent at the end of the step
  std::size_t next_switch_ = 0, changes_ = 0;
  double changed_at_ = std::numeric_limits<double>::quiet_NaN();
  double same_time_ = 0;
  bool energy_jumped_ = false;
  double moved_back_ = 0;
  std::optional<Mode> sets_in_;  // before the last jump by events, if it has changed
  std::size_t jump_guard_ = 0;   // guard at which the state jumped last, and its rate there
  double jump_rate_ = 0;
  std::vector<double> slope_between_;
  std::vector<std::size_t> changed_here_, jumping_, noted_;
  std::array<std::vector<double>, 2> beside_;  // states before a jump and after it, of carry()
  std::vector<double>
      falls_;  // second derivatives of the gaps if all guards are gaps that are parabolas in time; else empty
  std::optional<Aim> aimed_;
  DerivativeAlong difference_;
  std::vector<double> displaced_, derivative_, shorter_;
  // A guard that the motion does not read: a run follows it for the sake of outputs and events.
  struct Followed {
    std::size_t guard = 0;
    double farthest = 0;    // from its limit in the step
    double terms = 0;       // the largest size of its terms, by measure_terms()
    int steps = 0;          // in a row in which it stayed there by round-off
    bool is_named = false;  // by a warning
  };
  std::vector<Followed> followed_;
  std::uint64_t tries_ = 0;   // of steps that they were looked at in
  std::vector<char> stays_;   // by guard: whether it is followed, and at its limit throughout the step
  std::vector<char> jumped_;  // the numbers of the state that the jump at hand changes
};

}  // namespace dalembert::integration

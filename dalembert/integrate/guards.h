// SPDX-License-Identifier: Apache-2.0
// Private to integrate: ends steps where a guard leaves its level. The run goes on with the next branch, or along the
// limit of the guard if both sides lead back to it (sliding.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/contact_states.h"
#include "dalembert/integrate/observer.h"
#include "dalembert/integrate/schedule.h"
#include "dalembert/integrate/stated_events.h"
#include "dalembert/integrate/stick_slip.h"

namespace dalembert::integration {

class Guards final : public Observer {
 public:
  /// Rates of guards that depend on forces are finite differences over this fraction of a step.
  static constexpr double kLookAhead = 0.01;

  /// All arguments must outlive this object. `maker` makes steps of the system with held branches.
  Guards(StepMaker& maker, Trajectory& path, const Schedule& schedule, Branches& branches);

  /// Sets the branches at the initial state, before the constraints are evaluated there.
  void look_at_start();
  /// Sets the branches at the start, which is on the manifold. False where the equations cannot be evaluated, or with a
  /// problem().
  bool begin();
  /// At a point on the manifold: sets the level of each guard that has left its level because other guards have
  /// changed. `slope` receives the slope there. False when the equations cannot be evaluated.
  bool settle(double t, double* y, double* slope);
  /// Explains why the frictions or contacts have no consistent state, or several, or why what events set is impossible; else empty.
  std::string problem() const;
  /// A displacement of a point of the run: of y = (q, v) by ε·tangent, and of parameters by ε times their rates, |ε| ≤ h.
  struct Displacement {
    const std::vector<double>& tangent;
    const std::vector<std::pair<int, double>>& parameters;
    double h;
  };
  /// How much later, for each ε, a guard leaves its level at the end of the step. To be called before change(); 0 where none does.
  bool find_delay(const Displacement& by, double& delay);
  /// After change(): the tangent of the state after the change, from that of the state `y` with this `slope` before it, into `after`.
  bool carry_through(const Displacement& by, double delay, const std::vector<double>& y,
                     const std::vector<double>& slope, std::vector<double>& after);
  /// Called at the end of the run.
  void finish();

  /// Called before a try: may end it earlier, where the next impact is expected.
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
  // A try that ends where a gap is expected to be 0, and the end and length that the step would have had.
  struct Aim {
    std::size_t gap = 0;
    double t1 = 0, length = 0;
  };
  void watch(double t, const double* y, const double* qdd, bool with_rates = true);
  void watch_end();
  bool decide_frictions(double t, double* y, const FrictionExit& exit);
  bool is_of_mode(std::size_t k) const { return branches_.is_of_friction(k) || branches_.is_of_contact(k); }
  bool may_jump(std::size_t k) const { return branches_.is_of_event(k) || branches_.is_gap(k); }
  bool decide_through(std::size_t k, double t, double* y);
  void hold_branches();
  bool take_switches(double t);

  // crossings.cpp
  bool comes_near(std::size_t k, double step);
  void look_between(double step);
  bool resolves_guards(double step);
  double room_at(double theta, double step, const std::vector<std::size_t>& guards, std::size_t* first);
  bool brackets_crossing(double step, const std::vector<std::size_t>& guards, double noise, double& a, double& b,
                         double& room_a, double& room_b);
  double first_crossing(double step, const std::vector<std::size_t>& guards, std::size_t& which);

  void keep_guards();
  Tried end_at_guard();
  bool find_near();
  Tried end_at(double theta, std::size_t which);
  bool end_at_gap(std::size_t which);
  double find_earlier(std::size_t& which);
  bool shows_all_guards(std::size_t which);
  Tried end_where_ambiguous();
  Tried change_here(std::size_t k, bool upwards);
  bool take_levels(double t, double* y, double* slope, std::size_t hit = ContactStates::kNone);
  bool pass();
  bool judge_energy_jump(double before, bool by_time, const std::optional<Crossing>& crossing);
  void prepare_jump(std::size_t k, bool upwards);

  // flights.cpp
  void note_flights();
  bool lands(std::size_t which);
  bool hits(std::size_t which);

  // jumps.cpp
  double jump_guard_at(std::size_t k, double t, const double* y);
  double guard_at(std::size_t k, double t, const double* y);
  void displace_parameters(const Displacement& by, double epsilon);
  bool jump_beside(double t, double* y);
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
  std::vector<std::size_t> near_, out_guards_, slid_;
  std::vector<double> looks_, rooms_;  // points to look at, as fractions of the step; the guards' room there
  std::optional<Crossing> crossing_;   // guard that leaves its level at the end of the step
  bool ambiguous_ = false;             // more than one state of the frictions is consistent at the end of the step
  std::size_t next_switch_ = 0, changes_ = 0;
  double changed_at_ = std::numeric_limits<double>::quiet_NaN();
  double same_time_ = 0;
  bool energy_jumped_ = false;
  std::size_t jump_guard_ = 0;  // guard at which the state jumped last, and its rate there
  double jump_rate_ = 0;
  std::array<std::vector<double>, 2> beside_;  // states before a jump and after it, of carry()
  std::vector<double>
      falls_;  // second derivatives of the gaps, where all guards are gaps and these are parabolas in time; else empty
  std::optional<Aim> aimed_;
  DerivativeAlong difference_;
  std::vector<double> displaced_, derivative_;
};

}  // namespace dalembert::integration

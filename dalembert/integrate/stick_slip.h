// SPDX-License-Identifier: Apache-2.0
// Private to integrate: frictions that stick and slide along a run. stick_slip.cpp explains how.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/dynamics/friction_system.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class StickSlip final : public Observer {
 public:
  /// A friction is at rest if its sliding speed is below this fraction of atol.
  static constexpr double kAtRest = 1e-3;
  /// While a friction in a plane slows down within a step, its speed has no direction below this fraction of that where the step begins: the
  /// continuous solution has errors, too.
  static constexpr double kNoDirection = 1e-6;

  /// For systems with frictions only. `branches`, which holds their guards, must outlive this object.
  StickSlip(StepMaker& maker, Trajectory& path, Branches& branches);

  void note_end() override { friction().meet_forces(); }
  /// Evaluates the guards of the frictions at a point, into `branches`. Rates are finite differences over
  /// the `seconds` of look_ahead().
  void watch(double t, const double* y, bool with_rates);
  void look_ahead(double seconds) { look_ahead_ = seconds; }
  /// Lets the directions of frictions that slide in a plane be those of their speeds at the last watch(): the guard of one is its speed along
  /// that direction.
  void turn_with_speeds();
  /// Whether the friction sticks that has guard `at`, counted from the first of frictions.
  bool sticks_at(std::size_t at) const { return friction().mode[at / 2].direction == 0; }
  /// Whether that friction sticks, and something presses it. Of one in a plane its first guards are asked for.
  bool holds(std::size_t at) const {
    const auto j = static_cast<int>(at / 2);
    return sticks_at(at) && !friction().is_idle(j) && !friction().is_second(j);
  }
  std::string name(int j) const;
  /// Adds the sliding speeds of the friction that guard k belongs to, if it sticks, at the point of the last watch(), and what is round-off of them.
  void add_speeds(std::size_t k, std::vector<double>& speeds, std::vector<double>& noise) const;
  /// Whether a friction has left its state at the point of the last watch().
  bool have_left() const;
  /// The friction and the state that guard k ends.
  FrictionExit exit_through(std::size_t k);
  /// Decides the states of the frictions from a point on the manifold on, and brings those that stick to rest. False,
  /// with problem(), where no mode is consistent, or several are.
  bool decide(double t, double* y, const FrictionExit& exit);
  // The parts of decide(), for decisions together with contacts (contact_states.h).
  /// Marks the frictions that may stick. Must follow FrictionSystem::evaluate().
  const std::vector<char>& find_at_rest(double t, const FrictionExit& exit);
  /// Takes a mode, and notes what changes.
  void adopt(double t, const FrictionMode& mode);
  /// Begins the guards of the new states at a point of the manifold.
  void begin_guards(double t, const double* y);
  /// Whether more than one mode is consistent at a point, so that the motion is not unique.
  bool is_ambiguous(double t, const double* y);
  bool may_be_ambiguous() { return friction().slides_with_load(); }
  /// Sets problem() for the point at t, where is_ambiguous() was last true.
  void end_ambiguously(double t);
  /// Called after a jump of the state: at the next decide(), a friction that stuck before the jump may slide.
  void let_go() { let_go_ = true; }
  const std::string& problem() const { return problem_; }

 private:
  FrictionSystem& friction() const { return *motion_.workspace.friction; }
  double error_of_speed(int j) const;
  double speed_of_begin(int j) const;
  void find_guards();
  void set_guards();

  Branches& branches_;
  bool started_ = false;  // whether the states have been decided once
  bool let_go_ = false;   // whether the next decide() also tests the speeds of frictions that stick
  std::vector<char> at_rest_;
  std::vector<char> idle_;  // for each friction whether nothing pressed it after the last adopt()
  std::vector<double> qdd_, multipliers_, guards_, sizes_, ahead_;
  std::vector<double> speeds_;  // sliding speeds of frictions in planes at the last watch()
  std::vector<char> begins_;    // for each friction in a plane whether it has just begun to slide
  double look_ahead_ = 0;
  FrictionAnswer ambiguous_;
  std::string problem_;  // why the motion ends
};

}  // namespace dalembert::integration

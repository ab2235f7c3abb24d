// SPDX-License-Identifier: Apache-2.0
// Private to integrate: which branches of a system's conditions and kinks a run holds (dynamics/switching.h), and how far
// its frictions are from leaving their states (dynamics/friction.h): two guards for each, above 0 while the state lasts,
//   slides: d v_s and ±N, of the sign of N that is held;   sticks: μ_s|N| − f and μ_s|N| + f.
// The functions of its events (dynamics/events.h) are guards as well: their levels are signs, which the equations do not read.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/integrate/schedule.h"

namespace dalembert::integration {

class Branches {
 public:
  /// `schedule` says what levels the guards of time begin with. Only where the system has guards or frictions.
  Branches(const Dynamics& system, const Schedule& schedule);

  /// The system with the branches held; the same object all along.
  const Dynamics& held() const { return held_; }
  const Switching& switching() const { return *switching_; }
  std::size_t count() const { return guards_.size(); }
  bool is_timed(std::size_t k) const { return info(k).timed >= 0; }
  const Switching::Guard& info(std::size_t k) const {
    return k < levels_.size() ? switching_->guards[k] : others_[k - levels_.size()];
  }
  /// Guards before this one are those of the system's branches.
  std::size_t first_of_friction() const { return levels_.size(); }
  bool is_of_friction(std::size_t k) const { return k >= levels_.size() && k < first_of_events_; }
  std::size_t first_of_events() const { return first_of_events_; }
  bool is_of_event(std::size_t k) const { return k >= first_of_events_; }

  const Dynamics& system() const { return system_; }
  const std::vector<double>& levels() const { return levels_; }
  double level(std::size_t k) const {
    return is_of_event(k) ? event_levels_[k - first_of_events_] : is_of_friction(k) ? 1 : levels_[k];
  }
  /// Takes effect with hold(); of events at once.
  void set_level(std::size_t k, double level) {
    (is_of_event(k) ? event_levels_[k - first_of_events_] : levels_[k]) = level;
  }
  void hold();
  /// The level that comes next on the side where the guard is leaving.
  double next_level(std::size_t k, bool upwards) const {
    return info(k).floor ? level(k) + (upwards ? 1 : -1) : upwards ? 1 : -1;
  }

  /// Guards and rates at a point, with the branches held; qdd may be null where rates are not wanted.
  void watch(const KernelArguments& in);
  double value(std::size_t k) const { return guards_[k]; }  ///< as watched
  /// `size`: of the terms that cancel in it.
  void set_friction_guard(std::size_t k, double guard, double size);
  void set_rate(std::size_t k, double rate) { rates_[k] = rate; }
  void set_event_guard(std::size_t k, double guard);
  /// The frictions have new states, which the guards that were set bear out but for round-off.
  void begin_friction();
  /// The guard, less what it was off its limit by when its level was taken: crossings are located to round-off only.
  double guard(std::size_t k) const { return guards_[k] - offset_[k]; }
  /// How far the guard is from leaving its level upwards and downwards: negative where it has left. A sign of 0 is left
  /// at once.
  double above(std::size_t k) const;
  double below(std::size_t k) const;
  double rate(std::size_t k) const { return rates_[k]; }
  /// Values within this are no more than round-off.
  double noise(std::size_t k) const { return noise_ + (reads_forces(k) ? 64 : 4) * 2.3e-16 * largest_[k]; }
  /// Its rate is a difference.
  bool reads_forces(std::size_t k) const { return k >= levels_.size() && reads_forces_[k - levels_.size()]; }
  void set_noise(double noise) { noise_ = noise; }
  /// The guard is at the limit where its level begins: below it when it came upwards.
  void stand_at_limit(std::size_t k, bool upwards);
  void forget_offset(std::size_t k) { offset_[k] = 0; }

 private:
  const Dynamics& system_;
  const Switching* switching_;
  std::vector<double> levels_;  // of the branches; frictions have none
  std::vector<Switching::Guard> others_;  // of frictions, then of events
  std::vector<bool> reads_forces_;        // likewise
  std::size_t first_of_events_ = 0;
  std::vector<double> event_levels_;
  std::vector<double> guards_, rates_, offset_, largest_, work_, none_;
  double noise_ = 0;
  Dynamics held_;
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the branches of a system's conditions and kinks that a run holds (dynamics/switching.h), and
// guards of its frictions' states (dynamics/friction.h). Each friction has two guards, positive while its state lasts:
//   slides: d v_s, and N times the sign of N that is held;   sticks: μ_s|N| − f and μ_s|N| + f.
// Each contact (dynamics/contacts.h) has one, positive while its state lasts: its gap h while it is open, λ while it is closed.
// The functions of the system's events (dynamics/events.h) are guards as well. Their levels are signs, which the
// equations do not read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/switching.h"
#include "dalembert/integrate/schedule.h"

namespace dalembert::integration {

/// Whether a run of the system holds branches: it has conditions, frictions, events or contacts.
bool may_switch(const Dynamics& dynamics);

class Branches {
 public:
  /// `schedule` gives the initial levels of the guards of time alone. For systems with guards or frictions only.
  Branches(const Dynamics& system, const Schedule& schedule);

  /// The system with held branches; always the same object.
  const Dynamics& held() const { return held_; }
  const Switching& switching() const { return *switching_; }
  std::size_t count() const { return guards_.size(); }
  bool is_timed(std::size_t k) const { return facts_[k].timed; }
  /// Whether a guard of time alone jumps where another one leaves its level, as `mod(t, T) - T/3`. Branches held, it does not.
  bool jumps_in_time(std::size_t k) const {
    return is_timed(k) && !switching_->functions[static_cast<std::size_t>(info(k).timed)].has_rate;
  }
  bool is_floor(std::size_t k) const { return facts_[k].floor; }
  bool has_rate(std::size_t k) const { return facts_[k].has_rate; }
  bool acts(std::size_t k) const { return facts_[k].acts; }
  const Switching::Guard& info(std::size_t k) const {
    return k < levels_.size() ? switching_->guards[k] : others_[k - levels_.size()];
  }
  /// Index of the first guard of a friction; earlier guards belong to the system's branches.
  std::size_t first_of_friction() const { return levels_.size(); }
  bool is_of_friction(std::size_t k) const { return k >= levels_.size() && k < first_of_contacts_; }
  std::size_t first_of_contacts() const { return first_of_contacts_; }
  bool is_of_contact(std::size_t k) const { return k >= first_of_contacts_ && k < first_of_events_; }
  /// Whether the guard is the gap of an open contact.
  bool is_gap(std::size_t k) const { return is_of_contact(k) && closed_[k - first_of_contacts_] == 0; }
  std::size_t first_of_events() const { return first_of_events_; }
  bool is_of_event(std::size_t k) const { return k >= first_of_events_; }

  const Dynamics& system() const { return system_; }
  const std::vector<double>& levels() const { return levels_; }
  double level(std::size_t k) const {
    return is_of_event(k) ? event_levels_[k - first_of_events_] : k >= levels_.size() ? 1 : levels_[k];
  }
  /// Sets the level of guard k. The level of an event takes effect at once, that of a branch with hold().
  void set_level(std::size_t k, double level) {
    (is_of_event(k) ? event_levels_[k - first_of_events_] : levels_[k]) = level;
  }
  void hold();
  /// Closes these contacts and opens the others, at once.
  void set_contacts(const std::vector<char>& closed);
  /// Sets each parameter (index, rate) of the systems with held branches to its value in the system of the run plus ε·rate.
  void displace_parameters(const std::vector<std::pair<int, double>>& rates, double epsilon);
  /// Keeps the impulse of contact k for the outputs and events that read it.
  void note_impulse(std::size_t k, double impulse);
  const std::vector<char>& closed() const { return closed_; }
  /// The system with held branches and all contacts closed; null without contacts. Always the same object.
  const Dynamics* all_closed() const { return all_closed_ ? &*all_closed_ : nullptr; }
  /// The next level of a guard that leaves its level upwards or downwards.
  double next_level(std::size_t k, bool upwards) const {
    return info(k).floor ? level(k) + (upwards ? 1 : -1) : upwards ? 1 : -1;
  }

  /// Evaluates guards and rates at a point, with held branches; in.qdd may be null if no rates are needed.
  void watch(const KernelArguments& in);
  /// The value at time t of a guard that depends on time alone; u: the inputs at t.
  double timed_value(std::size_t k, double t, const double* u) {
    return switching_->value(static_cast<std::size_t>(info(k).timed), t, held_.parameters().data(), u, work_.data());
  }
  double value(std::size_t k) const { return guards_[k]; }  ///< value at the last watch()
  /// Of a friction or a contact. `size` is the size of the terms that cancel in the guard.
  void set_guard(std::size_t k, double guard, double size);
  void set_rate(std::size_t k, double rate) { rates_[k] = rate; }
  void set_event_guard(std::size_t k, double guard) {
    guards_[k] = guard;
    if (std::isfinite(guard)) largest_[k] = std::max(largest_[k], std::abs(guard));
  }
  /// Begins new states of the frictions, or of the contacts. A guard that is negative here, by round-off, counts as zero.
  void begin_friction() { begin(levels_.size(), first_of_contacts_); }
  void begin_contacts() { begin(first_of_contacts_, first_of_events_); }
  /// The value of the guard, less its distance from the limit when it took its level: crossings are located only to
  /// round-off.
  double guard(std::size_t k) const { return guards_[k] - offset_[k]; }
  /// Distance of the guard from leaving its level upwards and downwards, negative once it has left. The sign 0
  /// is a level without width, so a guard leaves it at once.
  double above(std::size_t k) const {
    if (is_of_friction(k) || is_of_contact(k)) return std::numeric_limits<double>::infinity();
    if (is_floor(k)) return level(k) + 1 - guard(k);
    return level(k) > 0 ? std::numeric_limits<double>::infinity() : -guard(k);
  }
  double below(std::size_t k) const {
    if (is_of_friction(k) || is_of_contact(k)) return guard(k);
    if (is_floor(k)) return guard(k) - level(k);
    return level(k) < 0 ? std::numeric_limits<double>::infinity() : guard(k);
  }
  double rate(std::size_t k) const { return rates_[k]; }
  /// Values of the guard below this are round-off: less than set_noise() says where the terms of a condition or event are small in their unit.
  double noise(std::size_t k) const {
    return std::min(noise_, kOfTerms * std::max(terms_[k], largest_[k])) +
           (reads_forces(k) ? 64 : 4) * 2.3e-16 * largest_[k];
  }
  /// Notes how large the terms of a guard are; NaN: this is not known, so set_noise() rules.
  void note_terms(std::size_t k, double size) {
    terms_[k] = std::isnan(size) ? std::numeric_limits<double>::infinity() : std::max(terms_[k], size);
  }
  /// Notes those of all conditions. At a point where each coordinate and velocity is as large as the largest of its unit, they are as large as what their round-off
  /// may come from.
  void measure_terms(const KernelArguments& in);
  /// Whether the guard depends on accelerations or multipliers: then its rate is a finite difference.
  bool reads_forces(std::size_t k) const {
    return is_of_contact(k) ? !is_gap(k) : k >= levels_.size() && reads_forces_[k - levels_.size()];
  }
  void set_noise(double noise) { noise_ = noise; }
  /// Sets the offset so that the guard is at the limit where its level begins: the lower limit if it came upwards.
  void stand_at_limit(std::size_t k, bool upwards);
  void forget_offset(std::size_t k) { offset_[k] = 0; }
  /// What watch() and set_…() have written, to be brought back after a look at other points.
  struct Values {
    std::vector<double> guards, rates, offset, largest;
  };
  Values values() const { return {guards_, rates_, offset_, largest_}; }
  void recall(const Values& values) {
    guards_ = values.guards;
    rates_ = values.rates;
    offset_ = values.offset;
    largest_ = values.largest;
  }

 private:
  // The part of its terms that is noise of a condition or event.
  static constexpr double kOfTerms = 1e-8;

  void begin(std::size_t from, std::size_t to);

  const Dynamics& system_;
  const Switching* switching_;
  std::vector<double> levels_;  // the value that each branch holds: a sign, or an integer of floor; frictions have none
  std::vector<Switching::Guard> others_;  // guards of frictions, of contacts, then of events
  // What each step asks of all guards, beside each other in memory.
  struct Facts {
    bool timed = false, floor = false, has_rate = true, acts = true;
  };
  std::vector<Facts> facts_;
  std::vector<bool> reads_forces_;  // whether each of `others_` depends on accelerations or multipliers
  std::size_t first_of_contacts_ = 0, first_of_events_ = 0;
  std::vector<char> closed_;  // for each contact
  std::vector<double> event_levels_;
  std::vector<double> guards_, rates_, offset_, largest_, work_, none_;
  std::vector<double> terms_;  // the largest size of the terms of each guard so far; ∞: not known
  std::vector<double> sizes_;
  std::vector<double> impulses_;  // by contact, once one was noted
  double noise_ = 0;
  Dynamics held_;
  std::optional<Dynamics> all_closed_;
};

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Jumps at one instant, carried out one after another: whether they do so in any order alike is what derivatives ask (tangents_of_jumps.cpp). The run has
// carried them out at once; nothing of it changes here.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/switching.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/guards.h"

namespace dalembert::integration {
namespace {

// A level may depend on those of others: they are found anew so often at most.
constexpr int kLevelRounds = 3;

int sign_of(double x) { return (x > 0) - (x < 0); }

}  // namespace

bool Guards::ends_run(std::size_t k) const {
  if (branches_.is_of_event(k)) return events_->ends_run(k - branches_.first_of_events());
  return branches_.is_of_contact(k) && static_cast<int>(k - branches_.first_of_contacts()) == options_.stop_contact;
}

Guards::Mode Guards::mode() const {
  Mode now{branches_.levels(), branches_.closed(), {}};
  if (frictions_) motion_.workspace.friction->add_hold(now.frictions);
  return now;
}

// Calls `run` with these levels, contacts and frictions in place of those of the run.
template <class Run>
bool Guards::in_mode(const Mode& mode, const Run& run) {
  const Mode kept = this->mode();
  const auto use = [&](const Mode& one) {
    for (std::size_t k = 0; k < one.levels.size(); ++k) branches_.set_level(k, one.levels[k]);
    branches_.hold();
    branches_.set_contacts(one.closed);
    if (frictions_) motion_.workspace.friction->hold(one.frictions);
    evaluate_inputs_anew();
  };
  use(mode);
  const bool found = run();
  use(kept);
  return found;
}

// Applies what the events of the last jump set to a neighbouring state. They may read forces: those before the jump.
bool Guards::set_beside(double t, double* y) {
  const auto set = [&] { return events_->set_beside(t, y); };
  return sets_in_ && !motion_.sliding() ? in_mode(*sets_in_, set) : set();
}

// The mode at y where those of jumping() that are marked have jumped. False where it is not known.
bool Guards::find_mode(const Mode& before, const std::vector<char>& jumped, double t, const double* y, Mode& between) {
  const Mode after = mode();
  between = before;
  if (frictions_ || motion_.sliding() || !motion_.workspace.basis.all) return false;
  std::vector<char> may_close(after.closed.size(), 0);
  for (std::size_t j = 0; j < jumping_.size(); ++j) {
    if (!branches_.is_of_contact(jumping_[j])) continue;
    const std::size_t contact = jumping_[j] - branches_.first_of_contacts();
    may_close[contact] = 1;
    if (jumped[j] != 0) between.closed[contact] = after.closed[contact];
  }
  for (std::size_t k = 0; k < may_close.size(); ++k)
    if (may_close[k] == 0 && before.closed[k] != after.closed[k]) return false;
  if (branches_.levels().empty()) return true;
  const Switching& switching = branches_.switching();
  std::vector<double> values(branches_.levels().size()), rates(values), work(switching.work_size());
  const std::vector<double> slope(index(nv_));
  for (int round = 0; round < kLevelRounds; ++round) {
    const Mode last = between;
    in_mode(last, [&] {
      evaluate_inputs(dynamics_, t, motion_.workspace);
      KernelArguments in = kernel_arguments(dynamics_, t, y, y + nq_, motion_.workspace);
      in.work = work.data();
      in.qdd = slope.data();
      switching.watch(in, values.data(), rates.data());
      return true;
    });
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double limit = branches_.is_floor(k) ? std::round(values[k]) : 0;
      const bool stays = before.levels[k] == after.levels[k];
      if (branches_.is_timed(k) || std::abs(values[k] - limit) <= branches_.noise(k)) {
        if (!stays) return false;
        between.levels[k] = before.levels[k];
        continue;
      }
      if (!std::isfinite(values[k])) return false;
      between.levels[k] = switching.level_of(k, values[k]);
    }
    if (between.levels == last.levels) return true;
  }
  return false;
}

// Where guard k of an event or a gap is at a point with this slope: its value, or where that is 0 its rate, as a sign. NaN where that is not known.
Guards::Place Guards::place_of(std::size_t k, double t, const double* y, const double* slope) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double value = 0, rate = 0, noise = 0;
  if (branches_.is_of_contact(k)) {
    const ContactStates::GapAt at = contacts_->gap_and_rate_at(k - branches_.first_of_contacts(), t, y);
    value = at.gap, rate = at.rate, noise = at.noise;
    if (std::abs(rate) <= at.rate_noise) rate = 0;
  } else {
    events_->watch(t, y, slope + nq_);
    value = branches_.value(k);
    rate = branches_.has_rate(k) && !branches_.reads_forces(k) ? branches_.rate(k) : kUnknown;
    noise = branches_.noise(k) + instant(t) * std::abs(rate);
  }
  const bool at_limit = !(std::abs(value) > noise);
  const double side = at_limit ? rate : value;
  return {value, rate, at_limit, std::isfinite(side) ? sign_of(side) : kUnknown};
}

// The places of all events that change the motion, and of all gaps, at a point between jumps; of an event that passes also whether its condition holds.
bool Guards::find_places(const Mode& mode, double t, const double* y, const double* slope, std::vector<Place>& places) {
  places.clear();
  return in_mode(mode, [&] {
    for (std::size_t k = branches_.first_of_contacts(); k < branches_.count(); ++k) {
      const bool is_event = branches_.is_of_event(k);
      const std::size_t event = k - branches_.first_of_events();
      Place& place = places.emplace_back();
      if (is_event && !events_->changes_motion(event)) continue;
      if (is_event && dynamics_.events()->events[event].reads_forces) return false;
      place = place_of(k, t, y, slope);
      if (is_event && place.at_limit) place.holds = events_->holds_at(event, t, y);
    }
    return true;
  });
}

// Whether displaced runs between jumps meet what the run met at once: the jumps that are still to come pass 0 as before all of them, the others have passed as after all of
// them, and nothing else is at its limit that was not. `places`: from find_places().
bool Guards::goes_on_between(const std::vector<char>& jumped, const Mode& between, const std::vector<Place>& places,
                             const std::vector<Place>& first, const std::vector<Place>& last) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t k = branches_.first_of_contacts() + i;
    const auto at = std::ranges::find(jumping_, k);
    const Place &here = places[i], &before = first[i], &after = last[i];
    if (at != jumping_.end()) {
      const bool has_jumped = jumped[static_cast<std::size_t>(at - jumping_.begin())] != 0;
      // A contact that is closed stays so: its gap and the rate of that are round-off.
      if (has_jumped && branches_.is_of_contact(k) && between.closed[k - branches_.first_of_contacts()] != 0) continue;
      const Place& same = has_jumped ? after : before;
      if (here.at_limit != same.at_limit || here.side != same.side || here.holds != same.holds) return false;
      continue;
    }
    if (branches_.is_of_contact(k) && between.closed[k - branches_.first_of_contacts()] != 0) continue;
    if (here.at_limit && !(before.at_limit && here.side == before.side && here.holds == before.holds)) return false;
  }
  return true;
}

// Carries out at y = (q, v) these jumps alone, in the mode before them; or displaced from where they were carried out, in the same way.
bool Guards::jump_alone(Jump& jump, const Mode& mode, double t, double* y) {
  std::vector<std::size_t> events, contacts;
  for (const std::size_t guard : jump.guards)
    (branches_.is_of_event(guard) ? events : contacts)
        .push_back(guard -
                   (branches_.is_of_event(guard) ? branches_.first_of_events() : branches_.first_of_contacts()));
  return in_mode(mode, [&] {
    return (events.empty() || events_->set_alone(events, t, y)) &&
           (!contacts_ || contacts_->strike_alone(t, y, contacts, jump.struck));
  });
}

// As find_delay() and carry_through(), of jumps alone from y on. `next`: the slope after them.
bool Guards::carry_through_alone(Jump& jump, const Mode& mode, const Displacement& by, const std::vector<double>& y,
                                 const std::vector<double>& slope, double rate, const std::vector<double>& next,
                                 double& delay, std::vector<double>& after) {
  const double t = step_.t1;
  std::vector<double> at(step_.y1.size());
  const bool found = in_mode(mode, [&] {
    return difference_.find(
        by.h,
        [&](double epsilon, std::vector<double>& values) {
          for (std::size_t i = 0; i < y.size(); ++i) at[i] = y[i] + epsilon * by.tangent[i];
          displace_parameters(by, epsilon);
          values.assign(1, jump_guard_at(jump.guards.front(), t, at.data()));
          return std::isfinite(values[0]);
        },
        derivative_);
  });
  displace_parameters(by, 0);
  delay = found && derivative_[0] != 0 ? -derivative_[0] / rate : 0;
  if (!found || !std::isfinite(delay)) return false;
  jumped_.assign(y.size(), 0);
  const JumpTo alone = [&](double instant, double* to) { return jump_alone(jump, mode, instant, to); };
  if (!differentiate_jump(by, by.h, delay, y, slope, alone, derivative_)) return false;
  change_slope(by, delay, slope, next.data(), after);
  return true;
}

}  // namespace dalembert::integration

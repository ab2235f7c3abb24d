// SPDX-License-Identifier: Apache-2.0
// Guards along a run: a step keeps the branches that it begins with, and ends where a guard leaves its level.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/switching.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/guards.h"
#include "dalembert/integrate/names.h"

namespace dalembert::integration {
namespace {

// A step whose guards are not resolved is rejected with this error, which halves it.
constexpr double kUnresolved = 256;
// A guard that leaves its level before this fraction of a step leaves early.
constexpr double kEarly = 0.3;
// A constraint jumps where a condition changes if this part of its terms is left of it; a motion that goes on leaves round-off.
constexpr double kBroken = 1e-6;
// The time from which more than one motion is possible is located to this fraction of a step.
constexpr double kAmbiguous = 1e-12;
// What jumps is looked for beyond the end that the continuous extension gives, by times that double so often; what goes through 0 is within this part of the step.
constexpr int kMostShifts = 50;
constexpr double kPieceOfStep = 1e-3;

}  // namespace

Guards::Guards(StepMaker& maker, Trajectory& path, const Schedule& schedule, Branches& branches, Integrals* integrals)
    : Observer(maker, path), schedule_(schedule), branches_(branches) {
  for (std::vector<double>* x : {&guard_before_, &rate_before_, &guard_between_, &rate_between_, &room_between_})
    x->resize(branches.count());
  near_.reserve(branches.count());
  stays_.resize(branches.count());
  for (std::size_t k = 0; k < branches.first_of_friction(); ++k)
    if (!branches.acts(k) && !branches.is_timed(k)) followed_.push_back({.guard = k});
  if (dynamics_.layout().frictions > 0) frictions_ = std::make_unique<StickSlip>(maker, path, branches);
  if (dynamics_.contacts() != nullptr)
    contacts_ = std::make_unique<ContactStates>(maker, path, branches, frictions_.get());
  if (dynamics_.events() != nullptr)
    events_ = std::make_unique<StatedEvents>(maker, path, branches, integrals, contacts_.get());
}

void Guards::note_end() {
  if (frictions_) frictions_->note_end();
  if (contacts_) contacts_->note_end();
  step_.ends_at_change = ends_at_change();
}

void Guards::finish() {
  if (contacts_) contacts_->finish();
}

// Replaces the error of the state before a jump by the error of the state after it.
bool Guards::move_on() {
  if ((step_.jumps || step_.stops) && maker_.growth.enabled())
    maker_.growth.jump([this](double* delta) { carry(delta); });
  return true;
}

std::string Guards::problem() const {
  if (!broken_.empty()) return broken_;
  if (frictions_ && !frictions_->problem().empty()) return frictions_->problem();
  if (contacts_ && !contacts_->problem().empty()) return contacts_->problem();
  return events_ ? events_->problem() : "";
}

const std::string& Guards::problem_beside() const {
  static const std::string kNone;
  return events_ ? events_->problem_beside() : kNone;
}

void Guards::watch(double t, const double* y, const double* qdd, bool with_rates) {
  evaluate_inputs(dynamics_, t, motion_.workspace);
  KernelArguments in = kernel_arguments(dynamics_, t, y, y + nq_, motion_.workspace);
  in.qdd = qdd;
  branches_.watch(in);
  if (frictions_) frictions_->watch(t, y, with_rates);
  if (contacts_) contacts_->watch(t, y, with_rates);
  if (events_) events_->watch(t, y, with_rates ? qdd : nullptr);
}

void Guards::watch_end() { watch(step_.t1, step_.y1.data(), qdd1()); }

std::string Guards::condition_of(std::size_t k) const {
  return fmt::format("`{}` {}", branches_.info(k).text, branches_.info(k).floor ? "passes an integer" : "passes 0");
}

// Decides the states of the frictions, together with those of the contacts.
bool Guards::decide_frictions(double t, double* y, const FrictionExit& exit) {
  return contacts_ ? contacts_->decide(t, y, ContactStates::kNone, ContactStates::kNone, exit)
                   : frictions_->decide(t, y, exit);
}

// Decides these states where guard k, of a friction or contact, leaves its level.
bool Guards::decide_through(std::size_t k, double t, double* y) {
  return branches_.is_of_contact(k) ? contacts_->decide(t, y, ContactStates::kNone, k - branches_.first_of_contacts())
                                    : decide_frictions(t, y, frictions_->exit_through(k));
}

void Guards::evaluate_inputs_anew() {
  evaluate_constant_inputs(dynamics_, motion_.workspace);
  if (contacts_) contacts_->follow_inputs();
}

// Makes the branches of the equations follow the levels that were set.
void Guards::hold_branches() {
  branches_.hold();
  evaluate_inputs_anew();
  motion_.hold_slide(branches_);
}

// Whether the constraints still hold at (t, y), at which a condition has just changed. A projection would move the state to where they do, without a
// law that says so. Contacts from which the motion parts open.
bool Guards::constraints_go_on(double t, double* y, const std::string& condition) {
  if (m_ == 0) return true;
  if (contacts_ && !contacts_->part_where_broken(t, y, kBroken, condition)) return false;
  Workspace& workspace = motion_.workspace;
  evaluate_position(dynamics_, t, y, workspace);
  evaluate_velocity(dynamics_, t, y, workspace);
  measure_rows(dynamics_, y, y + nq_, workspace);
  manifold_.forget_residuals();
  const std::vector<int>& levels = dynamics_.layout().holonomic;
  for (int r = 0; r < m_; ++r) {
    if (contacts_ && contacts_->is_row(r)) continue;
    const Workspace::RowSize& size = workspace.row_sizes[index(r)];
    const auto level = std::ranges::lower_bound(levels, r);
    const bool has_level = level != levels.end() && *level == r;
    const double left = has_level ? std::abs(workspace.h[index(static_cast<int>(level - levels.begin()))]) : 0;
    const bool jumps = left > options_.atol + kBroken * size.position;
    const double rate = std::abs(workspace.residual[index(r)]);
    if (!jumps && !(rate > options_.atol + kBroken * size.velocity)) continue;
    broken_ = fmt::format(
        "the constraint `{}` {} where {} {}: the motion would have to jump by {}, and no law says how. State what "
        "strikes there as a one-sided constraint, what is set there as an [[event]], or round the corner",
        name_of(dynamics_.names().rows, r, "row"), jumps ? "jumps" : "has a corner", condition, when(t),
        to_text(jumps ? left : rate, 5));
    return false;
  }
  return true;
}

bool Guards::settle(double t, double* y, double* slope) {
  for (std::size_t round = 0; round <= 2 * branches_.count() + 2; ++round) {
    if (!manifold_.evaluate(t, y, slope)) return false;
    watch(t, y, slope + nq_);
    bool changed = false;
    for (std::size_t k = 0; k < branches_.first_of_friction(); ++k) {
      if (branches_.is_timed(k) || motion_.slides_on(k)) continue;
      if (std::min(branches_.above(k), branches_.below(k)) >= -branches_.noise(k)) continue;
      branches_.forget_offset(k);
      branches_.set_level(k, branches_.switching().level_of(k, branches_.guard(k)));
      changed = true;
    }
    if (changed) {
      hold_branches();
      continue;
    }
    if (contacts_ && contacts_->have_left()) {
      if (!contacts_->decide(t, y)) return false;
      continue;
    }
    if (frictions_ == nullptr || !frictions_->have_left()) break;
    if (!decide_frictions(t, y, {})) return false;
  }
  keep_guards();
  return true;
}

// Sets the levels that guards of time alone take at t. True if there was a change.
bool Guards::take_switches(double t) {
  const auto& switches = schedule_.switches();
  bool taken = false;
  for (; next_switch_ < switches.size() && is_due(switches[next_switch_], t); ++next_switch_) {
    branches_.set_level(switches[next_switch_].guard, switches[next_switch_].level);
    taken = true;
    ++path_.verdict.switches;
  }
  return taken;
}

void Guards::look_at_start() {
  if (branches_.first_of_friction() == 0) return;
  // A guard may depend on the branch of another guard, so the loop repeats.
  for (int round = 0; round < 3; ++round) {
    watch(step_.t, step_.y.data(), nullptr);
    for (std::size_t k = 0; k < branches_.first_of_friction(); ++k)
      if (!branches_.is_timed(k)) branches_.set_level(k, branches_.switching().level_of(k, branches_.guard(k)));
    hold_branches();
  }
}

bool Guards::begin() {
  branches_.set_noise(1e-3 * options_.atol);
  measure_conditions(step_.t, step_.y.data());
  // A switch within this time of the end of a step belongs to that end.
  same_time_ = 16 * kEps * std::max({std::abs(step_.t), std::abs(options_.until), std::abs(options_.until - step_.t)});
  if (take_switches(step_.t)) hold_branches();
  return take_levels(step_.t, step_.y.data(), method().first_slope());
}

// Sets the levels at a state that does not continue the one before (start, or after a jump). A guard that depends on the state and is 0 takes the
// level towards which its rate points, or level 0 if its rate is 0. `hit`: a contact that has reached h = 0 there.
bool Guards::take_levels(double t, double* y, double* slope, std::size_t hit) {
  if (contacts_ && !contacts_->decide(t, y, hit)) return false;
  for (int round = 0; round < 3; ++round) {
    if (frictions_ && !(contacts_ && round == 0) && !decide_frictions(t, y, {})) return false;
    if (branches_.first_of_friction() == 0) break;
    const Switching& switching = branches_.switching();
    if (!motion_.evaluate(t, y, slope)) return false;
    watch(t, y, slope + nq_);
    for (std::size_t k = 0; k < branches_.first_of_friction(); ++k) {
      if (branches_.is_timed(k)) continue;
      const double g = branches_.guard(k), noise = branches_.noise(k), rate = maker_.direction * branches_.rate(k);
      const bool floor = switching.guards[k].floor;
      const double limit = floor ? std::round(g) : 0;
      double level = switching.level_of(k, g);
      if (std::abs(g - limit) <= noise)
        level = floor ? (rate < 0 ? limit - 1 : limit) : static_cast<double>((rate > 0) - (rate < 0));
      branches_.set_level(k, level);
    }
    hold_branches();
  }
  if (!settle(t, y, slope)) return false;
  if (events_) events_->take_sides();
  // If both sides of a guard lead back to its limit, the motion slides along the limit.
  for (std::size_t k = 0; k < branches_.first_of_friction(); ++k) {
    const double level = branches_.level(k);
    if (branches_.is_timed(k) || branches_.info(k).floor || level == 0) continue;
    if (std::abs(branches_.guard(k)) > branches_.noise(k)) continue;
    branches_.stand_at_limit(k, level > 0);
    if (!stay_if_pushed_back(k, level > 0, t, y, slope)) return false;
  }
  return true;
}

// Keeps the guards and rates of the last watch() as those at the start of the next step.
void Guards::keep_guards() {
  if (frictions_) frictions_->turn_with_speeds();
  if (events_) events_->pass_poles();
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    guard_before_[k] = branches_.guard(k);
    rate_before_[k] = branches_.rate(k);
  }
  warn_of_staying();
}

Tried Guards::after_try(Tried tried) {
  if (const std::optional<Aim> aim = std::exchange(aimed_, std::nullopt); aim && !step_.leaps) {
    if (tried == Tried::kMade && hits(aim->gap)) return Tried::kCut;
    falls_.clear();
    manifold_.forget_residuals();
    tried = maker_.try_step(aim->t1, aim->length) ? Tried::kMade : Tried::kRejected;
  }
  if (tried != Tried::kMade) return tried;
  tried = end_at_guard();
  if (tried != Tried::kOver) return tried;
  fail(!problem().empty() ? problem()
                          : fmt::format("conditions change again and again {}: no branch can be kept", when(step_.t)));
  return tried;
}

// If a guard leaves its level within the step, the step is made again so that it ends there.
Tried Guards::end_at_guard() {
  crossing_.reset();
  jumping_.clear();
  noted_.clear();
  moved_back_ = 0;
  step_.jumps = step_.stops = false;
  if (frictions_) frictions_->look_ahead(kLookAhead * step_.length);
  if (contacts_) contacts_->look_ahead(kLookAhead * step_.length);
  if (events_) events_->look_ahead(kLookAhead * step_.length), events_->forget_poles();
  if (!step_.leaps) look_between(step_.length);
  watch_end();
  find_staying(step_.length);
  // A leap over a singular position is not shortened: branches that change within it change at its end.
  if (step_.leaps) return Tried::kMade;
  if (!resolves_guards(step_.length) && options_.adaptive) {
    step_.error = kUnresolved;
    return Tried::kRejected;
  }
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    if (!ends_steps(k) || branches_.is_floor(k)) continue;
    if (branches_.level(k) == 0 && std::abs(branches_.guard(k)) > branches_.noise(k))
      return change_here(k, branches_.guard(k) > 0);
  }
  const bool slide_ends = motion_.sliding() && end_of_slide();
  if (slide_ends && !crossing_) return Tried::kRejected;
  if (slide_ends) watch_end();
  const Tried whole = slide_ends ? Tried::kCut : Tried::kMade;
  // Other guards may leave their levels before this one.
  const bool crossed = find_near();
  if (near_.empty()) return whole == Tried::kMade ? end_where_ambiguous() : whole;
  if (!method().make_dense(motion_, step_.t, step_.y.data(), step_.y1.data(), step_.length))
    return crossed ? Tried::kRejected : whole;
  std::size_t which = 0;
  const double theta = first_crossing(step_.length, near_, which);
  if (theta > 1) {
    // No guard leaves. The search has overwritten the workspace, so the end is evaluated again.
    manifold_.forget_residuals();
    watch_end();
    if (!manifold_.evaluate(step_.t1, step_.y1.data(), method().last_slope())) return Tried::kRejected;
    return whole == Tried::kMade ? end_where_ambiguous() : whole;
  }
  crossing_.reset();
  return end_at(theta, which);
}

// Lists the guards that may leave their levels within the step; true if one of them has left at its end.
bool Guards::find_near() {
  near_.clear();
  looks_.clear();
  bool crossed = false;
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    if (!ends_steps(k)) continue;
    if (branches_.level(k) == 0 && !branches_.is_floor(k)) continue;
    const bool out = std::min(branches_.above(k), branches_.below(k)) < -branches_.noise(k);
    crossed = crossed || out;
    if (out || comes_near(k, step_.length)) near_.push_back(k);
  }
  return crossed;
}

// Makes the step again so that it ends where guard `which` leaves its level, near the fraction theta of it.
Tried Guards::end_at(double theta, std::size_t which) {
  const bool upwards = branches_.above(which) < branches_.below(which);
  const double whole_end = step_.t1;
  double length = theta * step_.length, end = step_.t + length;
  const double shortest = 16 * kEps * std::max(std::abs(step_.t), std::abs(options_.until) * 1e-8);
  // A step of this length is one instant: other guards may leave their levels in it as well.
  bool is_instant = false;
  if (std::abs(end - step_.t) <= shortest) {
    if (!may_jump(which)) return change_here(which, upwards);
    // The guard is 0 at the start of the step and moves away from 0, so it passes 0 later, within a part of the step that is too short to be seen.
    const bool returns = branches_.has_rate(which) && (upwards ? 1 : -1) * maker_.direction * rate_before_[which] < 0;
    if (returns && options_.adaptive) {
      step_.error = kUnresolved;
      return Tried::kRejected;
    }
    length = maker_.direction * 2 * shortest;
    end = step_.t + length;
    is_instant = true;
  }
  // The length of a step resolves shorter times than t does, so the zero of a gap is sought by the length.
  const bool by_length = branches_.is_gap(which);
  if (!by_length) length = end - step_.t;
  for (int pass = 0; pass < 3; ++pass) {
    manifold_.forget_residuals();
    if (!maker_.try_step(end, length)) return Tried::kRejected;
    watch_end();
    if (!branches_.has_rate(which)) {
      if (!leaves_by_jump(which, upwards, end, whole_end)) return Tried::kRejected;
      break;
    }
    const double room = upwards ? branches_.above(which) : -branches_.below(which);
    const double later = room / branches_.rate(which), better = end + later;
    if (!(std::abs(better - end) > 4 * kEps * std::abs(end)) || !(maker_.direction * (better - step_.t) > 0) ||
        maker_.direction * (better - whole_end) > 0)
      break;
    if (pass == 2) break;
    length = by_length ? length + later : better - step_.t;
    end = better;
  }
  if (branches_.is_gap(which) && !end_at_gap(which)) return Tried::kRejected;
  if (options_.adaptive && theta < kEarly && !is_instant && !shows_all_guards(which)) {
    step_.error = kUnresolved;
    return Tried::kRejected;
  }
  std::size_t earlier = which;
  if (const double first = find_earlier(earlier); earlier != which) return end_at(first, earlier);
  crossing_ = {which, upwards};
  if (may_jump(which)) prepare_jump(which, upwards);
  return Tried::kCut;
}

// The continuous extension finds where an event's function without a rate leaves its level to its own error alone. What goes through 0 there is found by the rate of its pieces, as others
// are; for what jumps the step is made longer until it ends beyond the jump: before it the event would be met again.
bool Guards::leaves_by_jump(std::size_t which, bool upwards, double end, double whole_end) {
  double longer = 16 * kEps * std::max(std::abs(step_.t), std::abs(options_.until) * 1e-8);
  const double piece = kPieceOfStep * std::abs(whole_end - step_.t);
  for (int pass = 0; pass < kMostShifts; ++pass) {
    const double room = upwards ? branches_.above(which) : branches_.below(which);
    const double later = room / std::abs(branches_.rate(which));
    const bool goes_through = pass < 3 && std::abs(later) <= piece && std::abs(later) > 4 * kEps * std::abs(end);
    if (!goes_through && !(room > branches_.noise(which))) return true;
    end += maker_.direction * (goes_through ? later : longer);
    if (!goes_through) longer *= 2;
    if (maker_.direction * (end - whole_end) > 0) break;
    manifold_.forget_residuals();
    if (!maker_.try_step(end, end - step_.t)) return false;
    watch_end();
  }
  step_.error = kUnresolved;
  return false;
}

// If the gap of a contact is close to 0 at the start of the step and its rate changes sign within the step, the continuous extension and Newton's
// method locate the next zero only roughly. Makes steps of other lengths, by regula falsi and bisection, until the gap is 0 up to round-off.
bool Guards::end_at_gap(std::size_t which) {
  constexpr int kMost = 60;
  // A penetration that takes less time than the round-off of t needs no shorter step: move_to_gap() removes it.
  const double moved = -kOneInstant * kEps * std::abs(step_.t1) * std::max(0.0, -branches_.rate(which));
  double low = 0, room_low = guard_before_[which], high = step_.length, room_high = branches_.guard(which);
  bool at_high = true;
  for (int pass = 0; pass < kMost && room_high < std::min(-4 * branches_.noise(which), moved) && room_low > 0; ++pass) {
    const double part = pass % 2 == 0 ? room_low / (room_low - room_high) : 0.5, length = low + part * (high - low);
    if (!(length > low && length < high)) break;
    manifold_.forget_residuals();
    if (!maker_.try_step(step_.t + length, length)) return false;
    watch_end();
    const double room = branches_.guard(which);
    at_high = room < 0;
    (at_high ? high : low) = length;
    (at_high ? room_high : room_low) = room;
  }
  if (at_high) return true;
  manifold_.forget_residuals();
  if (!maker_.try_step(step_.t + high, high)) return false;
  watch_end();
  return true;
}

// Looks for a guard other than `which` that leaves its level earlier in the shortened step (and comes back later, so that the whole step did not show
// it). Returns the fraction of the shortened step at which it leaves, with its index in `which`; a guard that leaves at the same instant does not count.
double Guards::find_earlier(std::size_t& which) {
  const double at_once = instant(step_.t1);
  near_.clear();
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    if (k == which || !ends_steps(k)) continue;
    if (branches_.level(k) == 0 && !branches_.is_floor(k)) continue;
    const double reach = branches_.noise(k) + at_once * std::abs(branches_.rate(k));
    if (std::min(branches_.above(k), branches_.below(k)) < -reach) near_.push_back(k);
  }
  if (near_.empty()) return 1;
  if (!method().make_dense(motion_, step_.t, step_.y.data(), step_.y1.data(), step_.length)) return 1;
  std::size_t other = which;
  const double theta = first_crossing(step_.length, near_, other);
  manifold_.forget_residuals();
  watch_end();
  const bool ends_there = manifold_.evaluate(step_.t1, step_.y1.data(), method().last_slope());
  if (ends_there && theta < 1 && (1 - theta) * std::abs(step_.length) > at_once) which = other;
  return theta;
}

// Whether the shortened step, which ends where guard `which` leaves its level, resolves all guards, and no other guard comes near its limit within it.
// The whole step, if much longer, is too coarse to tell.
bool Guards::shows_all_guards(std::size_t which) {
  look_between(step_.length);
  watch_end();
  if (!resolves_guards(step_.length)) return false;
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    if (k == which || !ends_steps(k)) continue;
    if (branches_.level(k) == 0 && !branches_.is_floor(k)) continue;
    if (comes_near(k, step_.length)) return false;
  }
  return true;
}

// Of each event, whether its function had left its level where the step began: a condition that changed there has let it jump.
std::vector<char> Guards::events_beyond() const {
  std::vector<char> beyond;
  for (std::size_t k = branches_.first_of_events(); k < branches_.count(); ++k)
    beyond.push_back(branches_.level(k) * guard_before_[k] < -branches_.noise(k) ? 1 : 0);
  return beyond;
}

// Finds out whether events or impacts happen at the end of the step, where guard k leaves its level, and keeps the state before them.
void Guards::prepare_jump(std::size_t k, bool upwards) {
  jump_guard_ = k;
  jump_rate_ = branches_.rate(k);
  jumping_.clear();
  noted_.clear();
  if (contacts_) note_flights();
  if (events_) {
    events_->pass(k, upwards, step_.t1, step_.y1.data(), qdd1(), motion_.lambda().data(), events_beyond());
    for (const std::size_t event : events_->passing())
      (events_->changes_motion(event) ? jumping_ : noted_).push_back(branches_.first_of_events() + event);
    step_.jumps = events_->sets();
    step_.stops = events_->stops();
  }
  const std::size_t hit = branches_.is_gap(k) ? k - branches_.first_of_contacts() : ContactStates::kNone;
  if (contacts_ && !step_.stops && contacts_->strikes(step_.t1, step_.y1.data(), hit)) {
    step_.jumps = true;
    step_.stops = hit != ContactStates::kNone && static_cast<int>(hit) == options_.stop_contact;
    for (const std::size_t contact : contacts_->striking(hit))
      jumping_.push_back(branches_.first_of_contacts() + contact);
  }
  if (!step_.jumps && !step_.stops) return;
  step_.y_before = step_.y1;
  step_.slope_before.assign(method().last_slope(), method().last_slope() + ny_);
}

// After a step within which no guard left its level: if another sign of a normal force has become consistent as well,
// the motion is no longer unique, and the step is made again so that it ends there.
Tried Guards::end_where_ambiguous() {
  if (frictions_ == nullptr || !frictions_->may_be_ambiguous()) return Tried::kMade;
  if (!frictions_->is_ambiguous(step_.t1, step_.y1.data())) {
    watch_end();
    return Tried::kMade;
  }
  const double step = step_.length;
  if (!method().make_dense(motion_, step_.t, step_.y.data(), step_.y1.data(), step)) return Tried::kRejected;
  double a = 0, b = 1;
  while (b - a > kAmbiguous) {
    const double middle = a + (b - a) / 2;
    method().interpolate(middle, step_.y.data(), step_.out.data());
    (frictions_->is_ambiguous(step_.t + middle * step, step_.out.data()) ? b : a) = middle;
  }
  const double end = step_.t + b * step;
  frictions_->end_ambiguously(end);
  if (b <= 2 * kAmbiguous) return Tried::kOver;
  manifold_.forget_residuals();
  if (!maker_.try_step(end, end - step_.t)) return Tried::kRejected;
  watch_end();
  ambiguous_ = true;
  crossing_ = {branches_.first_of_friction(), false};
  return Tried::kCut;
}

// Guard k leaves its level where the step begins: changes the level there.
Tried Guards::change_here(std::size_t k, bool upwards) {
  if (changed_at_ != step_.t) changes_ = 0;
  changed_at_ = step_.t;
  if (events_) events_->forget_poles();  // the step is made anew
  if (++changes_ > 4 * branches_.count() + 8) return Tried::kOver;
  if (branches_.is_of_event(k)) {  // the event's function was 0 so far, so no zero is passed
    watch(step_.t, step_.y.data(), qdd());
    branches_.set_level(k, branches_.next_level(k, upwards));
    branches_.stand_at_limit(k, upwards);
    return Tried::kAgain;
  }
  if (is_of_mode(k)) {
    ++path_.verdict.switches;
    if (contacts_) contacts_->begin_instant();
    if (!decide_through(k, step_.t, step_.y.data())) return Tried::kOver;
    return settle(step_.t, step_.y.data(), method().first_slope()) ? Tried::kAgain : Tried::kRejected;
  }
  branches_.set_level(k, branches_.next_level(k, upwards));
  changed_here_.push_back(k);
  hold_branches();
  if (!constraints_go_on(step_.t, step_.y.data(), condition_of(k))) return Tried::kOver;
  watch(step_.t, step_.y.data(), qdd());
  branches_.stand_at_limit(k, upwards);
  ++path_.verdict.switches;
  if (!settle(step_.t, step_.y.data(), method().first_slope())) return Tried::kRejected;
  return stay_if_pushed_back(k, upwards, step_.t, step_.y.data(), method().first_slope()) ? Tried::kAgain
                                                                                          : Tried::kRejected;
}

bool Guards::take_levels_after_jump(double t, double* y, double* slope, std::size_t hit) {
  for (std::size_t k = 0; k < branches_.first_of_friction(); ++k) {
    motion_.leave_slide(k);
    branches_.forget_offset(k);
  }
  if (frictions_) frictions_->let_go();
  return take_levels(t, y, slope, hit);
}

// If no motion, or more than one, continues from the end of the step, the run ends there.
bool Guards::change() {
  step_.changed = false;
  changed_here_.clear();
  if (pass()) return true;
  const double t1 = step_.t1;
  const std::string inertia = maker_.why_no_accelerations(t1, step_.y1.data(), problem());
  if (!inertia.empty())
    return fail(fmt::format("no accelerations exist beyond what changes {}: {}", when(t1), inertia));
  if (problem().empty())
    return fail(fmt::format("the equations cannot be evaluated beyond the condition that changes {}", when(t1)));
  step_.t = t1;
  std::swap(step_.y, step_.y1);
  return fail(problem());
}

// At the end of a step (y1): guards that leave their levels take the next ones. False when the equations cannot be
// evaluated there, or the frictions have no unique state.
bool Guards::pass() {
  const double t1 = step_.t1;
  if (contacts_) contacts_->begin_instant();
  // The energy is needed only if a branch changes.
  const double before = !due().empty() || (crossing_ && !may_jump(crossing_->guard))
                            ? energy(dynamics_, t1, step_.y1.data(), step_.y1.data() + nq_, motion_.workspace).total
                            : 0;
  const bool by_time = take_switches(t1);
  slope_between_.clear();
  const std::optional<Crossing> crossing = crossing_;
  crossing_.reset();
  if (!by_time && !crossing) {
    keep_guards();
    return true;
  }
  if (crossing && may_jump(crossing->guard)) return happen(before, by_time, *crossing);
  step_.changed = true;
  const bool of_branch = crossing && !is_of_mode(crossing->guard);
  if (crossing) ++path_.verdict.switches;
  if (crossing && !of_branch) {
    if ((ambiguous_ && branches_.is_of_friction(crossing->guard)) ||
        !decide_through(crossing->guard, t1, step_.y1.data()))
      return false;
  } else if (crossing) {
    motion_.leave_slide(crossing->guard);
    branches_.set_level(crossing->guard, branches_.next_level(crossing->guard, crossing->upwards));
  }
  hold_branches();
  if ((of_branch || by_time) &&
      !constraints_go_on(t1, step_.y1.data(),
                         of_branch ? condition_of(crossing->guard) : "a condition of time changes"))
    return false;
  if (of_branch) {
    watch_end();
    branches_.stand_at_limit(crossing->guard, crossing->upwards);
  }
  if (!settle(t1, step_.y1.data(), method().last_slope())) return false;
  if (of_branch && !stay_if_pushed_back(crossing->guard, crossing->upwards, t1, step_.y1.data(), method().last_slope()))
    return false;

  return judge_energy_jump(before, by_time, crossing);
}

// Carries out the events and impacts at the end of the step. `by_time`: guards of time change there too, and do so first; `before`: the energy before
// these changes.
bool Guards::happen(double before, bool by_time, const Crossing& crossing) {
  const double t1 = step_.t1;
  double *y = step_.y1.data(), *slope = method().last_slope();
  if (by_time) {
    step_.changed = true;
    hold_branches();
    if (!settle(t1, y, slope) || !judge_energy_jump(before, by_time, {})) return false;
    slope_between_.assign(slope, slope + nq_ + nv_);
  }
  const bool closes = branches_.is_gap(crossing.guard);
  if (closes && !(events_ && events_->sets()))
    moved_back_ = contacts_->move_to_gap(t1, y, slope, crossing.guard - branches_.first_of_contacts());
  sets_in_.reset();
  if (events_ && events_->sets()) sets_in_ = mode();
  if (events_ && !events_->happen(t1, y, qdd1(), step_.lambda.data())) return false;
  if (step_.jumps || closes) {
    ++path_.verdict.switches;
    step_.changed = true;
    const std::size_t hit = closes ? crossing.guard - branches_.first_of_contacts() : ContactStates::kNone;
    // An event of the same instant may have taken the state away from there.
    const bool is_left = closes && events_ && events_->sets() && !contacts_->touches(hit, t1, y);
    const bool goes_on = take_levels_after_jump(t1, y, slope, is_left ? ContactStates::kNone : hit);
    if (sets_in_ == mode()) sets_in_.reset();
    return goes_on;
  }
  if (!by_time) keep_guards();
  return true;
}

bool Guards::judge_energy_jump(double before, bool by_time, const std::optional<Crossing>& crossing) {
  const double t1 = step_.t1;
  Workspace& workspace = motion_.workspace;
  // An energy that depends on time may jump at an instant; the power balance counts the jump as work. An energy that
  // jumps with the state would need an impulsive force, which the equations do not contain.
  const Energy after = energy(dynamics_, t1, step_.y1.data(), step_.y1.data() + nq_, workspace);
  const double jump = after.total - before;
  const double allowed = options_.rtol * std::max({std::abs(before), std::abs(after.total), std::abs(after.kinetic)});
  // The total may be a small difference of large energies. Its round-off is that of all energies exchanged so far.
  const double roundoff = 1e3 * kEps * std::max(std::abs(after.potential), step_.work_scale);
  if (!(std::abs(jump) > std::max(allowed, roundoff))) return true;
  if (by_time && !crossing) {
    if (maker_.with_power) step_.y1[index(ny_)] += jump;
  } else if (!energy_jumped_) {
    energy_jumped_ = true;
    path_.verdict.warnings.push_back(
        fmt::format("the energy jumps by {} J {}, where `{}` changes: the potential is not continuous there, and the "
                    "impulse that this requires is not in the equations",
                    to_text(jump, 3), when(t1), crossing ? branches_.info(crossing->guard).text : "a condition"));
  }
  return true;
}

}  // namespace dalembert::integration

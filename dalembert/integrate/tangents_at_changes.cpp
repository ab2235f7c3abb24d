// SPDX-License-Identifier: Apache-2.0
// How tangents pass the changes of a run: of branches, contacts and frictions, and jumps of the state (saltation, jumps.cpp).
//
// Several changes may be at one instant t: switches at times s_1, s_2, … that are known, then one by the motion, with a guard g. A displaced run meets them one after
// another, with times between them that are of first order. In the order of the run, f_0 the slope before them and f_j that after s_j,
//   δ' = δ + Σ_j (f_{j−1} − f_j) δs_j,                                                                       (1)
// and g passes 0 at the instant δt that δ' and f_j give. If all instants move alike, that is one change by δt. If not, displaced runs on one side meet them
// in another order, and have other derivatives where the changes do not commute: then a warning says that the derivatives are those of one order.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/names.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {
namespace {

// A change within this fraction of the run from its start is at the start, up to round-off.
constexpr double kAtStart = 1e-12;
// Instants whose derivatives, or slopes whose components, differ by less than this fraction are one, up to the error of finite differences.
constexpr double kSameInstant = 1e-8, kSameSlope = 1e-8;
// So many warnings of the order of changes are given.
constexpr int kMostOrders = 4;

bool are_close(double a, double b, double allowed) {
  return std::abs(a - b) <= allowed * std::max(std::abs(a), std::abs(b));
}

bool are_close(const std::vector<double>& a, const std::vector<double>& b, double allowed) {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max({size, std::abs(a[i]), std::abs(b[i])});
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference <= allowed * size;
}

constexpr const char* kNoInstant = "an instant cannot be displaced";
constexpr const char* kUnknownBetween =
    "changes whose instants move apart are at one instant, and what slides or touches between them is not known";

}  // namespace

// Whether the step that was just made began with other branches, contacts or frictions than the last one ended with: what changes within one instant of a change
// is decided when the step is tried.
bool Tangents::changes_at_start() const {
  if (!std::ranges::equal(dynamics_.parameters(), own_.parameters())) return true;
  const FrictionSystem* own = of_own_.workspace.friction.get();
  return own != nullptr && !std::ranges::equal(own->mode, motion_.workspace.friction->mode, {},
                                               &FrictionState::direction, &FrictionState::direction);
}

// Carries the tangents through such a change. Conditions that pass 0 there do so at instants of their own; all else is at the instant of the change before. Returns why
// that cannot be done.
std::string Tangents::pass_change_at_start() {
  const char* const fails = "the state cannot be displaced";
  std::vector<double> before, after;
  const double t = step_.t;
  if (motion_.sliding() || !project(t, step_.y.data()) || !find_slope(t, step_.y.data(), before)) return fails;
  const bool same_instant = changed_at_ == t;
  if (same_instant && (are_apart_ || jumps_.size() > 1)) return kUnknownBetween;
  const std::vector<std::size_t>& conditions = guards_->changed_here();
  if (same_instant && !conditions.empty()) {
    std::vector<double> delay(tangent_.size()), next = delay;
    for (const std::size_t guard : conditions) {
      std::vector<std::size_t> unmoved;
      for (std::size_t k = 0; k < tangent_.size(); ++k)
        if (!find_delay(guard, k, t, step_.y.data(), before.data(), next[k])) unmoved.push_back(k);
      for (const std::size_t k : unmoved) next[k] = delay[k] = 0;
      lose_these(unmoved, kNoInstant, t);
      if (guard != conditions.front()) lose_these(parting(delay, next), kUnknownBetween, t);
      delay = next;
    }
    if (may_change_modes()) lose_these(parting(delay, delay_), kUnknownBetween, t);
    if (lost_) return kUnknownBetween;
    for (std::size_t k = 0; k < delay.size(); ++k)
      if (gone_[k] != 0) delay[k] = 0;
    // The change that has the instant of the last one has no instant of its own that is known.
    if (!path_.changes.empty() && path_.changes.back().t == t && part_ways(delay, delay_))
      path_.changes.back().sensitivity.clear();
    delay_ = delay;
    switches_.clear();
    crossing_ = conditions.front();
    warn_of_near_changes(t, step_.y.data());
  }
  std::vector<double> integrands_after;
  if (integrals_ != nullptr && !find_integrands(t, step_.y.data(), integrands_)) return fails;
  if (!use_mode() || !find_slope(t, step_.y.data(), after)) return fails;
  if (integrals_ != nullptr && !find_integrands(t, step_.y.data(), integrands_after)) return fails;
  if (same_instant && integrals_ != nullptr) move_integrals(integrands_, integrands_after, delay_);
  for (std::size_t k = 0; same_instant && k < tangent_.size(); ++k)
    for (std::size_t i = 0; i < n_; ++i) tangent_[k][i] += (before[i] - after[i]) * delay_[k];
  for (; same_instant && events_ < path_.events.size() && path_.events[events_].t == t; ++events_)
    note_delay(path_.events[events_]);
  projected_ = false;
  known_t_ = std::numeric_limits<double>::quiet_NaN();
  changes_ = true;
  return project(t, step_.y.data()) ? "" : fails;
}

// Whether instants with these derivatives move apart, by more than round-off of the time.
bool Tangents::part_ways(double a, double b, std::size_t k) const {
  return !are_close(a, b, kSameInstant) && std::abs(a - b) * displacement(k) > kEps * std::abs(options_.until - began_);
}

bool Tangents::part_ways(const std::vector<double>& a, const std::vector<double>& b) const {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (part_ways(a[k], b[k], k)) return true;
  return false;
}

// The quantities by which they do.
std::vector<std::size_t> Tangents::parting(const std::vector<double>& a, const std::vector<double>& b) const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (part_ways(a[k], b[k], k)) found.push_back(k);
  return found;
}

bool Tangents::has_modes() const { return own_.layout().frictions > 0 || own_.contacts() != nullptr; }

// Whether contacts open or close in the change at hand, or frictions may.
bool Tangents::may_change_modes() const {
  if (own_.contacts() == nullptr) return own_.layout().frictions > 0;
  bool changed = own_.layout().frictions > 0;
  for (std::size_t k = 0; k < own_.contacts()->count(); ++k)
    changed = changed || own_.is_closed(k) != dynamics_.is_closed(k);
  return changed;
}

bool Tangents::find_delay(std::size_t guard, std::size_t k, double t, const double* y, const double* slope,
                          double& delay) {
  const double h = displacement(k);
  delay = 0;
  return h == 0 || guards_->find_delay(guard, {tangent_[k], quantities_[k].parameters, h}, t, y, slope, delay);
}

bool Tangents::find_delay(std::size_t guard, std::size_t k, double& delay) {
  return find_delay(guard, k, step_.t1, y_before_.data(), slope_before_.data(), delay);
}

// The derivatives of the instant of a guard by all quantities. Returns those by which it has none.
std::vector<std::size_t> Tangents::find_all_delays(std::size_t guard, std::vector<double>& delay) {
  std::vector<std::size_t> without;
  for (std::size_t k = 0; k < delay.size(); ++k) {
    if (find_delay(guard, k, delay[k])) continue;
    without.push_back(k);
    delay[k] = 0;
  }
  return without;
}

// Finds what changes at the end of the step, and the derivatives of its instants; delay_ are those of the crossing, or else of the first switch.
void Tangents::find_delays() {
  crossing_ = guards_->crossing();
  // At one instant the run may have been led there by an event that is only noted.
  const std::vector<std::size_t>& jumping = guards_->jumping();
  if (crossing_ && !jumping.empty() && std::ranges::find(jumping, *crossing_) == jumping.end())
    crossing_ = jumping.front();
  const std::span<const Schedule::Switch> due = guards_->due();
  switches_.clear();
  of_noted_.clear();
  jumps_.clear();
  std::ranges::fill(delay_, 0.0);
  are_apart_ = false;
  const bool at_start = std::abs(step_.t1 - began_) <= kAtStart * std::abs(options_.until - began_);
  const char* const why =
      at_start ? "the motion changes just where it starts, and of the starts on either side one alone has that change"
               : kNoInstant;
  const double from = at_start ? step_.t : step_.t1;
  std::vector<SwitchInTime> carried;  // where others switch
  for (const Schedule::Switch& one : due) {
    SwitchInTime now{one.guard, one.level, std::vector<double>(tangent_.size())};
    const bool leads = guards_->reaches_limit(one.guard);
    if (leads) lose_these(find_all_delays(one.guard, now.delay), why, from);
    (leads ? switches_ : carried).push_back(std::move(now));
  }
  const auto alike = [&](const SwitchInTime& one) { return !part_ways(one.delay, switches_.front().delay); };
  if (!carried.empty() && !(!switches_.empty() && std::ranges::all_of(switches_, alike))) lose(kNoInstant, from);
  for (SwitchInTime& one : carried) {
    if (!lost_) one.delay = switches_.front().delay;
    switches_.push_back(std::move(one));
  }
  if (crossing_) lose_these(find_all_delays(*crossing_, delay_), why, from);
  if (!crossing_ && !switches_.empty()) delay_ = switches_.front().delay;
  if (lost_) return;
  if (crossing_) find_delays_together();
  are_apart_ = std::ranges::any_of(switches_, [&](const SwitchInTime& one) { return part_ways(one.delay, delay_); });
}

// Events and impacts at the instant of the crossing jump together. Displaced, those whose instants move apart do so one after another (tangents_of_jumps.cpp). What is only
// noted has an instant of its own.
void Tangents::find_delays_together() {
  std::vector<double> delay(tangent_.size());
  for (const std::size_t guard : guards_->jumping()) {
    lose_these(find_all_delays(guard, delay), kNoInstant, step_.t1);
    if (lost_) return;
    const auto same = std::ranges::find_if(jumps_, [&](const JumpAtOnce& one) { return !part_ways(delay, one.delay); });
    if (same != jumps_.end())
      same->guards.push_back(guard);
    else
      jumps_.push_back({{guard}, delay});
  }
  if (jumps_.size() > 1) mode_before_ = guards_->mode();
  for (const std::size_t guard : guards_->noted()) {
    for (const std::size_t k : find_all_delays(guard, delay)) delay[k] = std::numeric_limits<double>::quiet_NaN();
    of_noted_.emplace_back(guards_->name_of_event(guard), delay);
  }
}

// Notes how the instant of an event moves.
void Tangents::note_delay(RunEvent& event) const {
  if (!options_.gradient_of.empty()) return;
  const bool is_event = event.kind == RunEventKind::kEvent || event.kind == RunEventKind::kStop;
  const auto noted = std::ranges::find(of_noted_, event.name, &std::pair<std::string, std::vector<double>>::first);
  event.sensitivity = without_gone(is_event && noted != of_noted_.end() ? noted->second : delay_);
  if (jumps_.size() < 2 || (is_event && noted != of_noted_.end())) return;
  event.sensitivity.clear();
  for (const JumpAtOnce& one : jumps_)
    for (const std::size_t guard : one.guards)
      if (guards_->name_of_happening(guard) == std::pair(is_event, event.name))
        event.sensitivity = without_gone(one.delay);
}

// The slope, then the integrands, at a point with these levels of the branches. False where they cannot be evaluated.
bool Tangents::find_slope_with(const std::vector<double>& levels, double t, const double* y,
                               std::vector<double>& slope) {
  const std::vector<double> held(own_.parameters().begin(), own_.parameters().end());
  own_.set_parameters(held.size() - levels.size(), levels);
  evaluate_constant_inputs(own_, of_own_.workspace);
  std::vector<double> integrands;
  const bool found = find_slope(t, y, slope) && (integrals_ == nullptr || find_integrands(t, y, integrands));
  slope.insert(slope.end(), integrands.begin(), integrands.end());
  own_.set_parameters(0, held);
  evaluate_constant_inputs(own_, of_own_.workspace);
  return found;
}

bool Tangents::is_same_slope(const std::vector<double>& a, const std::vector<double>& b) const {
  return are_close(a, b, kSameSlope);
}

// The levels that the tangents hold: those before the change at hand.
std::vector<double> Tangents::levels_before() const {
  const auto parameters = own_.parameters();
  return {parameters.end() - static_cast<std::ptrdiff_t>(branches_->levels().size()), parameters.end()};
}

// The sum (1) over changes with these delays; `slopes` are those before, between and after them.
Tangents::InOrder Tangents::in_order(const std::vector<std::vector<double>>& slopes,
                                     const std::vector<double>& delays) const {
  InOrder sum{std::vector<double>(slopes.front().size()), {}};
  sum.sizes = sum.by;
  for (std::size_t i = 0; i < sum.by.size(); ++i)
    for (std::size_t j = 0; j < delays.size(); ++j) {
      const double before = slopes[j][i], after = slopes[j + 1][i];
      sum.by[i] += (before - after) * delays[j];
      sum.sizes[i] = std::max(sum.sizes[i], std::max(std::abs(before), std::abs(after)) * std::abs(delays[j]));
    }
  return sum;
}

// Whether two sums differ by more than a fraction of their terms, in the coordinates, in the velocities or in an integral: round-off is no difference.
bool Tangents::are_apart(const InOrder& a, const InOrder& b, double allowed) const {
  const auto part_differs = [&](std::size_t from, std::size_t to) {
    double size = 0, difference = 0;
    for (std::size_t i = from; i < to; ++i) {
      size = std::max({size, a.sizes[i], b.sizes[i]});
      difference = std::max(difference, std::abs(a.by[i] - b.by[i]));
    }
    return !(difference <= allowed * size);
  };
  bool found = part_differs(0, index(nq_)) || part_differs(index(nq_), n_);
  for (std::size_t i = n_; i < a.by.size(); ++i) found = found || part_differs(i, i + 1);
  return found;
}

// Of a change of the integrands at an instant with these derivatives.
void Tangents::move_integrals(const std::vector<double>& before, const std::vector<double>& after,
                              const std::vector<double>& delay) {
  for (std::size_t k = 0; k < tangent_.size(); ++k)
    for (std::size_t i = 0; i < before.size(); ++i) of_integrals_[k][i] += (before[i] - after[i]) * delay[k];
}

// Carries the tangents through the switches at known times where not all instants move alike (1). Returns why that cannot be done.
std::string Tangents::pass_switches() {
  const double t = step_.t1, *y = y_before_.data();
  const std::size_t count = switches_.size();
  // Levels and slopes before, between and after the switches, in their order and in the other one.
  std::vector<std::vector<double>> levels{levels_before()}, reversed = levels, slopes(count + 1), other(count + 1);
  for (std::size_t j = 0; j < count; ++j) {
    levels.push_back(levels.back());
    levels.back()[switches_[j].guard] = switches_[j].level;
    reversed.push_back(reversed.back());
    reversed.back()[switches_[count - 1 - j].guard] = switches_[count - 1 - j].level;
  }
  for (std::size_t j = 0; j <= count; ++j)
    if (!find_slope_with(levels[j], t, y, slopes[j]) || !find_slope_with(reversed[j], t, y, other[j]))
      return "the state cannot be displaced";
  const auto state = [&](const std::vector<double>& slope) {
    return std::vector<double>(slope.begin(), slope.begin() + static_cast<std::ptrdiff_t>(n_));
  };
  // The modes of frictions and contacts are those before. What the run has found says whether they stay.
  const bool is_last = !crossing_ && !step_.jumps;
  const std::vector<double> last(method().last_slope(), method().last_slope() + n_);
  const std::vector<double>& known = is_last ? last : guards_->slope_between();
  if (known.empty() ? has_modes() : !are_close(known, state(slopes.back()), kSameSlope)) return kUnknownBetween;
  std::vector<Order> apart(tangent_.size(), Order::kAlike);
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    std::vector<double> delays;
    for (const SwitchInTime& one : switches_) delays.push_back(one.delay[k]);
    const InOrder by = in_order(slopes, delays);
    std::ranges::reverse(delays);
    apart[k] = are_apart(by, in_order(other, delays), kSameSlope) ? Order::kMatters : Order::kAlike;
    for (std::size_t i = 0; i < n_; ++i) tangent_[k][i] += by.by[i];
    for (std::size_t i = n_; i < by.by.size(); ++i) of_integrals_[k][i - n_] += by.by[i];
  }
  slope_before_ = state(slopes.back());
  if (integrals_ != nullptr)
    integrands_before_.assign(slopes.back().begin() + static_cast<std::ptrdiff_t>(n_), slopes.back().end());
  const std::vector<double> in_other_order = std::exchange(delay_, std::vector<double>(delay_.size(), 0.0));
  if (crossing_) lose_these(find_all_delays(*crossing_, delay_), kNoInstant, step_.t1);
  if (lost_) return kNoInstant;
  if (crossing_) find_moved_past(levels, slopes, in_other_order, apart);
  warn_of_order(apart, names_of_changes(), step_.t1);
  return "";
}

// Marks the quantities that move the crossing past a switch where its order matters. `levels`, `slopes`: before, between and after the switches;
// `first`: the derivatives of the instant at which it passes 0 before them; delay_: after them.
void Tangents::find_moved_past(const std::vector<std::vector<double>>& levels,
                               const std::vector<std::vector<double>>& slopes, const std::vector<double>& first,
                               std::vector<Order>& apart) {
  const std::size_t guard = *crossing_, count = switches_.size();
  // With the other level of the crossing. What jumps, or is no condition of the equations, is not followed in the other order.
  std::vector<std::vector<double>> beyond(count + 1);
  bool followed = guard < branches_->levels().size() && !has_modes() && !step_.jumps && !step_.stops;
  for (std::size_t j = 0; followed && j <= count; ++j) {
    std::vector<double> there = levels[j];
    there[guard] = branches_->level(guard);
    followed =
        find_slope_with(there, step_.t1, y_before_.data(), beyond[j]) && (j < count || there == branches_->levels());
  }
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    const bool moves_past =
        std::ranges::any_of(switches_, [&](const SwitchInTime& one) { return part_ways(one.delay[k], delay_[k], k); });
    if (!moves_past) continue;
    if (!guards_->changes_motion(guard)) {
      if (part_ways(delay_[k], first[k], k)) apart[k] = Order::kMatters;
      continue;
    }
    std::vector<double> last, before{first[k]};
    for (const SwitchInTime& one : switches_) last.push_back(one.delay[k]);
    before.insert(before.end(), last.begin(), last.end());
    last.push_back(delay_[k]);
    std::vector<std::vector<double>> as_last = slopes, as_first{slopes.front()};
    as_last.push_back(beyond.back());
    as_first.insert(as_first.end(), beyond.begin(), beyond.end());
    if (!followed)
      apart[k] = std::max(apart[k], Order::kUnknown);
    else if (are_apart(in_order(as_last, last), in_order(as_first, before), kSameSlope))
      apart[k] = Order::kMatters;
  }
}

// `apart`: for each quantity, whether it moves one of these changes past another with which it does not commute.
void Tangents::warn_of_order(const std::vector<Order>& apart, const std::vector<std::string>& changes, double t) {
  for (const auto& [order, are, beyond] :
       {std::tuple(Order::kMatters, "are those of one side", "on the other side they do so in another order"),
        std::tuple(Order::kUnknown, "may be those of one side",
                   "on the other side, which was not followed, they do so in another order")}) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < apart.size(); ++k)
      if (apart[k] == order && !quantities_[k].name.empty()) names.push_back(quantities_[k].name);
    if (std::ranges::find(apart, order) == apart.end() || ++told_ > kMostOrders) continue;
    if (told_ == kMostOrders) {
      path_.verdict.warnings.push_back(fmt::format(
          "derivatives {} {} as well, and perhaps at later changes: they are told of no more", are, when(t)));
      continue;
    }
    path_.verdict.warnings.push_back(
        fmt::format("derivatives by {} {}: {} {} pass 0 at one instant, as far as the run can tell, and {}",
                    names.empty() ? "what moves the one past the other" : join_some(names), are, when(t),
                    join_some(changes), beyond));
  }
}

// What changes at the end of the step.
std::vector<std::string> Tangents::names_of_changes() const {
  std::vector<std::string> names;
  for (const SwitchInTime& one : switches_) names.push_back(guards_->name_of_guard(one.guard));
  if (crossing_) names.push_back(guards_->name_of_guard(*crossing_));
  return names;
}

// A switch at a known time and a change by the motion within the error of the run from each other may come in either order. The tangents and the branches of own_ are those
// before this change.
void Tangents::warn_of_near_changes(double t, const double* y) {
  const bool in_time = !crossing_;
  const double near = options_.rtol * std::abs(options_.until - began_);
  const auto follows = [&](const LastChange& one) { return one.in_time != in_time && std::abs(t - one.t) <= near; };
  const bool looks_back = std::ranges::any_of(last_, follows);
  // A switch at a known time may have any change after it, a change by the motion only a switch that comes soon.
  if (!looks_back && !in_time && !guards_->switches_within(near, t)) return last_.clear();
  std::vector<LastChange> changes;
  const auto add = [&](std::vector<std::string> names, const std::vector<double>& delay, std::size_t guard) {
    const bool follows_levels =
        !has_modes() && !step_.jumps && !step_.stops && (in_time || guard < branches_->levels().size());
    changes.push_back({std::move(names), in_time, t, delay, levels_before(),
                       follows_levels ? tangent_ : std::vector<std::vector<double>>(), guard, follows_levels});
  };
  if (jumps_.size() < 2) {
    add(names_of_changes(), delay_, crossing_.value_or(0));
  } else {
    for (const JumpAtOnce& one : jumps_)
      add({guards_->name_of_guard(one.guards.front())}, one.delay, one.guards.front());
  }
  for (const LastChange& now : changes)
    for (const LastChange& last : last_) {
      if (!follows(last)) continue;
      std::vector<Order> apart(tangent_.size(), Order::kAlike);
      for (std::size_t k = 0; k < apart.size(); ++k)
        if (part_ways(now.delay[k], last.delay[k], k)) apart[k] = order_of(last, now, k, y);
      std::vector<std::string> both = last.names;
      both.insert(both.end(), now.names.begin(), now.names.end());
      warn_of_order(apart, both, t);
    }
  last_ = std::move(changes);
}

// Whether the order of `last` and `now`, which come so near to each other, matters for quantity k.
Tangents::Order Tangents::order_of(const LastChange& last, const LastChange& now, std::size_t k, const double* y) {
  if (!last.follows_levels || !now.follows_levels) return Order::kUnknown;
  // The levels after both, and after the later one alone.
  const std::vector<double>& after = branches_->levels();
  std::vector<double> later = last.levels;
  for (std::size_t i = 0; i < later.size(); ++i) {
    if (now.levels[i] == after[i]) continue;
    if (now.levels[i] != last.levels[i]) return Order::kUnknown;
    later[i] = after[i];
  }
  const std::vector<double>&after_switch = now.in_time ? later : now.levels,
        &after_crossing = now.in_time ? now.levels : later;
  std::vector<double> none, of_switch, of_crossing, both;
  if (!find_slope_with(last.levels, now.t, y, none) || !find_slope_with(after_switch, now.t, y, of_switch) ||
      !find_slope_with(after_crossing, now.t, y, of_crossing) || !find_slope_with(after, now.t, y, both))
    return Order::kUnknown;
  // The instant of the crossing before the switch, and after it.
  const double by_switch = (now.in_time ? now : last).delay[k];
  std::vector<double> tangent = last.tangents[k];
  double first = last.delay[k], second = now.delay[k];
  if (now.in_time)
    for (std::size_t i = 0; i < n_; ++i) tangent[i] += (none[i] - of_switch[i]) * by_switch;
  const double h = displacement(k, tangent.data());
  const std::size_t guard = now.in_time ? last.crossing : now.crossing;
  double& found = now.in_time ? second : first;
  found = 0;
  if (h != 0 && !guards_->find_delay(guard, {tangent, quantities_[k].parameters, h}, now.t, y,
                                     (now.in_time ? of_switch : none).data(), found))
    return Order::kUnknown;
  const bool apart =
      are_apart(in_order({none, of_switch, both}, {by_switch, second}),
                in_order({none, of_crossing, both}, {first, by_switch}), std::max(kSameSlope, options_.rtol));
  return apart ? Order::kMatters : Order::kAlike;
}

// Moves the state before an impact as the run has moved it. The round-off of the instant moves all bodies: what the impact leaves as it is has the same slope before and after it.
bool Tangents::move_back() {
  const double by = guards_->moved_back();
  if (by == 0) return true;
  for (std::size_t i = 0; i < n_; ++i) y_before_[i] -= by * slope_before_[i];
  return find_slope(step_.t1, y_before_.data(), slope_before_);
}

// The impulses that a change has noted are parameters, and move with the quantity from now on.
void Tangents::keep_impulses(std::size_t k, const std::vector<std::pair<int, double>>& rates) {
  auto& parameters = quantities_[k].parameters;
  for (const auto& [parameter, rate] : rates) {
    const auto found = std::ranges::find(parameters, parameter, &std::pair<int, double>::first);
    if (found != parameters.end())
      found->second = rate;
    else
      parameters.emplace_back(parameter, rate);
  }
}

// Why a displaced state cannot be followed through a change.
std::string Tangents::why_not_displaced() const {
  const std::string& beside = guards_->problem_beside();
  return motion_.sliding() ? "the motion goes along the limit of a condition"
         : beside.empty()  ? "the state cannot be displaced"
                           : "beside this run " + beside;
}

// Carries the tangents through what happens at the end of the step at one instant, which moves by delay_. False if no derivatives are left.
bool Tangents::jump_at_once() {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> failed;
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    double h = displacement(k);
    if (h == 0) continue;
    // The state is displaced to the shifted instant, which may be far where the guard hardly changes.
    result_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) result_[i] = tangent_[k][i] + slope_before_[i] * delay_[k];
    if (const double shorter = displacement(k, result_.data()); shorter > 0) h = std::min(h, shorter);
    if (guards_->carry_through({tangent_[k], quantities_[k].parameters, h}, delay_[k], y_before_, slope_before_,
                               tangent_[k])) {
      keep_impulses(k, guards_->rates_of_impulses());
      continue;
    }
    const std::string why = why_not_displaced();
    const auto same = std::ranges::find(failed, why, &std::pair<std::string, std::vector<std::size_t>>::first);
    if (same != failed.end())
      same->second.push_back(k);
    else
      failed.push_back({why, {k}});
  }
  for (const auto& [why, which] : failed) lose_these(which, why, step_.t1);
  return !lost_;
}

// Carries the tangents through the change of branches, modes or state at the end of the step.
bool Tangents::pass_change() {
  if (of_postponed_ > 0 && !catch_up(step_.t1, y_before_.data())) return false;
  // Of quantities that move no instants apart, all is at one instant beside the run as well.
  if (are_apart_)
    if (const std::string why = pass_switches(); !why.empty()) {
      for (const SwitchInTime& one : switches_) lose_these(parting(one.delay, delay_), why, step_.t1);
      are_apart_ = false;
      if (lost_) return true;
    }
  if (!are_apart_ && (crossing_ || !switches_.empty())) warn_of_near_changes(step_.t1, y_before_.data());
  const bool notes_impulses = guards_->notes_impulses();
  bool one_by_one = jumps_.size() > 1;
  if (notes_impulses && !options_.gradient_of.empty()) {
    lose("outputs or events read impulses of contacts", step_.t1);
    return true;
  }
  if (!move_back()) return false;
  if (one_by_one) {
    const std::string why =
        notes_impulses ? "several jumps are at one instant, and outputs or events read their impulses" : pass_jumps();
    if (!why.empty()) lose_these(moved_apart(), why, step_.t1);
    if (lost_) return true;
    one_by_one = why.empty();
    if (!one_by_one) jumps_.resize(1);
  }
  if (!one_by_one && !jump_at_once()) return true;
  projected_ = false;
  changed_at_ = step_.t1;
  known_t_ = std::numeric_limits<double>::quiet_NaN();  // frictions have other forces there now
  if (step_.stops) of_end_ = delay_;
  end_moves_ = std::ranges::any_of(of_end_, [](double by) { return by != 0; });
  if (!use_mode() || !project(step_.t1, step_.y1.data())) return false;
  if (integrals_ == nullptr || one_by_one) return true;
  if (step_.stops)
    integrands_.assign(integrals_->count(), 0.0);
  else if (!find_integrands(step_.t1, step_.y1.data(), integrands_))
    return false;
  move_integrals(integrands_before_, integrands_, delay_);
  return true;
}

bool Tangents::arrive() {
  if (!stays_.empty()) warn_of_stays(false);
  if (!lost_ && (step_.changed || step_.jumps || step_.stops)) {
    if (!pass_change()) lose(why_not_displaced(), step_.t1);
    changes_ = true;
    for (; !lost_ && events_ < path_.events.size(); ++events_) note_delay(path_.events[events_]);
    path_.changes.push_back(
        {step_.t1, lost_ || are_apart_ || jumps_.size() > 1 ? std::vector<double>() : without_gone(delay_)});
  }
  // An event that changes nothing.
  for (; events_ < path_.events.size(); ++events_) {
    const RunEvent& event = path_.events[events_];
    if (!lost_ && event.kind == RunEventKind::kEvent && event.t == step_.t1) note_delay(path_.events[events_]);
  }
  record_rows();
  return true;
}

}  // namespace dalembert::integration

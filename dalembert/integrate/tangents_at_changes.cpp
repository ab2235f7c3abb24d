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
#include <span>
#include <string>
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
  if (same_instant && are_apart_) return kUnknownBetween;
  const std::vector<std::size_t>& conditions = guards_->changed_here();
  if (same_instant && !conditions.empty()) {
    std::vector<double> delay(tangent_.size()), next = delay;
    for (const std::size_t guard : conditions) {
      for (std::size_t k = 0; k < tangent_.size(); ++k)
        if (!find_delay(guard, k, t, step_.y.data(), before.data(), next[k])) return "an instant cannot be displaced";
      if (guard != conditions.front() && part_ways(delay, next)) return kUnknownBetween;
      delay = next;
    }
    if (has_modes() && part_ways(delay, delay_)) return kUnknownBetween;
    // The change that has the instant of the last one has no instant of its own that is known.
    if (!path_.changes.empty() && path_.changes.back().t == t && part_ways(delay, delay_))
      path_.changes.back().sensitivity.clear();
    delay_ = delay;
    switches_.clear();
    crossing_ = conditions.front();
    warn_of_near_changes(t);
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

bool Tangents::has_modes() const { return own_.layout().frictions > 0 || own_.contacts() != nullptr; }

bool Tangents::find_delay(std::size_t guard, std::size_t k, double t, const double* y, const double* slope,
                          double& delay) {
  const double h = displacement(k);
  delay = 0;
  return h == 0 || guards_->find_delay(guard, {tangent_[k], quantities_[k].parameters, h}, t, y, slope, delay);
}

bool Tangents::find_delay(std::size_t guard, std::size_t k, double& delay) {
  return find_delay(guard, k, step_.t1, y_before_.data(), slope_before_.data(), delay);
}

// Finds what changes at the end of the step, and the derivatives of its instants; delay_ are those of the crossing, or else of the first switch.
void Tangents::find_delays() {
  crossing_ = guards_->crossing();
  const std::span<const Schedule::Switch> due = guards_->due();
  switches_.clear();
  std::ranges::fill(delay_, 0.0);
  bool found = true;
  for (const Schedule::Switch& one : due) {
    switches_.push_back({one.guard, one.level, std::vector<double>(tangent_.size())});
    for (std::size_t k = 0; k < tangent_.size(); ++k)
      found = found && find_delay(one.guard, k, switches_.back().delay[k]);
  }
  for (std::size_t k = 0; crossing_ && k < tangent_.size(); ++k) found = found && find_delay(*crossing_, k, delay_[k]);
  if (!crossing_ && !switches_.empty()) delay_ = switches_.front().delay;
  if (!found)
    lose(std::abs(step_.t1 - began_) <= kAtStart * std::abs(options_.until - began_)
             ? "the motion changes just where it starts, and of the starts on either side one alone has that change"
             : "an instant cannot be displaced");
  are_apart_ = std::ranges::any_of(switches_, [&](const SwitchInTime& one) { return part_ways(one.delay, delay_); });
}

// The slopes at the end of the step, before what else changes there, after each of these switches. False where they cannot be evaluated.
bool Tangents::find_slopes_after(const std::vector<std::size_t>& order, std::vector<std::vector<double>>& slopes,
                                 std::vector<std::vector<double>>& integrands) {
  const std::vector<double> held(own_.parameters().begin(), own_.parameters().end());
  const std::size_t first = held.size() - branches_->levels().size();
  bool found = true;
  for (const std::size_t j : order) {
    own_.set_parameters(first + switches_[j].guard, std::array{switches_[j].level});
    evaluate_constant_inputs(own_, of_own_.workspace);
    found = found && find_slope(step_.t1, y_before_.data(), slopes.emplace_back());
    if (integrals_ != nullptr) found = found && find_integrands(step_.t1, y_before_.data(), integrands.emplace_back());
  }
  own_.set_parameters(0, held);
  evaluate_constant_inputs(own_, of_own_.workspace);
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
  std::vector<std::size_t> order(switches_.size()), reversed;
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  reversed.assign(order.rbegin(), order.rend());
  std::vector<std::vector<double>> slopes = {slope_before_}, other = slopes, integrands = {integrands_before_},
                                   none = integrands;
  if (!find_slopes_after(order, slopes, integrands) || !find_slopes_after(reversed, other, none))
    return "the state cannot be displaced";
  // The modes of frictions and contacts are those before. What the run has found says whether they stay.
  const bool is_last = !crossing_ && !step_.jumps;
  const std::vector<double> last(method().last_slope(), method().last_slope() + n_);
  const std::vector<double>& known = is_last ? last : guards_->slope_between();
  if (known.empty() ? has_modes() : !are_close(known, slopes.back(), kSameSlope)) return kUnknownBetween;
  std::vector<char> apart(tangent_.size(), 0);
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    std::vector<double> by(n_), by_other(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < order.size(); ++j) {
        by[i] += (slopes[j][i] - slopes[j + 1][i]) * switches_[j].delay[k];
        by_other[i] += (other[j][i] - other[j + 1][i]) * switches_[reversed[j]].delay[k];
      }
      tangent_[k][i] += by[i];
    }
    if (!are_close(by, by_other, kSameSlope)) apart[k] = 1;
  }
  for (std::size_t j = 0; integrals_ != nullptr && j < order.size(); ++j)
    move_integrals(integrands[j], integrands[j + 1], switches_[j].delay);
  slope_before_ = slopes.back();
  if (integrals_ != nullptr) integrands_before_ = integrands.back();
  const std::vector<double> in_other_order = std::exchange(delay_, std::vector<double>(delay_.size(), 0.0));
  for (std::size_t k = 0; crossing_ && k < tangent_.size(); ++k) {
    if (!find_delay(*crossing_, k, delay_[k])) return "an instant cannot be displaced";
    const bool moves_past =
        std::ranges::any_of(switches_, [&](const SwitchInTime& one) { return part_ways(one.delay[k], delay_[k], k); });
    if (moves_past && (guards_->changes_motion(*crossing_) || part_ways(delay_[k], in_other_order[k], k))) apart[k] = 1;
  }
  warn_of_order(apart, names_of_changes(), step_.t1);
  return "";
}

// `apart`: for each quantity, whether it moves one of these changes past another with which it does not commute.
void Tangents::warn_of_order(const std::vector<char>& apart, const std::vector<std::string>& changes, double t) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < apart.size(); ++k)
    if (apart[k] != 0 && !quantities_[k].name.empty()) names.push_back(quantities_[k].name);
  if (std::ranges::find(apart, 1) == apart.end() || ++told_ > kMostOrders) return;
  if (told_ == kMostOrders) {
    path_.verdict.warnings.push_back(fmt::format(
        "derivatives are those of one side {} as well, and perhaps at later changes: they are told of no more",
        when(t)));
    return;
  }
  path_.verdict.warnings.push_back(fmt::format(
      "derivatives by {} are those of one side: {} {} pass 0 at one instant, as far as the run can tell, and on the "
      "other side they do so in another order",
      names.empty() ? "what moves the one past the other" : join_words(names), when(t), join_words(changes)));
}

// What changes at the end of the step.
std::vector<std::string> Tangents::names_of_changes() const {
  std::vector<std::string> names;
  for (const SwitchInTime& one : switches_) names.push_back(guards_->name_of_guard(one.guard));
  if (crossing_) names.push_back(guards_->name_of_guard(*crossing_));
  return names;
}

// A switch at a known time and a change by the motion within the error of the run from each other may come in either order.
void Tangents::warn_of_near_changes(double t) {
  const bool in_time = !crossing_;
  const std::vector<std::string> names = names_of_changes();
  const double near = options_.rtol * std::abs(options_.until - began_);
  if (!last_changes_.empty() && in_time != last_in_time_ && std::abs(t - last_changed_at_) <= near) {
    std::vector<char> apart(tangent_.size());
    for (std::size_t k = 0; k < apart.size(); ++k) apart[k] = part_ways(delay_[k], last_delay_[k], k);
    std::vector<std::string> both = last_changes_;
    both.insert(both.end(), names.begin(), names.end());
    warn_of_order(apart, both, t);
  }
  last_changes_ = names;
  last_in_time_ = in_time;
  last_changed_at_ = t;
  last_delay_ = delay_;
}

// Carries the tangents through the change of branches, modes or state at the end of the step.
bool Tangents::pass_change() {
  if (of_postponed_ > 0 && !catch_up(step_.t1, y_before_.data())) return false;
  if (are_apart_)
    if (std::string why = pass_switches(); !why.empty()) {
      lose(std::move(why));
      return true;
    }
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    double h = displacement(k);
    if (h == 0) continue;
    // The state is displaced to the shifted instant, which may be far where the guard hardly changes.
    result_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) result_[i] = tangent_[k][i] + slope_before_[i] * delay_[k];
    if (const double shorter = displacement(k, result_.data()); shorter > 0) h = std::min(h, shorter);
    if (!guards_->carry_through({tangent_[k], quantities_[k].parameters, h}, delay_[k], y_before_, slope_before_,
                                tangent_[k]))
      return false;
  }
  projected_ = false;
  changed_at_ = step_.t1;
  if (!are_apart_ && (crossing_ || !switches_.empty())) warn_of_near_changes(step_.t1);
  if (step_.stops) of_end_ = delay_;
  end_moves_ = std::ranges::any_of(of_end_, [](double by) { return by != 0; });
  if (!use_mode() || !project(step_.t1, step_.y1.data())) return false;
  if (integrals_ == nullptr) return true;
  if (step_.stops)
    integrands_.assign(integrals_->count(), 0.0);
  else if (!find_integrands(step_.t1, step_.y1.data(), integrands_))
    return false;
  move_integrals(integrands_before_, integrands_, delay_);
  return true;
}

bool Tangents::arrive() {
  if (!lost_ && (step_.changed || step_.jumps || step_.stops)) {
    if (!pass_change())
      lose(motion_.sliding() ? "the motion goes along the limit of a condition" : "the state cannot be displaced");
    changes_ = true;
    for (; !lost_ && events_ < path_.events.size(); ++events_) note_delay(path_.events[events_]);
    path_.changes.push_back({step_.t1, lost_ || are_apart_ ? std::vector<double>() : delay_});
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

// SPDX-License-Identifier: Apache-2.0
// How tangents pass jumps at one instant whose instants move apart: displaced, they come one after another, in one order on one side of the run and in another order on its
// other side. The derivatives exist where every order leads to the same one. That is decided, not assumed: from the state before all jumps, each set D of them that may have
// come first leads to a state, a slope f_D and tangents δ_D. A jump j from D on, at δt_j, maps the state by R_j alone and
//   δ_{D∪j} = ∂R_j (δ_D + f_D δt_j) + ∂R_j/∂t δt_j + ∂R_j/∂p − f_{D∪j} δt_j,                                      (1)
// and all ways to D∪j must lead to the same state and the same tangents, with the same δt_j from everywhere. The last set is what the run has done at once.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {
namespace {

// So many jumps have 2^n sets, which are looked at.
constexpr std::size_t kMostJumps = 6;
// States that differ by more than this part of the units of displacements, and tangents that differ by more than this part of their terms, are not the same.
constexpr double kSameState = 1e-9, kSameTangent = 1e-7;
// Differences of states in this many units of their round-off are none.
constexpr double kRoundoffOfStates = 100;
// A closed contact whose force is below 0 by more than this part of the largest force pulls.
constexpr double kPulls = 1e-9;

constexpr const char* kNotKnown = "the motion between them is not known";
constexpr const char* kOrderMatters = "their order matters";

}  // namespace

// Tells what lets the state jump, or ends the run, at instants that move apart, and why that has no derivatives.
std::string Tangents::tell_jumps(const char* why) const {
  std::vector<std::string> names;
  std::size_t stops = 0;
  for (const JumpAtOnce& one : jumps_)
    for (const std::size_t guard : one.guards) {
      names.push_back(guards_->name_of_guard(guard));
      stops += guards_->ends_run(guard) ? 1 : 0;
    }
  const char* const all = names.size() == 2 ? "both" : "all";
  std::string what =
      fmt::format("{} let the state jump: beside this run they do so one after the other, and {}", all, why);
  if (stops == names.size())
    what = fmt::format("{} end the run: beside this run the first one alone ends it", all);
  else if (stops > 0)
    what = fmt::format("{} of them ends the run: beside this run it may do so before the others, or after them",
                       stops == 1 ? "one" : "more than one");
  return fmt::format("{} pass 0 at one instant, as far as the run can tell, and {}", join_words(names), what);
}

// Finds the slope and the integrands at a point between jumps. False where they are not known.
bool Tangents::find_between(Between& at) {
  const std::vector<double> held(own_.parameters().begin(), own_.parameters().end());
  const auto use = [&](const std::vector<double>& parameters) {
    own_.set_parameters(0, parameters);
    evaluate_constant_inputs(own_, of_own_.workspace);
  };
  if (own_.contacts() != nullptr) own_.set_contacts(at.mode.closed);
  own_.set_parameters(held.size() - at.mode.levels.size(), at.mode.levels);
  evaluate_constant_inputs(own_, of_own_.workspace);
  const double t = step_.t1, *y = at.y.data();
  std::vector<double> qdd(index(nv_)), multipliers(step_.lambda.size());
  bool found = of_own_.workspace.basis.all && find_slope(t, y, at.slope) &&
               (integrals_ == nullptr || find_integrands(t, y, at.integrands)) &&
               of_own_.find_forces(t, y, qdd.data(), multipliers.data());
  double largest = 0;
  for (const double force : multipliers) largest = std::max(largest, std::abs(force));
  for (std::size_t k = 0; found && k < at.mode.closed.size(); ++k)
    found = at.mode.closed[k] == 0 || multipliers[index(own_.contacts()->contacts[k].row)] >= -kPulls * largest;
  use(held);
  return found && guards_->find_places(at.mode, t, y, at.slope.data(), at.places);
}

// Whether two states are the same, up to round-off.
bool Tangents::is_same_state(const std::vector<double>& a, const std::vector<double>& b) const {
  for (std::size_t i = 0; i < n_; ++i)
    if (!(std::abs(a[i] - b[i]) <= kSameState * std::max(size_[i], std::abs(a[i])) + options_.atol)) return false;
  return true;
}

// Carries the tangent of quantity k of `from` through jump j to `to` (1), and the changes of the integrals. Returns what is wrong.
const char* Tangents::jump_along(Guards::Jump& alone, const Between& from, std::size_t j, std::size_t k,
                                 const Between& to, InOrder& way) {
  const JumpAtOnce& jump = jumps_[j];
  way.by = from.tangents[k];
  double delay = 0, h = displacement(k, way.by.data());
  if (h != 0) {
    result_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) result_[i] = way.by[i] + from.slope[i] * jump.delay[k];
    if (const double shorter = displacement(k, result_.data()); shorter > 0) h = std::min(h, shorter);
    const double rate = guards_->place_among(from.places, alone.guards.front()).rate;
    if (!guards_->carry_through_alone(alone, from.mode, {from.tangents[k], quantities_[k].parameters, h}, from.y,
                                      from.slope, rate, to.slope, delay, way.by))
      return kNotKnown;
  }
  if (part_ways(delay, jump.delay[k], k)) return kOrderMatters;
  way.sizes.resize(n_);
  // Round-off counts as a term, as displacements of the tangent before all jumps have it: one that jumps have brought to 0 is round-off itself.
  const double reach = displacement(k);
  const auto round_off = [&](double value) {
    return reach != 0 ? kRoundoffOfStates * kEps / kSameTangent * std::abs(value) / reach : 0;
  };
  for (std::size_t i = 0; i < n_; ++i) {
    way.sizes[i] =
        std::max({round_off(std::max(size_[i], std::abs(from.y[i]))), std::abs(way.by[i]),
                  std::abs(from.tangents[k][i]), std::abs(from.slope[i] * delay), std::abs(to.slope[i] * delay)});
  }
  for (std::size_t i = 0; i < to.integrands.size(); ++i) {
    const double already = from.integrals[k][i], before = from.integrands[i] * delay, after = to.integrands[i] * delay;
    way.by.push_back(already + before - after);
    way.sizes.push_back(
        std::max({round_off(integrals_->value_at(i, step_.t1)), std::abs(already), std::abs(before), std::abs(after)}));
  }
  return nullptr;
}

// Carries the state and the tangents of `from` through jump j to `to`, or compares them with those that are there. Returns what is wrong.
const char* Tangents::jump_from(const Between& from, std::size_t j, Between& to) {
  Guards::Jump alone{jumps_[j].guards, {}};
  std::vector<double> y = from.y;
  y.resize(step_.y1.size());
  if (!guards_->jump_alone(alone, from.mode, step_.t1, y.data())) return kNotKnown;
  y.resize(n_);
  const bool is_first = to.y.empty();
  if (is_first) {
    to.y = std::move(y);
    if (!guards_->find_mode(mode_before_, to.jumped, step_.t1, to.y.data(), to.mode) || !find_between(to))
      return kNotKnown;
  } else if (!is_same_state(y, to.y)) {
    return kOrderMatters;
  }
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    InOrder way;
    if (const char* why = jump_along(alone, from, j, k, to, way); why != nullptr) return why;
    if (is_first) {
      const auto state = way.by.begin() + static_cast<std::ptrdiff_t>(n_);
      to.tangents.emplace_back(way.by.begin(), state);
      to.integrals.emplace_back(state, way.by.end());
      continue;
    }
    InOrder other{to.tangents[k], way.sizes};
    other.by.insert(other.by.end(), to.integrals[k].begin(), to.integrals[k].end());
    if (are_apart(way, other, kSameTangent)) return kOrderMatters;
  }
  return nullptr;
}

// Goes through the jumps in every order: `at` are the sets that may have come first, of which the first is empty. Returns what is wrong.
const char* Tangents::jump_in_every_order(std::vector<Between>& at) {
  if (!find_between(at.front())) return kNotKnown;
  for (std::size_t set = 0; set < at.size(); ++set)
    for (std::size_t j = 0; j < jumps_.size(); ++j)
      if ((set >> j & 1) == 0)
        if (const char* why = jump_from(at[set], j, at[set | std::size_t{1} << j]); why != nullptr) return why;
  // What the run has done at once is what they do one after another.
  const Between &first = at.front(), &last = at.back();
  const std::vector<double> slope(method().last_slope(), method().last_slope() + n_);
  if (!is_same_state(last.y, step_.y1) || !is_same_slope(last.slope, slope) ||
      !is_same_slope(first.slope, slope_before_))
    return kOrderMatters;
  for (const Between& one : at)
    if (&one != &first && &one != &last &&
        !guards_->goes_on_between(one.jumped, one.mode, one.places, first.places, last.places))
      return kOrderMatters;
  return nullptr;
}

// The quantities that move jumps of one instant apart.
std::vector<std::size_t> Tangents::moved_apart() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < tangent_.size(); ++k)
    if (std::ranges::any_of(jumps_,
                            [&](const JumpAtOnce& one) { return part_ways(one.delay[k], jumps_.front().delay[k], k); }))
      found.push_back(k);
  return found;
}

// Carries the tangents through the jumps in every order. Returns why that cannot be done.
std::string Tangents::pass_jumps() {
  const std::size_t count = jumps_.size();
  const bool ends = std::ranges::any_of(jumps_, [&](const JumpAtOnce& one) {
    return std::ranges::any_of(one.guards, [&](std::size_t guard) { return guards_->ends_run(guard); });
  });
  if (ends) return tell_jumps("");
  if (count > kMostJumps) return tell_jumps("so many have too many orders");
  if (!switches_.empty()) return tell_jumps(kNotKnown);
  std::vector<Between> at(std::size_t{1} << count);
  for (const std::size_t guard : guards_->jumping()) {
    const auto has = [&](const JumpAtOnce& one) { return std::ranges::find(one.guards, guard) != one.guards.end(); };
    const auto place = static_cast<std::size_t>(std::ranges::find_if(jumps_, has) - jumps_.begin());
    for (std::size_t set = 0; set < at.size(); ++set) at[set].jumped.push_back((set >> place & 1) != 0 ? 1 : 0);
  }
  at.front().mode = mode_before_;
  at.front().y = y_before_;
  at.front().tangents = tangent_;
  at.front().integrals.assign(tangent_.size(), std::vector<double>(of_integrals_.empty() ? 0 : integrals_->count()));
  const Branches::Values values = guards_->values();
  const char* why = jump_in_every_order(at);
  guards_->recall(values);
  if (why != nullptr) return tell_jumps(why);
  tangent_ = at.back().tangents;
  for (std::size_t k = 0; integrals_ != nullptr && k < tangent_.size(); ++k)
    for (std::size_t i = 0; i < integrals_->count(); ++i) of_integrals_[k][i] += at.back().integrals[k][i];
  return "";
}

}  // namespace dalembert::integration

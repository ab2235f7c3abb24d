// SPDX-License-Identifier: Apache-2.0
// How a displacement δ of the state passes through a change of the equations or a jump of the state, by an event of the model or by an impact
// (saltation matrix, theory §8):
//   δ⁺ = ∂R (δ + f⁻ δt) + ∂R/∂t δt − f⁺ δt,   δt = −∂g δ/ġ                                                      (1)
// R maps the state before the jump to the state after it; f⁻ and f⁺ are the slopes ẏ before and after; g is the guard whose zero causes the change,
// and δt the shift of the instant at which g is 0. Where the run ends at the event, the term f⁺ δt is omitted, because the last state of the run
// is that at the shifted instant. Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems, 2004, ch. 7.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "dalembert/integrate/guards.h"

namespace dalembert::integration {
namespace {

// Displacement of the finite differences of carry(), relative to the size of the state.
constexpr double kJumpDisplacement = 1e-6;
// The instant of a jump is located to this many units of round-off of t.
constexpr double kInstantUnits = 4;
// Derivatives of a jump by differences over lengths in this ratio, at most so often, agree if they differ by less than this fraction of the largest entry.
constexpr double kLengthRatio = 16, kAgreement = 1e-6;
constexpr int kShorterTries = 5;
// A step that is shorter than this part of the times of the run is too short for differences in time, which must then agree to kSettledRate.
constexpr double kShortStep = 1e-7, kSettledRate = 1e-9;

// The largest difference, as a fraction of the largest entry.
double disagreement(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return largest > 0 ? difference / largest : 0;
}

}  // namespace

// The function of an event, or the gap of a contact, at another point.
double Guards::jump_guard_at(std::size_t k, double t, const double* y) {
  if (branches_.is_of_event(k)) return events_->value_of(k - branches_.first_of_events(), t, y);
  return contacts_->gap_at(k - branches_.first_of_contacts(), t, y);
}

// The value of guard k at another point (t, y), with the frictions and contacts in their present states.
double Guards::guard_at(std::size_t k, double t, const double* y) {
  if (branches_.is_of_event(k) || branches_.is_gap(k)) return jump_guard_at(k, t, y);
  if (branches_.is_timed(k) && !branches_.jumps_in_time(k)) {
    evaluate_inputs(dynamics_, t, motion_.workspace);
    return branches_.timed_value(k, t, motion_.workspace.u.data());
  }
  watch(t, y, nullptr, false);
  return branches_.value(k);
}

// Whether guard k of time alone, which is due at the end of the last step, reaches its limit there, by branches held: else it jumps over it where another one leaves its level.
bool Guards::reaches_limit(std::size_t k) {
  if (!branches_.jumps_in_time(k)) return true;
  const auto at = [&](double t) { return guard_at(k, t, step_.y1.data()); };
  const double g = at(step_.t1), limit = branches_.is_floor(k) ? std::round(g) : 0;
  // How far it goes within the round-off of t: much, on a steep segment of a table, whose rate is not known.
  const double rise = std::max(std::abs(at(step_.t1 + same_time_) - g), std::abs(g - at(step_.t1 - same_time_)));
  const double reach = 16 * (branches_.noise(k) + std::max(same_time_ * std::abs(branches_.rate(k)), rise));
  watch_end();
  return std::abs(g - limit) <= reach;
}

// Applies the jump at the end of the last step to a neighbouring state y = (q, v).
bool Guards::jump_beside(double t, double* y) {
  if (events_ && events_->sets() && !set_beside(t, y)) return false;
  return !contacts_ || !contacts_->struck() || contacts_->strike_beside(t, y);
}

// Replaces the error δ of the state before a jump by the error of the state after it, by (1). A one-sided finite difference is accurate enough for
// errors.
void Guards::carry(double* delta) {
  const std::vector<double>&y = step_.y_before, &slope = step_.slope_before;
  const double t = step_.t;
  const std::size_t size = index(nq_ + nv_);
  double share = 0;
  for (std::size_t i = 0; i < size; ++i)
    share = std::max(share, std::abs(delta[i]) / std::max(std::abs(y[i]), options_.atol / options_.rtol));
  if (!(share > 0) || !std::isfinite(share)) return;
  const double epsilon = kJumpDisplacement / share;
  std::vector<double>&from = beside_[0], &to = beside_[1];
  from.assign(y.begin(), y.begin() + nq_ + nv_);
  to = from;
  for (std::size_t i = 0; i < size; ++i) to[i] += epsilon * delta[i];
  const double change =
      (jump_guard_at(jump_guard_, t, to.data()) - jump_guard_at(jump_guard_, t, from.data())) / epsilon;
  double later = jump_rate_ != 0 ? -change / jump_rate_ : 0;
  later += std::copysign(kInstantUnits * kEps * std::abs(t), later);
  for (std::size_t i = 0; i < size; ++i) to[i] = y[i] + epsilon * (delta[i] + slope[i] * later);
  if (!jump_beside(t, from.data()) || !jump_beside(t + epsilon * later, to.data())) return;
  const double* after = method().first_slope();
  for (std::size_t i = 0; i < size; ++i) delta[i] = (to[i] - from[i]) / epsilon - (step_.stops ? 0 : after[i] * later);
}

void Guards::displace_parameters(const Displacement& by, double epsilon) {
  if (by.parameters.empty()) return;
  branches_.displace_parameters(by.parameters, epsilon);
  if (contacts_) contacts_->use_parameters();
  evaluate_inputs_anew();
}

std::span<const Schedule::Switch> Guards::due() const {
  const auto& switches = schedule_.switches();
  std::size_t end = next_switch_;
  while (end < switches.size() && is_due(switches[end], step_.t1)) ++end;
  return std::span(switches).subspan(next_switch_, end - next_switch_);
}

// The rate of a guard of time alone at t. Over a part of the last step, unless that is too short for the round-off of t: then over shorter and shorter times until two
// differences agree.
bool Guards::find_rate_in_time(std::size_t k, double t, double& rate) {
  const double scale = std::max({std::abs(t), std::abs(options_.until), std::abs(options_.until - t)});
  const auto differentiate = [&](double h) {
    return difference_.find(
        h,
        [&](double epsilon, std::vector<double>& value) {
          value.assign(1, guard_at(k, t + epsilon, step_.y1.data()));
          return std::isfinite(value[0]);
        },
        derivative_);
  };
  if (std::abs(step_.length) > kShortStep * scale) {
    if (!differentiate(DerivativeAlong::kDisplacement * std::abs(step_.length))) return false;
    rate = derivative_[0];
    return true;
  }
  double before = std::numeric_limits<double>::quiet_NaN();
  for (double h = DerivativeAlong::kDisplacement * scale; h > kShortStep * DerivativeAlong::kDisplacement * scale;
       h /= kLengthRatio) {
    if (!differentiate(h)) return false;
    rate = derivative_[0];
    if (std::abs(rate - before) <= kSettledRate * std::abs(rate)) return true;
    before = rate;
  }
  return false;
}

// The rate of guard k at (t, y) along a slope. That of a force is a difference over a part of the step.
bool Guards::find_rate_along(std::size_t k, double t, const double* slope, double& rate) {
  if (branches_.is_timed(k)) return find_rate_in_time(k, t, rate);
  const std::vector<double> y = displaced_;
  if (branches_.has_rate(k) && !branches_.reads_forces(k)) {
    watch(t, y.data(), slope + nq_);
    rate = branches_.rate(k);
    return std::isfinite(rate);
  }
  const bool found = difference_.find(
      DerivativeAlong::kDisplacement * std::abs(step_.length),
      [&](double epsilon, std::vector<double>& value) {
        for (std::size_t i = 0; i < index(nq_ + nv_); ++i) displaced_[i] = y[i] + epsilon * slope[i];
        value.assign(1, guard_at(k, t + epsilon, displaced_.data()));
        return std::isfinite(value[0]);
      },
      derivative_);
  rate = found ? derivative_[0] : 0;
  return found;
}

bool Guards::find_delay(std::size_t k, const Displacement& by, double t, const double* y, const double* slope,
                        double& delay) {
  delay = 0;
  const Branches::Values kept = branches_.values();
  const std::vector<double> force_sizes = contacts_ ? contacts_->force_sizes() : std::vector<double>();
  const bool moved = difference_.find(
      by.h,
      [&](double epsilon, std::vector<double>& value) {
        displaced_.assign(step_.y1.begin(), step_.y1.end());
        for (std::size_t i = 0; i < by.tangent.size(); ++i) displaced_[i] = y[i] + epsilon * by.tangent[i];
        displace_parameters(by, epsilon);
        value.assign(1, guard_at(k, t, displaced_.data()));
        return std::isfinite(value[0]);
      },
      derivative_);
  displace_parameters(by, 0);
  const double change = moved ? derivative_[0] : 0;
  displaced_.assign(step_.y1.begin(), step_.y1.end());
  std::copy_n(y, by.tangent.size(), displaced_.begin());
  double rate = 0;
  const bool followed = find_rate_along(k, t, slope, rate);
  // Nothing of this look beside the run is left in it, not even the largest values, of which round-off is a part.
  watch_end();
  branches_.recall(kept);
  if (contacts_) contacts_->recall(force_sizes);
  if (moved && change == 0) return true;
  delay = -change / rate;
  return moved && followed && std::isfinite(delay);
}

// Differentiates the state to which `jump` leads from y, displaced, at a time that moves by `delay`. What the jump leaves as it is has the derivative that
// it had: a difference would give it the round-off of its value.
bool Guards::differentiate_jump(const Displacement& by, double h, double delay, const std::vector<double>& y,
                                const std::vector<double>& slope, const JumpTo& jump, std::vector<double>& derivative) {
  const bool found = difference_.find(
      h,
      [&](double epsilon, std::vector<double>& to) {
        to.assign(step_.y1.size(), 0.0);
        for (std::size_t i = 0; i < y.size(); ++i) to[i] = y[i] + epsilon * (by.tangent[i] + slope[i] * delay);
        displace_parameters(by, epsilon);
        displaced_ = to;
        if (!jump(step_.t1 + epsilon * delay, to.data())) return false;
        for (std::size_t i = 0; i < y.size(); ++i) jumped_[i] |= to[i] != displaced_[i] ? 1 : 0;
        if (keeps_impulses()) to.insert(to.end(), contacts_->last_impulses().begin(), contacts_->last_impulses().end());
        return true;
      },
      derivative);
  displace_parameters(by, 0);
  for (std::size_t i = 0; found && i < y.size(); ++i)
    if (jumped_[i] == 0) derivative[i] = by.tangent[i] + slope[i] * delay;
  return found;
}

// Writes to `after` the tangent after a change from `slope` to `next`, where derivative_ is that of the state after the jump.
void Guards::change_slope(const Displacement& by, double delay, const std::vector<double>& slope, const double* next,
                          std::vector<double>& after) const {
  after.resize(slope.size());
  for (std::size_t i = 0; i < after.size(); ++i)
    after[i] = jumped_[i] != 0 ? derivative_[i] - next[i] * delay : by.tangent[i] + (slope[i] - next[i]) * delay;
}

bool Guards::keeps_impulses() const { return contacts_ && dynamics_.contacts()->keeps_impulses(); }

std::vector<std::pair<int, double>> Guards::rates_of_impulses() const {
  std::vector<std::pair<int, double>> rates;
  if (!notes_impulses()) return rates;
  for (const std::size_t k : contacts_->noted())
    rates.emplace_back(static_cast<int>(dynamics_.contacts()->stated_parameters + k), derivative_[step_.y1.size() + k]);
  return rates;
}

bool Guards::carry_through(const Displacement& by, double delay, const std::vector<double>& y,
                           const std::vector<double>& slope, std::vector<double>& after) {
  jumped_.assign(y.size(), 0);
  if (step_.jumps) {
    const JumpTo jump = [&](double t, double* to) { return jump_beside(t, to); };
    bool found = differentiate_jump(by, by.h, delay, y, slope, jump, derivative_);
    // Where speeds are far smaller than they once were, a displaced impact may slide another way: shorter displacements say whether it does, until they are
    // round-off.
    std::vector<double> longer = derivative_;
    double h = by.h, least = std::numeric_limits<double>::infinity();
    for (int tries = 0; found && least > kAgreement && tries < kShorterTries; ++tries) {
      found = differentiate_jump(by, h /= kLengthRatio, delay, y, slope, jump, shorter_);
      const double by_shorter = disagreement(longer, shorter_);
      if (by_shorter < least) {
        least = by_shorter;
        derivative_ = longer;
      }
      longer.swap(shorter_);
    }
    if (!found) return false;
  }
  const std::vector<double> none(step_.stops ? y.size() : 0);
  change_slope(by, delay, slope, step_.stops ? none.data() : method().last_slope(), after);
  return true;
}

}  // namespace dalembert::integration

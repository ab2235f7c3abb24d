// SPDX-License-Identifier: Apache-2.0
// What a jump of the state, by events of the model or by an impact, does to errors of the state: the saltation matrix (theory §8).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dalembert/integrate/guards.h"

namespace dalembert::integration {
namespace {

// Displacement of a finite difference, relative to the size of the state.
constexpr double kJumpDisplacement = 1e-6;
// Instants are located to this many units of round-off of the time.
constexpr double kInstantUnits = 4;

}  // namespace

// The value of the guard at which the jump of the last step happened, at another point.
double Guards::jump_guard_at(double t, const double* y) {
  if (branches_.is_of_event(jump_guard_)) return events_->value_of(jump_guard_ - branches_.first_of_events(), t, y);
  return contacts_->gap_at(jump_guard_ - branches_.first_of_contacts(), t, y);
}

// Applies the jump of the last step to another state y = (q, v) beside it.
bool Guards::jump_beside(double t, std::vector<double>& y) {
  if (events_ && events_->sets() && !events_->set_beside(t, y.data())) return false;
  return !contacts_ || !contacts_->struck() || contacts_->strike_beside(t, y.data());
}

// Replaces the error δ of the state before a jump by the error of the state after it:
//   δ⁺ = ∂R (δ + f⁻ δt) + ∂R/∂t δt − f⁺ δt with δt = −∂g δ / ġ
// by differences. R is the jump, f⁻ and f⁺ are the slopes before and after, g is the guard, δt the shift of its time. If the run ends there,
// the last term is left out, since the state is that at the event's own time.
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
  const double change = (jump_guard_at(t, to.data()) - jump_guard_at(t, from.data())) / epsilon;
  double later = jump_rate_ != 0 ? -change / jump_rate_ : 0;
  later += std::copysign(kInstantUnits * kEps * std::abs(t), later);
  for (std::size_t i = 0; i < size; ++i) to[i] = y[i] + epsilon * (delta[i] + slope[i] * later);
  if (!jump_beside(t, from) || !jump_beside(t + epsilon * later, to)) return;
  const double* after = method().first_slope();
  for (std::size_t i = 0; i < size; ++i) delta[i] = (to[i] - from[i]) / epsilon - (step_.stops ? 0 : after[i] * later);
}

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Flights between impacts: where gaps are parabolas in time, a step is aimed at the next impact, and need not be repeated to end there.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/integrate/guards.h"

namespace dalembert::integration {
namespace {

// A gap counts as a parabola over a step of length h if its change equals h times the mean of its rates at both ends, to this fraction of
// h times the larger rate.
constexpr double kParabola = 1e-10;
constexpr double kNone = std::numeric_limits<double>::infinity();

// The smallest s > `soonest` at which gap + rate·s + fall·s²/2 is 0; infinite if there is none.
double landing(double gap, double rate, double fall, double soonest) {
  const double root = rate * rate - 2 * fall * gap;
  if (root < 0) return kNone;
  const double q = -(rate + std::copysign(std::sqrt(root), rate));
  double first = kNone;
  for (const double s : {q / fall, 2 * gap / q})
    if (s > soonest && s < first) first = s;
  return first;
}

}  // namespace

// Called at the end of a step with an impact. Keeps the second derivatives of the gaps if all gaps were parabolas over the step.
void Guards::note_flights() {
  falls_.clear();
  if (frictions_ || events_ || !options_.adaptive || branches_.first_of_contacts() > 0) return;
  const double h = step_.length;
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    const double r0 = rate_before_[k], r1 = branches_.rate(k), size = h * std::max(std::abs(r0), std::abs(r1));
    const bool fits = std::abs(branches_.guard(k) - guard_before_[k] - h * (r0 + r1) / 2) <= kParabola * size;
    if (!branches_.is_gap(k) || !fits) return falls_.clear();
    falls_.push_back((r1 - r0) / h);
  }
}

// Shortens the next try of a step so that it ends where the first gap becomes 0, provided that the second derivatives stay the same. The end and
// the length that the step would have had are kept in aimed_.
void Guards::aim() {
  aimed_.reset();
  if (falls_.empty()) return;
  const double shortest = instant(step_.t);
  double first = step_.length;
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    if (!branches_.is_gap(k)) return falls_.clear();
    const double time = landing(std::max(guard_before_[k], 0.0), rate_before_[k], falls_[k], shortest);
    if (!(time < first)) continue;
    first = time;
    aimed_ = {k, step_.t1, step_.length};
  }
  if (!aimed_) return;
  step_.length = first;
  step_.t1 = step_.t + first;
}

// Whether the step that was aimed at gap `which` ends where this gap is 0, up to the round-off of t, and no gap was 0 earlier in the step.
bool Guards::lands(std::size_t which) {
  look_between(step_.length);
  watch_end();
  const double rate = branches_.rate(which), early = branches_.guard(which) / rate;
  if (!(rate < 0) || !(std::abs(early) <= kOneInstant * kEps * std::abs(step_.t1))) return false;
  if (!resolves_guards(step_.length)) return false;
  for (std::size_t k = 0; k < branches_.count(); ++k)
    if (comes_near(k, step_.length)) return false;
  return true;
}

// Called after a step that was aimed at gap `which`. If the step ends at the impact, prepares the impact and returns true.
bool Guards::hits(std::size_t which) {
  step_.jumps = step_.stops = false;
  contacts_->look_ahead(0);
  if (!lands(which)) return false;
  crossing_ = {which, false};
  prepare_jump(which, false);
  return true;
}

}  // namespace dalembert::integration

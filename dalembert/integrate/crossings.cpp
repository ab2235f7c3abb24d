// SPDX-License-Identifier: Apache-2.0
// Where in a step a guard leaves its level: which guards come near their limits, and the first crossing.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dalembert/integrate/guards.h"
#include "dalembert/integrate/names.h"

namespace dalembert::integration {
namespace {

// Number of intervals in a step; guards that come near their limit are evaluated at the points between them.
constexpr int kLooks = 8;
// Largest number of further points, extrema of a guard's cubic beyond the limit; the earliest ones are taken.
constexpr std::size_t kMostTurns = 16;
// A guard is near its limit if its distance is below this fraction of its change over the step.
constexpr double kNear = 0.05;
// The part of a step that is its beginning, for a crossing.
constexpr double kBeginning = 1e-3;
// The cubic through a guard's values and rates at the ends of a step is tested at the fraction kBetween of the step. There the errors of its value and
// rate must be below kCubic and kCubicSlope of the guard's change over the step. A guard is not tested if its distance to the limit is more than kFar
// times this change.
constexpr double kBetween = 0.4, kCubic = 0.02, kCubicSlope = 0.15, kFar = 2;
// Units of round-off of its terms within which the function of a condition is at its limit, and steps in a row after which a warning says that it stays there.
constexpr double kStays = 256;
constexpr int kStaysFor = 8;

// The cubic with these values and slopes at s = 0 and s = 1.
struct Cubic {
  double value0, slope0, a2, a3;

  Cubic(double y0, double r0, double y1, double r1)
      : value0(y0), slope0(r0), a2(3 * (y1 - y0) - 2 * r0 - r1), a3(2 * (y0 - y1) + r0 + r1) {}
  double value(double s) const { return ((a3 * s + a2) * s + slope0) * s + value0; }
  double slope(double s) const { return (3 * a3 * s + 2 * a2) * s + slope0; }
};

}  // namespace

// Finds the conditions of outputs, integrands and events whose function is at its limit at both ends of the step, without a rate: `floor(x^2 + y^2)`
// where a constraint says x² + y² = 1. Round-off alone decides their branches, so they keep them until the function has left the limit; the points
// between the ends, which are not projected, would show crossings.
void Guards::find_staying(double step) {
  if (std::has_single_bit(++tries_)) {
    measure_conditions(step_.t1, step_.y1.data());
    if (!followed_.empty()) measure_terms();
  }
  for (Followed& one : followed_) {
    const std::size_t k = one.guard;
    if (!branches_.has_rate(k)) continue;
    const double limit = branches_.is_floor(k) ? std::round(branches_.guard(k)) : 0;
    one.farthest = std::max({std::abs(branches_.guard(k) - limit), std::abs(guard_before_[k] - limit),
                             std::abs(step * branches_.rate(k)), std::abs(step * rate_before_[k])});
    stays_[k] = one.farthest <= kStays * kEps * one.terms ? 1 : 0;
  }
}

// How large the terms of conditions and events are, with each number of the state and with the largest of its unit.
void Guards::measure_conditions(double t, const double* y) {
  if (branches_.first_of_friction() == 0 && events_ == nullptr) return;
  const std::vector<std::size_t>& group = maker_.growth.groups();
  std::vector<double> largest(group.size()), at(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) largest[group[i]] = std::max(largest[group[i]], std::abs(y[i]));
  for (std::size_t i = 0; i < group.size(); ++i) at[i] = largest[group[i]];
  evaluate_inputs(dynamics_, t, motion_.workspace);
  for (const double* state : {y, static_cast<const double*>(at.data())}) {
    branches_.measure_terms(kernel_arguments(dynamics_, t, state, state + nq_, motion_.workspace));
    if (events_) events_->measure_terms(t, state);
  }
}

// The sizes of the terms of which their functions are sums at the end of the step, by differences over a part of the state: where they cancel, what is left is
// round-off of them.
void Guards::measure_terms() {
  constexpr double kPart = 1e-3;
  const Branches::Values values = branches_.values();
  std::vector<double> y = step_.y1, terms(followed_.size());
  KernelArguments in = kernel_arguments(dynamics_, step_.t1, y.data(), y.data() + nq_, motion_.workspace);
  in.qdd = qdd1();
  for (const auto& [from, to] : {std::pair(index(0), index(nq_)), std::pair(index(nq_), index(nq_ + nv_))}) {
    double size = 0;
    for (std::size_t i = from; i < to; ++i) size = std::max(size, std::abs(y[i]));
    for (std::size_t i = from; i < to; ++i) {
      const double here = std::exchange(y[i], y[i] + kPart * size);
      branches_.watch(in);
      for (std::size_t f = 0; f < terms.size(); ++f) {
        const std::size_t k = followed_[f].guard;
        terms[f] += std::abs(branches_.value(k) - values.guards[k]) / kPart;
      }
      y[i] = here;
    }
  }
  branches_.recall(values);
  for (std::size_t f = 0; f < terms.size(); ++f) followed_[f].terms = std::max(followed_[f].terms, terms[f]);
}

// At the end of a step.
void Guards::warn_of_staying() {
  for (Followed& one : followed_) {
    // What is exactly at its limit, as at rest, has the branch of the limit.
    const bool stays = std::exchange(stays_[one.guard], 0) != 0 && one.farthest > 0;
    one.steps = stays ? one.steps + 1 : 0;
    if (one.steps < kStaysFor || std::exchange(one.is_named, true)) continue;
    const Switching::Guard& guard = branches_.info(one.guard);
    const std::string what = guard.floor ? fmt::format("`{}` of {} is at an integer", guard.written, guard.reader)
                                         : fmt::format("`{}` of {} is at its limit", guard.written, guard.reader);
    const auto is_said = [&](const std::string& warning) { return warning.starts_with(what); };
    if (std::ranges::any_of(path_.verdict.warnings, is_said)) continue;
    path_.verdict.warnings.push_back(
        fmt::format("{} within round-off in all of {} steps {}: as long as it is, it keeps its branch", what, kStaysFor,
                    "before" + when(step_.t).substr(2)));
  }
}

// Whether the guard may have left its level and come back within the step: the cubic through its values and rates at
// both ends comes near the limit, or does not fit. Extrema of the cubic beyond the limit are added to looks_.
bool Guards::comes_near(std::size_t k, double step) {
  const double g0 = guard_before_[k], g1 = branches_.guard(k);
  const double r0 = step * rate_before_[k], r1 = step * branches_.rate(k);
  const double least = std::min(branches_.above(k), branches_.below(k));
  const double change = std::max({std::abs(r0), std::abs(r1), std::abs(g1 - g0)});
  if (!branches_.has_rate(k)) return least < 8 * std::abs(g1 - g0) || g1 == g0 || least < 4 * change;
  // The cubic stays within 35/27 of this change from its end, so most guards are too far for it to come near.
  if (least >= 4 * change) return false;
  const double up = branches_.above(k) + g1, down = g1 - branches_.below(k);  // values of the guard at its limits
  const Cubic cubic(g0, r0, g1, r1);
  const auto room = [&](double s) { return std::min(up - cubic.value(s), cubic.value(s) - down); };
  bool near = std::abs(g1 - g0 - (r0 + r1) / 2) > change / 2 && least < 4 * change;
  for (int i = 1; i < kLooks; ++i) near = near || room(static_cast<double>(i) / kLooks) < kNear * change;
  // Zeros of the slope 3 a3 s² + 2 a2 s + r0, without cancellation.
  const double root = cubic.a2 * cubic.a2 - 3 * cubic.a3 * r0;
  if (root < 0) return near;
  const double q = -(cubic.a2 + std::copysign(std::sqrt(root), cubic.a2));
  for (const double s : {q / (3 * cubic.a3), r0 / q}) {
    if (!(s > 0 && s < 1)) continue;
    const double least_there = room(s);
    near = near || least_there < kNear * change;
    if (least_there < 0) looks_.push_back(s);
  }
  return near;
}

// Evaluates guards and their rates at the fraction theta of the step. The cubic through both ends gives the state there with
// sufficient accuracy.
void Guards::watch_within(double theta, double step) {
  const double *f0 = method().first_slope(), *f1 = method().last_slope();
  for (std::size_t i = 0; i < index(ny_); ++i) {
    const Cubic cubic(step_.y[i], step * f0[i], step_.y1[i], step * f1[i]);
    step_.out[i] = cubic.value(theta);
    step_.slope[i] = cubic.slope(theta) / step;
  }
  watch(step_.t + theta * step, step_.out.data(), step_.slope.data() + nq_);
}

void Guards::look_between(double step) {
  watch_within(kBetween, step);
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    guard_between_[k] = branches_.guard(k);
    rate_between_[k] = branches_.rate(k);
    room_between_[k] = std::min(branches_.above(k), branches_.below(k));
  }
}

// Whether the cubics through the guards at both ends of the step describe the guards in between, for guards that may
// reach their limit. A guard that depends on time and state can change quickly however smooth the motion is.
bool Guards::resolves_guards(double step) {
  for (std::size_t k = 0; k < branches_.count(); ++k) {
    if (!ends_steps(k) || !branches_.has_rate(k)) continue;
    const double g0 = guard_before_[k], change = branches_.guard(k) - g0, between = guard_between_[k] - g0;
    const double r0 = step * rate_before_[k], r1 = step * branches_.rate(k), r = step * rate_between_[k];
    const double size =
        std::max({std::abs(change), std::abs(between), std::abs(r0), std::abs(r1), std::abs(r), branches_.noise(k)});
    const double room = std::min({branches_.above(k), branches_.below(k), room_between_[k]});
    if (room > kFar * size) continue;
    const Cubic cubic(0, r0, change, r1);
    // A rate that is a finite difference has the round-off of two values, divided by the part of the step between them. The cubic multiplies the round-off
    // of its ends by up to 1.5 in its slope.
    const double blur = branches_.noise(k), of_rate = branches_.reads_forces(k) ? 2 * blur / kLookAhead : 4 * blur;
    if (!(std::abs(between - cubic.value(kBetween)) > kCubic * size + blur) &&
        !(std::abs(r - cubic.slope(kBetween)) > kCubicSlope * size + of_rate))
      continue;
    const std::optional<double> pole = branches_.is_of_event(k) ? find_pole(k, step) : std::nullopt;
    if (!pole) return false;
    events_->note_pole(k - branches_.first_of_events(), *pole);
  }
  return true;
}

// Whether g, which has other signs at a and b, fractions of the step, is small where it changes its sign: at a zero, however steep, and not at a pole.
bool Guards::passes_zero(std::size_t k, double a, double b, double step) {
  constexpr double kLarge = 30;
  const auto value = [&](double theta) {
    watch_within(theta, step);
    return branches_.guard(k);
  };
  double at_a = value(a), at_b = value(b);
  if ((at_a > 0) == (at_b > 0)) return false;
  const Branches::Values before = branches_.values();  // numbers of any size are met
  const double large = kLarge * std::min(std::abs(at_a), std::abs(at_b));
  for (double middle = (a + b) / 2; middle > a && middle < b; middle = (a + b) / 2) {
    const double found = value(middle);
    const bool like_a = (found > 0) == (at_a > 0);
    (like_a ? a : b) = middle;
    (like_a ? at_a : at_b) = found;
  }
  branches_.recall(before);
  return std::min(std::abs(at_a), std::abs(at_b)) < large;
}

// The time of a pole that the function g of an event has within the step, without a zero: near a pole at τ, where g goes with (t − τ)⁻ᵐ, g/ġ = (τ − t)/m falls through
// 0, and is linear; at a zero it rises through 0. Steps that become shorter show both.
std::optional<double> Guards::find_pole(std::size_t k, double step) {
  // How far g/ġ may be from linear, relative to its fall over the step, and beside the pole to its size there.
  constexpr double kLinear = 0.05, kBeside = 0.1, kLinearBeside = 0.3;
  const double g0 = guard_before_[k], g1 = branches_.guard(k);
  const double at0 = g0 / rate_before_[k], at1 = g1 / branches_.rate(k), at = guard_between_[k] / rate_between_[k];
  if (!(at0 / step > 0) || !(at1 / step < 0)) return std::nullopt;
  if (!(std::abs(at0 + (at1 - at0) * kBetween - at) <= kLinear * std::abs(at0 - at1))) return std::nullopt;
  // On both sides of the pole that these three points tell, g is larger than at the ends.
  const double pole = at0 / (at0 - at1), shift = kBeside * std::min(pole, 1 - pole);
  std::array<double, 2> beside{};
  bool grows = true;
  for (const double side : {-1.0, 1.0}) {
    watch_within(pole + side * shift, step);
    const double expected = side * shift * (at1 - at0), found = branches_.guard(k) / branches_.rate(k);
    grows = grows && std::abs(branches_.guard(k)) > std::max(std::abs(g0), std::abs(g1)) &&
            std::abs(found - expected) <= kLinearBeside * std::abs(expected);
    beside[side > 0 ? 1 : 0] = found;
  }
  grows = grows && !passes_zero(k, pole - shift, pole + shift, step);
  watch_end();
  if (!grows) return std::nullopt;
  return step_.t + step * (pole - shift + 2 * shift * beside[0] / (beside[0] - beside[1]));
}

// The smallest distance of these guards to their limits at the fraction theta of the step, negative beyond the limit; `first`, if not null, receives
// the guard that has it.
double Guards::room_at(double theta, double step, const std::vector<std::size_t>& guards, std::size_t* first) {
  method().interpolate(theta, step_.y.data(), step_.out.data());
  watch(step_.t + theta * step, step_.out.data(), qdd1(), false);
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t k : guards) {
    const double room = std::min(branches_.above(k), branches_.below(k));
    if (room < least) {
      least = room;
      if (first != nullptr) *first = k;
    }
  }
  return least;
}

// Searches for an interval [a, b], in fractions of the step, in which one of the guards leaves its level by more than `noise`. room_a and room_b
// receive room_at() at its ends. False if there is none.
bool Guards::brackets_crossing(double step, const std::vector<std::size_t>& guards, double noise, double& a, double& b,
                               double& room_a, double& room_b) {
  // Look at evenly spread points and at the extrema of the cubics.
  if (looks_.size() > kMostTurns) {
    std::nth_element(looks_.begin(), looks_.begin() + kMostTurns, looks_.end());
    looks_.resize(kMostTurns);
  }
  for (int i = 0; i <= kLooks; ++i) looks_.push_back(static_cast<double>(i) / kLooks);
  std::sort(looks_.begin(), looks_.end());
  a = 0;
  b = 2;
  rooms_.resize(looks_.size());
  rooms_of_.clear();
  const auto look = [&](std::size_t i) {
    rooms_[i] = room_at(looks_[i], step, guards, nullptr);
    for (const std::size_t k : guards) rooms_of_.push_back(std::min(branches_.above(k), branches_.below(k)));
  };
  std::size_t looked = 0;
  for (; looked < looks_.size() && b > 1; ++looked) {
    look(looked);
    const std::size_t i = looked;
    if (i > 0 && rooms_[i] < -noise) a = looks_[i - 1], b = looks_[i], room_a = rooms_[i - 1], room_b = rooms_[i];
  }
  // A minimum between the points may lie beyond the limit.
  for (std::size_t i = 1; i + 1 < looks_.size() && b > 1; ++i) {
    if (rooms_[i] > rooms_[i - 1] || rooms_[i] > rooms_[i + 1]) continue;
    if (dips_below(step, guards, noise, i, b, room_b)) a = looks_[i - 1], room_a = rooms_[i - 1];
  }
  if (guards.size() > 1 && looked < looks_.size()) look(looked);  // the neighbour of the last point, for dips beside it
  if (guards.size() > 1) find_hidden_dips(step, guards, noise, a, b, room_a, room_b);
  return b <= 1;
}

// Whether the least room of these guards is below −noise between the points looks_[i − 1] and looks_[i + 1], by golden sections. If so, before `b`, at which
// it was found first so far, `b` receives a point where it is, and `room_b` the room there.
bool Guards::dips_below(double step, const std::vector<std::size_t>& guards, double noise, std::size_t i, double& b,
                        double& room_b) {
  constexpr double kGolden = 0.6180339887498949;
  double low = looks_[i - 1], high = looks_[i + 1];
  for (int pass = 0; pass < 24; ++pass) {
    const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    const double at_left = room_at(left, step, guards, nullptr), at_right = room_at(right, step, guards, nullptr);
    const double best = std::min(at_left, at_right), theta = at_left < at_right ? left : right;
    if (best < -noise && theta < b) {
      b = theta;
      room_b = best;
      return true;
    }
    (at_left < at_right ? high : low) = at_left < at_right ? right : left;
  }
  return false;
}

// Another guard hides the minimum of a guard where it has less room itself: an impact or an event before that guard leaves its level. So each guard is looked at
// alone, by its rooms at the points that brackets_crossing() has looked at.
void Guards::find_hidden_dips(double step, const std::vector<std::size_t>& guards, double noise, double& a, double& b,
                              double& room_a, double& room_b) {
  const std::size_t count = guards.size(), points = rooms_of_.size() / count;
  for (std::size_t g = 0; g < count; ++g) {
    const auto room = [&](std::size_t i) { return rooms_of_[i * count + g]; };
    for (std::size_t i = 1; i + 1 < points && looks_[i - 1] < b; ++i) {
      // A parabola through the three points has its minimum above 0 if the room exceeds the second difference.
      const bool least = room(i) <= room(i - 1) && room(i) <= room(i + 1);
      if (!least || room(i) > room(i - 1) + room(i + 1) - 2 * room(i)) continue;
      alone_.assign(1, guards[g]);
      if (dips_below(step, alone_, noise, i, b, room_b)) a = looks_[i - 1], room_a = rooms_[i - 1];
    }
  }
}

// The first θ in (0, 1] at which one of the guards leaves its level, by the continuous extension; 2 when none does.
double Guards::first_crossing(double step, const std::vector<std::size_t>& guards, std::size_t& which) {
  double noise = 0;
  for (const std::size_t k : guards) noise = std::max(noise, branches_.noise(k));
  double a = 0, b = 0, room_a = 0, room_b = 0;
  if (!brackets_crossing(step, guards, noise, a, b, room_a, room_b)) return 2;
  // From here on only guards that have left their level at b count. If a guard begins the step at its limit, find an a
  // at which all of them have room.
  out_guards_ = guards;
  which = guards.front();
  if (guards.size() > 1) {
    room_at(b, step, guards, &which);
    std::erase_if(out_guards_,
                  [&](std::size_t k) { return !(std::min(branches_.above(k), branches_.below(k)) < -noise); });
    room_b = room_at(b, step, out_guards_, &which);
    room_a = room_at(a, step, out_guards_, nullptr);
  }
  for (int halvings = 0; halvings < 50 && !(room_a > noise) && a == 0; ++halvings) {
    const double theta = b / 2, value = room_at(theta, step, out_guards_, nullptr);
    if (value < 0)
      b = theta, room_b = value;
    else if (value > noise)
      a = theta, room_a = value;
    else
      break;
  }
  // The Illinois method: regula falsi that halves the weight of an end that stays twice in a row.
  const double enough = 2 * kEps * std::max(std::abs(step_.t), std::abs(step)) / std::abs(step);
  int stayed = 0;
  for (int pass = 0; pass < 80 && b - a > enough && room_a > 0; ++pass) {
    double theta = pass % 8 == 7 ? a + (b - a) / 2 : (a * room_b - b * room_a) / (room_b - room_a);
    if (!(theta > a && theta < b)) theta = a + (b - a) / 2;
    const double value = room_at(theta, step, out_guards_, nullptr);
    if (value < 0) {
      b = theta, room_b = value;
      if (stayed < 0) room_a /= 2;
      stayed = -1;
    } else {
      a = theta, room_a = value;
      if (stayed > 0) room_b /= 2;
      stayed = 1;
    }
  }
  // Regula falsi is slow where the guard begins the step very close to its limit and ends it far beyond.
  for (int pass = 0; pass < 60 && b - a > enough && room_a > 0; ++pass) {
    const double theta = a + (b - a) / 2;
    (room_at(theta, step, out_guards_, nullptr) < 0 ? b : a) = theta;
  }
  if (guards.size() > 1 || !branches_.is_gap(which)) room_at(b, step, out_guards_, &which);
  // Where a guard is 0, both searches stop, with b still far. Newton's method goes on from there (end_at), but not back to the beginning of a step, and not
  // without a rate: then the end of where it is 0 is sought.
  if (!branches_.has_rate(which) && !(room_a > 0)) {
    for (int pass = 0; pass < 60 && b - a > enough; ++pass) {
      const double theta = a + (b - a) / 2;
      (room_at(theta, step, out_guards_, nullptr) < -noise ? b : a) = theta;
    }
    room_at(b, step, out_guards_, &which);
  } else if (room_a == 0 && a > 0 && a < kBeginning) {
    b = a;
    room_at(b, step, out_guards_, &which);
  }
  return b;
}

}  // namespace dalembert::integration

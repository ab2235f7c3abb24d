// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/branch.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "dalembert/dynamics/numbers.h"

namespace dalembert {
namespace {

// The least step is this fraction of the range.
const double kLeastStep = std::exp2(-30);
// Slopes are taken over this fraction of a step: a power of 2, and wide enough that round-off of solutions does not count.
constexpr double kSlopePart = 1.0 / 64;
// The middle of a step may differ from that of the cubic by this fraction of what the step moves, the slope there by twice as much.
constexpr double kBend = 0.01;
// Solutions are good to this fraction of the largest entry; near singular ones only to the other.
constexpr double kSolutionError = 1e-11, kSingularError = 1e-5;
// Where all entries are about 0, round-off is taken of entries of this size.
constexpr double kSmallestSize = 1e-3;
constexpr int kMostBranchSteps = 1000;

// The point on the line through two points, beginning at `from`: from + part (to − other).
MotionPoint shifted(const MotionPoint& from, const MotionPoint& other, const MotionPoint& to, double part) {
  MotionPoint point = from;
  for (auto list : {&MotionPoint::q, &MotionPoint::v, &MotionPoint::vdot, &MotionPoint::lambda})
    for (std::size_t i = 0; i < (point.*list).size(); ++i)
      (point.*list)[i] += part * ((to.*list)[i] - (other.*list)[i]);
  return point;
}

// One entry of the points of a step, and its slopes times the step.
struct StepSamples {
  double a, m, b, slope_a, slope_m, slope_b;
};

// Whether the cubic through the ends passes through the middle.
bool is_cubic(const StepSamples& x, double roundoff) {
  const double size = std::max({std::abs(x.slope_a), std::abs(x.slope_m), std::abs(x.slope_b), std::abs(x.b - x.a)});
  const double middle = (x.a + x.b) / 2 + (x.slope_a - x.slope_b) / 8;
  const double slope = 1.5 * (x.b - x.a) - (x.slope_a + x.slope_b) / 4;
  return std::abs(x.m - middle) <= kBend * size + roundoff / kSlopePart &&
         std::abs(x.slope_m - slope) <= 2 * kBend * size + 2 * roundoff / kSlopePart;
}

// The largest difference of two points, relative to the sizes.
double largest_difference(const MotionPoint& a, const MotionPoint& b, double q_size, double v_size) {
  double most = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) most = std::max(most, std::abs(a.q[i] - b.q[i]) / q_size);
  for (std::size_t i = 0; i < a.v.size(); ++i) most = std::max(most, std::abs(a.v[i] - b.v[i]) / v_size);
  return most;
}

}  // namespace

Branch::Branch(double value, MotionPoint at, double range, Solve solve)
    : solve_(std::move(solve)),
      // Steps of the least size, and the parts of them, must not be lost in the digits of the value.
      least_(std::max(kLeastStep * range, std::exp2(-40) * (std::abs(value) + range))),
      q_size_(kSmallestSize),
      v_size_(kSmallestSize) {
  add(value, {at});
}

// Where this point is on the tangent, `by` in μ from here.
MotionPoint Branch::Known::predicted(double by) const { return beside ? shifted(at, at, *beside, by / gap) : at; }

void Branch::add(double value, const Known& point) {
  q_size_ = std::max(q_size_, largest_magnitude(point.at.q));
  v_size_ = std::max(v_size_, largest_magnitude(point.at.v));
  known_.insert_or_assign(value, point);
}

std::map<double, Branch::Known>::const_iterator Branch::nearest(double value) const {
  const auto above = known_.lower_bound(value);
  if (above == known_.end()) return std::prev(above);
  if (above == known_.begin()) return above;
  const auto below = std::prev(above);
  return value - below->first < above->first - value ? below : above;
}

std::optional<MotionPoint> Branch::reach(double value) {
  for (const auto* end : {&above_, &below_})
    if (*end && (end == &above_ ? value > (*end)->value + least_ : value < (*end)->value - least_)) {
      end_ = **end;
      return std::nullopt;
    }
  const auto start = nearest(value);
  double from = start->first, h = value - from;
  Known at = start->second;
  for (int steps = 0; from != value; ++steps) {
    const double to = std::abs(h) >= std::abs(value - from) ? value : from + h;
    const bool is_least = std::abs(to - from) <= least_;
    const std::optional<Known> next = is_least ? least_step(from, at, to) : step(from, at, to);
    if (next) {
      add(to, *next);
      from = to;
      at = *next;
      h *= 2;
    } else {
      if (is_least || steps >= kMostBranchSteps) {
        end_ = is_least ? ended(from, at.at, to) : BranchEnd{BranchEnd::How::kUnresolved, from};
        if (is_least) (value > from ? above_ : below_) = end_;
        return std::nullopt;
      }
      h = (to - from) / 2;
    }
  }
  return at.at;
}

std::optional<MotionPoint> Branch::find(double value) {
  auto found = solve_(value, nearest(value)->second.at);
  if (found) add(value, {*found});
  return found;
}

std::optional<Branch::Known> Branch::step(double from, const Known& known, double to) const {
  const double h = to - from, middle = from + h / 2, beside = kSlopePart * h, half = 0.5 / kSlopePart;
  const MotionPoint& at = known.at;
  auto after = solve_(from + beside, known.predicted(beside));
  if (!after && known.beside) after = solve_(from + beside, at);
  if (!after) return std::nullopt;
  const auto m = solve_(middle, shifted(at, at, *after, half));
  if (!m) return std::nullopt;
  const auto after_m = solve_(middle + beside, shifted(*m, at, *after, 1));
  if (!after_m) return std::nullopt;
  auto b = solve_(to, shifted(*m, *m, *after_m, half));
  if (!b) return std::nullopt;
  auto before_b = solve_(to - beside, shifted(*b, *m, *after_m, -1));
  if (!before_b) return std::nullopt;
  for (auto list : {&MotionPoint::q, &MotionPoint::v}) {
    const double roundoff = kSolutionError * (list == &MotionPoint::q ? q_size_ : v_size_);
    for (std::size_t i = 0; i < (at.*list).size(); ++i) {
      const double xa = (at.*list)[i], xm = ((*m).*list)[i], xb = ((*b).*list)[i];
      if (!is_cubic({xa, xm, xb, (((*after).*list)[i] - xa) / kSlopePart, (((*after_m).*list)[i] - xm) / kSlopePart,
                     (xb - ((*before_b).*list)[i]) / kSlopePart},
                    roundoff))
        return std::nullopt;
    }
  }
  return Known{*std::move(b), std::move(before_b), -beside};
}

std::optional<Branch::Known> Branch::least_step(double from, const Known& known, double to) const {
  const MotionPoint& at = known.at;
  const auto b = solve_(to, at);
  if (!b) return std::nullopt;
  const double change = largest_difference(at, *b, q_size_, v_size_);
  if (change <= kSingularError) return Known{*b};
  // Over a step that is about 64 times as long a move like h^(1/3) is 4 times as large.
  const double wider = std::copysign(32 * least_, to - from);
  const auto before = solve_(from - wider, nearest(from - wider)->second.at), after = solve_(to + wider, *b);
  const double most = largest_difference(before.value_or(at), after.value_or(*b), q_size_, v_size_);
  return change <= 0.5 * most ? std::optional(Known{*b}) : std::nullopt;
}

BranchEnd Branch::ended(double last, const MotionPoint& at, double beyond) const {
  if (folds(last, at, beyond)) return {BranchEnd::How::kFold, last};
  return {solve_(beyond, at) ? BranchEnd::How::kJump : BranchEnd::How::kNothing, last};
}

// Before a fold at x the branch has two halves, x ± c sqrt(distance): one is mirrored to find the other.
bool Branch::folds(double last, const MotionPoint& at, double beyond) const {
  for (const double steps : {0x1p14, 0x1p10, 0x1p6}) {
    const double value = last - std::copysign(steps * least_, beyond - last);
    const auto near = solve_(value, nearest(value)->second.at);
    if (!near) continue;
    const double far = largest_difference(*near, at, q_size_, v_size_);
    const MotionPoint mirrored = shifted(at, *near, at, 1);
    const auto other = solve_(value, mirrored);
    if (other && far > 0 && largest_difference(*other, mirrored, q_size_, v_size_) <= 0.3 * far) return true;
  }
  return false;
}

}  // namespace dalembert

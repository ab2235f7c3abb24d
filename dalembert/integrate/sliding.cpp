// SPDX-License-Identifier: Apache-2.0
// Sliding along a run (slide.h): where it begins, and where it ends.
//
// A guard may cross its limit and be pushed back at once from the other side (a force that changes its sign with a
// velocity). Then the motion stays at the limit: the run slides there, with the convex combination of both sides that
// keeps the guard's rate at zero, until that combination is no longer convex. Source: Filippov, Differential Equations
// with Discontinuous Righthand Sides, 1988, §4; Hairer, Nørsett & Wanner, II.6.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "dalembert/integrate/guards.h"

namespace dalembert::integration {
namespace {

// A slide ends where one of its shares is farther outside [0, 1] than this; the end is located to ten times this.
constexpr double kShareEnds = 1e-9;
// If a share comes nearer to 0 or 1 than kShareNear times its change in the step, it is evaluated at
// kSlideLooks points of the step.
constexpr double kShareNear = 0.25;
constexpr int kSlideLooks = 16;

}  // namespace

// Guard k has just taken its level. If the motion leads back at once from both sides, a slide begins.
bool Guards::stay_if_pushed_back(std::size_t k, bool upwards, double t, double* y, double* slope) {
  if (motion_.slides_on(k) || branches_.info(k).floor) return true;
  const double away = (upwards ? 1 : -1) * maker_.direction;
  if (!branches_.info(k).has_rate || away * branches_.rate(k) >= 0) return true;
  // Find out whether the motion leads back with the other sign of the guard, too.
  const double level = branches_.level(k);
  branches_.set_level(k, -level);
  hold_branches();
  if (!settle(t, y, slope)) return false;
  if (branches_.level(k) == -level && away * branches_.rate(k) > 0) {
    if (std::find(slid_.begin(), slid_.end(), k) == slid_.end()) {
      slid_.push_back(k);
      path_.verdict.warnings.push_back(
          fmt::format("the motion slides on `{}` = 0 from {} on: both sides lead there, and the equations are combined "
                      "so that it stays",
                      branches_.info(k).text, when(t).substr(3)));
    }
    branches_.set_level(k, 0);
    motion_.slide_on(k);
  } else {
    branches_.set_level(k, level);
  }
  hold_branches();
  return settle(t, y, slope);
}

// Whether shares that are within [0, 1] at both ends of the step leave [0, 1] in between; then they do so in [a, b].
bool Guards::leaves_slide_within(double& a, double& b) {
  const double step = step_.length;
  const std::size_t count = motion_.slides();
  bool near = false;
  for (std::size_t k = 0; k < count; ++k) {
    double least = motion_.shares[k], most = least;
    for (std::size_t i = k; i < motion_.shares.size(); i += count) {
      least = std::min(least, motion_.shares[i]);
      most = std::max(most, motion_.shares[i]);
    }
    near = near || std::min(least, 1 - most) < kShareNear * (most - least);
  }
  if (!near || !method().make_dense(motion_, step_.t, step_.y.data(), step_.y1.data(), step)) return false;
  manifold_.forget_residuals();
  const auto excess = [&](double theta) {
    std::size_t which = 0;
    double share = 0;
    method().interpolate(theta, step_.y.data(), step_.out.data());
    const bool evaluated = motion_.evaluate(step_.t + theta * step, step_.out.data(), step_.slope.data());
    return evaluated ? motion_.share_outside(which, share) : std::numeric_limits<double>::quiet_NaN();
  };
  const auto found = [&](double from, double to) {
    a = step_.t + from * step;
    b = step_.t + to * step;
    return true;
  };
  double value[3] = {-1, excess(0), 0};
  for (int i = 1; i <= kSlideLooks; ++i) {
    const double theta = static_cast<double>(i) / kSlideLooks, before = theta - 1.0 / kSlideLooks;
    value[2] = excess(theta);
    // Evaluate the maximum of the parabola through three points, if the middle one is the highest.
    if (i > 1 && value[1] >= value[0] && value[1] >= value[2]) {
      const double curvature = value[0] - 2 * value[1] + value[2], slope = (value[2] - value[0]) / 2;
      const double summit = before - (curvature < 0 ? slope / curvature : 0) / kSlideLooks;
      if (!(excess(summit) <= kShareEnds)) return found(before - 1.0 / kSlideLooks, summit);
    }
    if (!(value[2] <= kShareEnds)) return found(before, theta);
    value[0] = value[1];
    value[1] = value[2];
  }
  return false;
}

// Whether the slide ends within the step, where a share leaves [0, 1]. Then the step is made again to end there.
bool Guards::end_of_slide() {
  std::size_t which = 0;
  double share = 0;
  const auto outside = [&] {
    const bool evaluated = manifold_.evaluate(step_.t1, step_.y1.data(), method().last_slope());
    return evaluated ? motion_.share_outside(which, share) : std::numeric_limits<double>::quiet_NaN();
  };
  double a = step_.t, b = step_.t1, excess_b = 1;
  if (leaves_slide_within(a, b)) {
    manifold_.forget_residuals();
  } else {
    excess_b = outside();
    if (excess_b <= kShareEnds) return false;
  }
  while (!(excess_b <= 10 * kShareEnds) &&
         std::abs(b - a) > 16 * kEps * std::max(std::abs(step_.t), std::abs(step_.t1))) {
    const double middle = a + (b - a) / 2;
    manifold_.forget_residuals();
    if (!maker_.try_step(middle, middle - step_.t)) return true;
    const double excess = outside();
    (excess <= kShareEnds ? a : b) = middle;
    if (!(excess <= kShareEnds)) excess_b = excess;
  }
  manifold_.forget_residuals();
  if (!maker_.try_step(b, b - step_.t)) return true;
  outside();
  crossing_ = {which, share > 0.5};
  return true;
}

}  // namespace dalembert::integration

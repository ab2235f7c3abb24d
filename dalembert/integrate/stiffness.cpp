// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/stiffness.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "dalembert/integrate/method.h"

namespace dalembert::integration {
namespace {

// Hairer & Wanner II, IV.2: a motion is stiff after kHits steps that stability limits (hits), without
// kMisses others in a row between them.
constexpr int kHits = 15, kMisses = 6;
// If the run cannot change its method, only one step in this many is tested, until one is a hit.
constexpr int kStepsBetweenLooks = 1000;
// Up to this h·|eigenvalue| an explicit method could make the step as well, and more cheaply.
constexpr double kGentle = 2;
constexpr int kLongestWait = 10'000;

}  // namespace

bool Stiffness::arrive() {
  const bool may_change = options_.method == Method::kAuto;
  if (method().facts().implicit) {
    if (may_change && leaves()) {
      found_ = false;
      hits_ = misses_ = 0;
    }
  } else if (&method() == &maker_.explicit_pair() && !warned_ &&
             (may_change || path_.steps % kStepsBetweenLooks == 0 || hits_ > 0)) {
    watch();
  }
  return true;
}

// Tests whether stability limits the step of an explicit method.
void Stiffness::watch() {
  const RungeKutta& pair = maker_.explicit_pair();
  if (!(pair.stiffness(step_.y1.data(), std::abs(step_.length)) > pair.facts().stability)) {
    if (++misses_ == kMisses) hits_ = misses_ = 0;
    return;
  }
  misses_ = 0;
  if (++hits_ < kHits) return;
  if (options_.method == Method::kAuto) {
    found_ = true;
    gentle_ = 0;
    return;
  }
  warned_ = true;
  path_.verdict.warnings.push_back(fmt::format(
      "the equations look stiff {}: stability, not accuracy, limits the step; the method {}, or auto, takes "
      "longer ones",
      when(step_.t), name_of_implicit_method(options_.method)));
}

// Whether an explicit method could make steps as long as the recent ones. The largest eigenvalue comes from power
// iteration on the Jacobian, with one finite difference in each step.
bool Stiffness::leaves() {
  const double h = std::abs(step_.length);
  const std::size_t count = index(ny_);
  if (direction_.size() != count) {
    direction_.resize(count);
    for (std::size_t i = 0; i < count; ++i) direction_[i] = step_.y1[i] - step_.y[i];
    shifted_.resize(index(motion_.size()));
    slope_.resize(index(motion_.room()));
  }
  double length = 0, size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    length += direction_[i] * direction_[i];
    size += step_.y1[i] * step_.y1[i];
  }
  if (!(length > 0)) return false;
  const double epsilon = std::sqrt(kEps) * std::max(1e-3, std::sqrt(size)) / std::sqrt(length);
  std::copy_n(step_.y1.begin(), motion_.size(), shifted_.begin());
  for (std::size_t i = 0; i < count; ++i) shifted_[i] += epsilon * direction_[i];
  if (!motion_.evaluate(step_.t + h * maker_.direction, shifted_.data(), slope_.data())) return false;
  const double* here = method().last_slope();
  double product = 0;
  for (std::size_t i = 0; i < count; ++i) {
    direction_[i] = (slope_[i] - here[i]) / (epsilon * std::sqrt(length));
    product += direction_[i] * direction_[i];
  }
  const double eigenvalue = std::sqrt(product);
  gentle_ = h * eigenvalue < kGentle ? gentle_ + 1 : 0;
  if (gentle_ < wait_) return false;
  wait_ = std::min(2 * wait_, kLongestWait);
  direction_.clear();
  return true;
}

}  // namespace dalembert::integration

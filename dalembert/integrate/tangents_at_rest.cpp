// SPDX-License-Identifier: Apache-2.0
// Derivatives while a friction in a plane comes to rest. What a tangent has across the sliding falls as the speed does, at a rate ∝ 1/|v_s| that no displacement
// can find in the end. So the friction keeps its direction there, and what is left across it is taken by an impulse of the friction, as the motion would take it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "dalembert/dynamics/kinematics.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {
namespace {

// The speed below which a friction keeps its direction, in units of its terms. What is neglected of a tangent of positions is its square.
constexpr double kLastSpeed = 2e-6;
// By this angle a friction is turned to find what a force across it does.
constexpr double kSmallTurn = 1e-3;

}  // namespace

// Whether a friction in a plane is about to come to rest: it is slow at at_, and slower at the end of the step. Its direction is kept from here on.
bool Tangents::comes_to_rest() {
  FrictionSystem* friction = of_own_.workspace.friction.get();
  resting_.clear();
  if (friction == nullptr || own_.layout().planes.empty()) return false;
  std::vector<double> ends;
  friction->evaluate(own_, step_.t1, step_.y1.data(), step_.y1.data() + nq_, of_own_.workspace);
  for (const int j : own_.layout().planes) ends.push_back(friction->sliding_speed(j));
  find_state(at_, point_.data());
  friction->evaluate(own_, at_, point_.data(), point_.data() + nq_, of_own_.workspace);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const int j = own_.layout().planes[k];
    const double speed = friction->sliding_speed(j);
    if (friction->mode[static_cast<std::size_t>(j)].direction == 0 || friction->is_idle(j)) continue;
    if (!(speed > ends[k]) || !(speed <= kLastSpeed * friction->size_of_speeds(j))) continue;
    friction->turn_along(j, friction->speed(j), friction->speed(j + 1));
    friction->keep_along(j, std::numeric_limits<double>::infinity());  // displaced, too, which may be faster
    resting_.push_back(j);
  }
  return !resting_.empty();
}

// Whether a friction in a plane has come to rest at the end of the step.
bool Tangents::ends_at_rest() {
  FrictionSystem* friction = of_own_.workspace.friction.get();
  if (friction == nullptr || own_.layout().planes.empty()) return false;
  friction->evaluate(own_, step_.t1, step_.y1.data(), step_.y1.data() + nq_, of_own_.workspace);
  return std::ranges::any_of(own_.layout().planes, [&](int j) {
    return friction->mode[static_cast<std::size_t>(j)].direction != 0 && !friction->is_idle(j) &&
           friction->sliding_speed(j) <= kLastSpeed * friction->size_of_speeds(j);
  });
}

// Writes the change of the slopes by a force across friction j to `across`. False if they cannot be evaluated.
bool Tangents::find_across(int j, double t, const double* y, std::vector<double>& across) {
  FrictionSystem& friction = *of_own_.workspace.friction;
  const auto at = static_cast<std::size_t>(j);
  const double x = friction.mode[at].along, z = friction.mode[at + 1].along;
  std::vector<double> less;
  friction.turn_along(j, x + kSmallTurn * z, z - kSmallTurn * x);
  bool found = find_slope(t, y, less);
  friction.turn_along(j, x - kSmallTurn * z, z + kSmallTurn * x);
  found = found && find_slope(t, y, across);
  friction.turn_along(j, x, z);
  for (std::size_t i = 0; found && i < n_; ++i) across[i] -= less[i];
  return found;
}

bool Tangents::rest_across(double t, const double* y) {
  FrictionSystem& friction = *of_own_.workspace.friction;
  std::vector<double> across, faster;
  for (const int j : resting_) {
    const auto at = static_cast<std::size_t>(j);
    if (!find_across(j, t, y, across)) return false;
    const double x = friction.mode[at].along, z = friction.mode[at + 1].along;
    const auto speed_across = [&](const double* point) {
      friction.evaluate(own_, t, point, point + nq_, of_own_.workspace);
      return x * friction.speed(j + 1) - z * friction.speed(j);
    };
    faster.assign(y, y + of_own_.size());
    for (std::size_t i = 0; i < n_; ++i) faster[i] += across[i];
    const double by_force = speed_across(faster.data()) - speed_across(y);
    if (by_force == 0) continue;
    for (std::size_t k = 0; k < tangent_.size(); ++k) {
      const auto speed = [&](double, double* displaced, double* value) {
        *value = speed_across(displaced);
        return true;
      };
      if (!differentiate(k, displacement(k, tangent_[k].data()), tangent_[k].data(), y, 1, speed)) {
        lose_these({k}, "the state cannot be displaced", t);
        if (lost_) return false;
        continue;
      }
      for (std::size_t i = 0; i < n_; ++i) tangent_[k][i] -= result_[0] / by_force * across[i];
    }
  }
  return true;
}

}  // namespace dalembert::integration

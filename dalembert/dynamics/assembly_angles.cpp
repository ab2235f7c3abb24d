// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/assembly_angles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::assembly {
namespace {

constexpr double kTurn = 6.283185307179586476925286766559;
// Round-off of h after a turn: of the sine of an angle, and of the terms that cancel.
constexpr double kRoundOff = 1e3 * std::numeric_limits<double>::epsilon();

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Angles::Angles(const Dynamics& dynamics, Workspace& workspace, double t, const std::vector<double>& q)
    : dynamics_(dynamics), workspace_(workspace), t_(t), known_(q.size(), -1) {
  points_[0] = points_[1] = q;
  double golden = 0.3;
  for (double& x : points_[1]) {
    golden = std::fmod(golden + 0.6180339887498949, 1.0);
    x += 0.5 + golden;
  }
}

bool Angles::try_turn(int i) {
  for (int k = 0; k < 2; ++k) {
    const std::vector<double>& q = points_[k];
    if (h_[k].empty()) {
      evaluate_position(dynamics_, t_, q.data(), workspace_);
      h_[k] = workspace_.h;
    }
    turned_ = q;
    turned_[index(i)] += kTurn;
    evaluate_position(dynamics_, t_, turned_.data(), workspace_);
    double size = 1, most = 0;
    for (const double x : q) size = std::max(size, std::abs(x));
    for (std::size_t r = 0; r < h_[k].size(); ++r) {
      most = std::max(most, std::abs(workspace_.h[r] - h_[k][r]));
      size = std::max(size, std::abs(h_[k][r]));
    }
    if (!(most <= kRoundOff * size)) return false;
  }
  return true;
}

bool Angles::is_angle(int i) {
  if (known_[index(i)] < 0) known_[index(i)] = try_turn(i) ? 1 : 0;
  return known_[index(i)] == 1;
}

double Angles::turn_beyond(const std::vector<double>& step, double allowed) {
  double most = 0;
  for (std::size_t i = 0; i < step.size(); ++i)
    if (std::abs(step[i]) > std::max(most, allowed) && is_angle(static_cast<int>(i))) most = std::abs(step[i]);
  return most;
}

bool Angles::unwind(std::vector<double>& q, const std::vector<double>& from, const std::vector<int>& chosen) {
  bool any = false;
  for (const int i : chosen) {
    const double turns = std::round((q[index(i)] - from[index(i)]) / kTurn);
    if (turns == 0 || !std::isfinite(turns) || !is_angle(i)) continue;
    q[index(i)] -= turns * kTurn;
    any = true;
  }
  return any;
}

}  // namespace dalembert::assembly

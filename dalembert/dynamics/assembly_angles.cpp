// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/assembly_angles.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::assembly {
namespace {

constexpr double kTurn = 6.283185307179586476925286766559;
// Relative round-off that is allowed in the position constraints after a full turn: that of the sine of a large angle,
// and of terms that cancel.
constexpr double kRoundOff = 1e3 * std::numeric_limits<double>::epsilon();

}  // namespace

Angles::Angles(const Dynamics& dynamics, Workspace& workspace, double t, const std::vector<double>& q)
    : dynamics_(dynamics), workspace_(workspace), t_(t) {
  points_[0] = points_[1] = q;
  double golden = 0.3;
  for (double& x : points_[1]) {
    golden = std::fmod(golden + 0.6180339887498949, 1.0);
    x += 0.5 + golden;
  }
}

// Computes the position constraints h at test point k (0 or 1) unless they are known already. Returns by how much
// round-off may change them.
double Angles::measure(int k) {
  if (h_[k].empty()) {
    evaluate_position(dynamics_, t_, points_[k].data(), workspace_);
    h_[k] = workspace_.h;
  }
  double size = 1;
  for (const std::vector<double>* values : {&points_[k], &h_[k]})
    for (const double x : *values) size = std::max(size, std::abs(x));
  return kRoundOff * size;
}

// Turns coordinate i alone and compares all rows of h, also those in which W has no entry for i.
bool Angles::try_turn(int i) {
  for (int k = 0; k < 2; ++k) {
    const double allowed = measure(k);
    turned_ = points_[k];
    turned_[index(i)] += kTurn;
    evaluate_position(dynamics_, t_, turned_.data(), workspace_);
    for (std::size_t r = 0; r < h_[k].size(); ++r)
      if (!(std::abs(workspace_.h[r] - h_[k][r]) <= allowed)) return false;
  }
  return true;
}

// Coordinates that share no row are turned at the same time, so that a chain of any length takes few evaluations of h.
void Angles::find_angles() {
  const Layout& layout = dynamics_.layout();
  const std::size_t n = index(layout.nq);
  std::vector<int> place(index(layout.m), -1);
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k) place[index(layout.holonomic[k])] = static_cast<int>(k);
  std::vector<std::vector<std::size_t>> rows(n), groups;
  for (std::size_t k = 0; k < layout.W.row.size(); ++k)
    if (const int row = place[index(layout.W.row[k])]; row >= 0)
      rows[index(layout.W.col[k])].push_back(static_cast<std::size_t>(row));
  std::vector<std::vector<std::size_t>> groups_of_row(layout.holonomic.size());
  std::vector<std::size_t> taken;  // for each group: 1 + the last coordinate that may not join the group
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t r : rows[i])
      for (const std::size_t group : groups_of_row[r]) taken[group] = i + 1;
    std::size_t group = 0;
    while (group < groups.size() && taken[group] == i + 1) ++group;
    if (group == groups.size()) {
      groups.emplace_back();
      taken.push_back(0);
    }
    groups[group].push_back(i);
    for (const std::size_t r : rows[i]) groups_of_row[r].push_back(group);
  }
  known_.assign(n, 1);
  for (int k = 0; k < 2; ++k) {
    const double allowed = measure(k);
    for (const std::vector<std::size_t>& group : groups) {
      turned_ = points_[k];
      for (const std::size_t i : group) turned_[i] += kTurn;
      evaluate_position(dynamics_, t_, turned_.data(), workspace_);
      for (const std::size_t i : group)
        for (const std::size_t r : rows[i])
          if (!(std::abs(workspace_.h[r] - h_[k][r]) <= allowed)) known_[i] = 0;
    }
  }
}

bool Angles::is_angle(int i) {
  if (!dynamics_.layout().v_is_qdot) return false;
  if (known_.empty()) find_angles();
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
    if (turns == 0 || !std::isfinite(turns) || !is_angle(i) || !try_turn(i)) continue;
    q[index(i)] -= turns * kTurn;
    any = true;
  }
  return any;
}

}  // namespace dalembert::assembly

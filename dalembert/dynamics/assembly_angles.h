// SPDX-License-Identifier: Apache-2.0
// Private to assemble(): finds the coordinates that are angles, that is, whose full turns change no position
// constraint. Where velocities are not the rates of coordinates, no coordinate counts as an angle.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::assembly {

/// A coordinate is an angle if h stays the same at two points when the coordinate is increased by a full turn. The
/// first call of is_angle() tests all coordinates.
class Angles {
 public:
  Angles(const Dynamics& dynamics, Workspace& workspace, double t, const std::vector<double>& q);

  bool is_angle(int i);
  /// The largest step of an angle, in rad, if it exceeds `allowed`; else 0.
  double turn_beyond(const std::vector<double>& step, double allowed);
  /// Takes full turns out of q, so that each angle in `chosen` is within half a turn of `from`. True if q changed.
  bool unwind(std::vector<double>& q, const std::vector<double>& from, const std::vector<int>& chosen);

 private:
  double measure(int k);
  bool try_turn(int i);
  void find_angles();

  const Dynamics& dynamics_;
  Workspace& workspace_;
  const double t_;
  std::vector<double> points_[2], turned_, h_[2];
  std::vector<signed char> known_;  // for each coordinate, 1 if it is an angle; empty before the first is_angle()
};

}  // namespace dalembert::assembly

// SPDX-License-Identifier: Apache-2.0
// Private to assemble(): coordinates of which full turns leave all position constraints as they are. None where
// velocities are not their rates.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::assembly {

/// Finds out by trying: h at two points, each with the coordinate a full turn further. A coordinate is tried when it is
/// first asked about.
class Angles {
 public:
  Angles(const Dynamics& dynamics, Workspace& workspace, double t, const std::vector<double>& q);

  bool is_angle(int i);
  /// The largest step of an angle, in rad, if it exceeds `allowed`; else 0.
  double turn_beyond(const std::vector<double>& step, double allowed);
  /// Takes full turns out of q, so that no angle of `chosen` is further than half a turn from `from`. Whether one was.
  bool unwind(std::vector<double>& q, const std::vector<double>& from, const std::vector<int>& chosen);

 private:
  double measure(int k);
  bool try_turn(int i);
  void find_angles();

  const Dynamics& dynamics_;
  Workspace& workspace_;
  const double t_;
  std::vector<double> points_[2], turned_, h_[2];
  std::vector<signed char> known_;  // n, once they are looked for: whether a coordinate is an angle
};

}  // namespace dalembert::assembly

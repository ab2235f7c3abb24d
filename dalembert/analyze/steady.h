// SPDX-License-Identifier: Apache-2.0
// Equilibria and steady motions: states that do not change, but for cyclic coordinates (which nothing depends on).
//
//   r(q, v, 0, λ) = 0   c(q, v, 0) = 0   W v + a = 0   h(q) = 0   q̇_i = 0 of coordinates that are not cyclic
//
// Relative equilibria (relative.h) have v̇ = 0 of the velocities that do not follow from the others; the other v̇ are unknowns.
// Where symmetries turn the whole system (symmetries.h), a motion is steady up to them: (q̇, v̇) = Σ c_k X_k with constants c_k, unknowns too.
// Newton on all of q, v and λ with steps of least norm, so that a family of solutions is met where it is nearest.
#pragma once

#include <vector>

#include "dalembert/analyze/steady_system.h"

namespace dalembert {

struct SteadyOptions {
  std::vector<bool> hold_position = {}, hold_velocity = {};  ///< nq and nv, or empty: none
  int max_iterations = 60;                                   ///< of an attempt
  int restarts = 0;                                          ///< further attempts from places around the guess
  /// Damped steps before Newton's (Levenberg and Marquardt): to where a family is nearest, also where Newton would run along it
  /// to a point at which the slopes vanish.
  int damped = 0;
  double longest_step = 0.5;  ///< of a coordinate or velocity, relative to max(1, its magnitude)
};

struct SteadyState {
  bool found = false;
  MotionPoint at;  ///< v̇ = 0, but of velocities that follow, or of those that symmetries turn
  int iterations = 0;
};

SteadyState solve_steady(const SteadySystem& system, const MotionPoint& guess, const SteadyOptions& options = {});

/// How far a point is from being steady: the largest of the rows' values in units of what changes them by that much, a
/// number without unit. 0 at a solution.
double steady_distance(const SteadySystem& system, const MotionPoint& at);

}  // namespace dalembert

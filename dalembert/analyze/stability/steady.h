// SPDX-License-Identifier: Apache-2.0
// Equilibria and steady motions: states that do not change, except for cyclic coordinates (on which nothing depends).
//
//   r(q, v, 0, λ) = 0   c(q, v, 0) = 0   W v + a = 0   h(q) = 0   q̇_i = 0 for coordinates that are not cyclic
//
// where r = 0 are the equations of motion at v̇ = 0 and c = 0 the constraints on accelerations.
// Relative equilibria (relative.h) have v̇ = 0 only for velocities that do not follow from the others; the other v̇ are
// unknowns. Where symmetries turn the whole system (symmetries.h), a motion is steady up to them if (q̇, v̇) = Σ c_k
// X_k with constants c_k, which are unknowns too. The equations are solved by Newton's method on all of q, v and λ. Its
// steps have least norm, so that it leads to the nearest member of a family of solutions.
#pragma once

#include <vector>

#include "dalembert/analyze/stability/steady_system.h"

namespace dalembert {

struct SteadyOptions {
  std::vector<bool> hold_position = {}, hold_velocity = {};  ///< entries that are held: nq and nv flags, or empty: none
  int max_iterations = 60;                                   ///< largest number of Newton iterations in one attempt
  int restarts = 0;                                          ///< further attempts from places around the guess
  /// Number of damped steps (Levenberg and Marquardt) before Newton's method. They lead to the nearest member of a
  /// family, also where Newton's method would run along the family to a point at which the derivatives vanish.
  int damped = 0;
  double longest_step = 0.5;  ///< limit for the change of an entry of q or v, relative to max(1, its magnitude)
};

struct SteadyState {
  bool found = false;
  MotionPoint at;  ///< v̇ = 0, except for velocities that follow or that symmetries turn
  int iterations = 0;
};

SteadyState solve_steady(const SteadySystem& system, const MotionPoint& guess, const SteadyOptions& options = {});

/// The point after one more full step of Newton's method, with velocities that are 0 held: at a simple solution the same but for round-off,
/// where solutions coincide (x = 0 of x² = 0) a good part nearer to them.
MotionPoint step_on(const SteadySystem& system, const MotionPoint& at);

/// Whether every row is 0 up to round-off of its own terms, ∂(row)/∂z z. A row that is below round-off of 1 need not be: r φ'² with r = 900 and
/// φ' = 5e-10 is no steady motion, and 4 x³ at x = 5e-4 no equilibrium.
bool holds_by_its_terms(const SteadySystem& system, const MotionPoint& at);
/// The point itself if it holds by its terms; else the one with as few of its smallest entries put to 0 with which it does; the point itself if there is none.
/// Coordinates are small relative to `q_scale`, velocities to `speed`.
MotionPoint with_zeros(const SteadySystem& system, const MotionPoint& at, const std::vector<double>& q_scale,
                       double speed);

/// The distance of a point from being steady, without unit: the largest value of a row, relative to the row's largest
/// derivative in scaled variables. 0 at a solution.
double steady_distance(const SteadySystem& system, const MotionPoint& at);

}  // namespace dalembert

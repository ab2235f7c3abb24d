// SPDX-License-Identifier: Apache-2.0
// Where motions branch: a singular position, in which W has a lower rank than at neighbouring positions.
//
// A motion through it has a velocity v with W v = 0, and an acceleration, W q̈ = −γ(v), exists only if
//   uᵀ γ(v) = 0   for all u with uᵀW = 0                                                                  (1)
// Each uᵀγ is a quadratic form in v. If W leaves two dimensions of v, a form vanishes along no, one or two directions,
// and a motion must lie along a direction that all forms share. Condition (1) is only necessary. A direction counts as
// a motion if positions near the state lie along it, and approach the tangent as their distance shrinks. If a direction
// satisfies (1) without such positions, or is a double root of (1), the motions are not counted. If there is no position near the state, and no v
// satisfies (1), nothing can move: second-order rigidity implies rigidity.
// Sources: Müller, Local kinematic analysis of closed-loop linkages, J. Mechanisms Robotics 8 (2016) 041013; Connelly, Rigidity and
// energy, Invent. Math. 66 (1982) 11 to 33.
#pragma once

#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct MotionBranches {
  int rank = 0;         ///< rank of W at the state
  int rank_nearby = 0;  ///< largest rank of W at nearby positions; 0 where none was found
  bool alone = false;   ///< no nearby position was found, although W leaves velocities free and some rows are dependent
  /// Rows that are dependent (or vanish) at the state, but not at nearby positions if there are any.
  std::vector<int> rows;
  /// Whether the motions could be counted, which needs constraints without time, and one or two dimensions of v.
  bool counted = false;
  std::vector<std::vector<double>> directions;  ///< velocity of each motion, n numbers, scaled to a largest entry of 1
  enum class Given { kRest, kOne, kNone };
  Given given = Given::kNone;  ///< velocities of the state: all 0; they satisfy (1); they violate (1)

  bool singular() const { return rank < rank_nearby; }
  bool regular() const { return !singular() && !alone; }
  bool rigid() const { return alone && counted && directions.empty(); }
};

/// Finds the motions that pass through a consistent state. Systems larger than kSmallSystem are reported as regular.
MotionBranches find_motion_branches(const Dynamics& dynamics, const State& state);

}  // namespace dalembert

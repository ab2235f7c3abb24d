// SPDX-License-Identifier: Apache-2.0
// Where motions branch: a position in which W has a lower rank than beside it.
//
// A motion through it has a velocity v with W v = 0, and an acceleration, W q̈ = −γ(v), exists only if
//   uᵀ γ(v) = 0   for all u with uᵀW = 0                                                                  (1)
// γ is quadratic in v. On two dimensions of v one such form has none, one or two directions, and a motion belongs to those that all
// forms have. (1) is necessary only: a direction counts where positions beside the state lie along it, nearer and nearer to the
// tangent. Where one that satisfies (1) does not, nothing is counted. Where no position at all lies beside the state, and no v
// satisfies (1), nothing can move: second-order rigidity implies rigidity.
// Sources: Müller, Local kinematic analysis of closed-loop linkages, J. Mechanisms Robotics 8 (2016) 041013; Connelly, Rigidity and
// energy, Invent. Math. 66 (1982) 11 to 33.
#pragma once

#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct MotionBranches {
  int rank = 0;         ///< of W at the state
  int rank_nearby = 0;  ///< at positions beside it; 0 where none was found
  bool alone = false;   ///< whether none was found although W leaves motions free, and rows depend on others
  std::vector<int>
      rows;  ///< that depend on each other at the state (or vanish) and not beside it, if there are positions
  bool counted =
      false;  ///< whether the motions could be counted: no time in the constraints, one or two dimensions of v
  std::vector<std::vector<double>> directions;  ///< n each: velocities of the motions, the largest entry 1
  enum class Given { kRest, kOne, kNone };
  Given given = Given::kNone;  ///< what the state's velocities satisfy: nothing moves; (1); not (1)

  bool singular() const { return rank < rank_nearby; }
  bool regular() const { return !singular() && !alone; }
  bool rigid() const { return alone && counted && directions.empty(); }
};

/// At a consistent state. For systems up to kSmallSystem; others are reported as regular.
MotionBranches find_motion_branches(const Dynamics& dynamics, const State& state);

}  // namespace dalembert

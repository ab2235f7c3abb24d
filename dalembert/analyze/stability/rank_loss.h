// SPDX-License-Identifier: Apache-2.0
// Points at which W has a lower rank than nearby: motions branch there, the states that the constraints allow do not
// form a smooth manifold, and a linearisation says nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/analyze/stability/steady.h"

namespace dalembert {

struct RankLoss {
  bool lost = false;
  int rank = 0, rank_nearby = 0;  ///< rank of W at the point, and nearby; 0 where no position was found nearby
  /// The point itself, or a singular position so near that residuals do not distinguish the two
  /// (dynamics/singular_position.h).
  State at;
  /// Whether G − F = Wᵀλ has a solution at the singular position, so that it is an equilibrium. Near it, multipliers
  /// without bound only seem to balance the forces.
  bool balanced = false;
  /// Whether rows of W differ by more than round-off, but so little that multipliers cannot be trusted.
  bool nearly_dependent = false;
  /// Rows that are 0 here but for round-off, where the other rows have the rank that W has here and nearby: they say nothing. Their
  /// directions are round-off, and as rows of norm 1 they would count.
  std::vector<std::size_t> vanishing = {};
};

/// Examines the rank of W at a state that satisfies the constraints.
RankLoss find_rank_loss(const SteadySystem& system, const State& state);

/// "the constraints have rank 4 here and 5 beside it: …"
std::string describe(const RankLoss& loss);

}  // namespace dalembert

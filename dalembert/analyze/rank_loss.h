// SPDX-License-Identifier: Apache-2.0
// Points at which W has a lower rank than beside them: motions branch there, the states that the constraints allow are no
// smooth manifold, and a linearisation says nothing.
#pragma once

#include <string>

#include "dalembert/analyze/steady.h"

namespace dalembert {

struct RankLoss {
  bool lost = false;
  int rank = 0, rank_nearby = 0;  ///< of W there, and beside it; 0 where no position was found beside it
  /// The point itself, or the singular position that residuals cannot tell it from (dynamics/singular_position.h).
  State at;
  /// Whether G − F = Wᵀλ has a solution there: at rest it is an equilibrium. Beside it multipliers without bound pretend one.
  bool balanced = false;
  /// Whether rows differ by so little that it is no round-off, and multipliers no numbers to trust.
  bool nearly_dependent = false;
};

/// At a point that satisfies the constraints.
RankLoss find_rank_loss(const SteadySystem& system, const State& state);

/// "W loses rank here (4, and 5 beside it): …"
std::string describe(const RankLoss& loss);

}  // namespace dalembert

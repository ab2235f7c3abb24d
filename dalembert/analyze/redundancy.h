// SPDX-License-Identifier: Apache-2.0
// What W says at one state: which rows follow from others and how, and which motions are left.
#pragma once

#include <utility>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct RedundantRow {
  int row = 0;
  std::vector<std::pair<int, double>> combination;  ///< row = Σ coefficient · other row, independent ones before it
  bool consistent = true;                           ///< the same holds of a and γ, or no motion could satisfy both
};

struct ConstraintRank {
  int rank = 0;
  std::vector<RedundantRow> redundant;
  std::vector<std::vector<double>> free_motions;  ///< nv numbers each, W v = 0; each 1 where the others are 0
};

/// Dense: O(m² n).
ConstraintRank find_rank(const Dynamics& dynamics, const State& state);

}  // namespace dalembert

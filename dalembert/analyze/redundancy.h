// SPDX-License-Identifier: Apache-2.0
// What W says at one state: which rows follow from others and how, and which motions are left.
//
// A row is measured by its distance from the span of the rows before it, as a part of its length (the sine of the angle).
// Distances of round-off are 0 in numbers. Where formulas say that a row follows from those before it, and the others are
// independent, it follows exactly, whatever the numbers. A row that is further away is independent, also where it is by 1e-8
// only: then it is nearly dependent, which is said, and counts.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct RedundantRow {
  int row = 0;
  std::vector<std::pair<int, double>> combination;  ///< row = Σ coefficient · other row, independent ones before it
  bool consistent = true;                           ///< the same holds of a and γ, or no motion could satisfy both
  double distance = 0;  ///< from the span of the rows before it, relative to its length; 0 of one that vanishes
  bool exact = false;   ///< formulas say so
};

struct ConstraintRank {
  int rank = 0;  ///< nearly dependent rows count
  std::vector<RedundantRow> redundant;
  std::vector<RedundantRow> nearly;               ///< independent, but hardly: what they nearly are
  double least_independent = 1;                   ///< the smallest distance of a row that counts
  std::vector<std::vector<double>> free_motions;  ///< nv numbers each, W v = 0; each 1 where the others are 0

  /// Whether every row that follows does so by formulas: then W has this rank beside the state, too.
  bool all_exact() const { return std::ranges::all_of(redundant, &RedundantRow::exact); }
};

/// Distances below which independent rows are nearly dependent.
inline constexpr double kNearlyDependent = 1e-6;

/// Dense: O(m² n). `equations`, of the same system, decide exactly what formulas decide (rows_that_follow() in
/// integrability.h); without them numbers do.
ConstraintRank find_rank(const Dynamics& dynamics, const State& state, const Equations* equations = nullptr);

}  // namespace dalembert

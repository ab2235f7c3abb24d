// SPDX-License-Identifier: Apache-2.0
// The rank of W at one state: which rows follow from others, in which combination, and which motions are left.
//
// A row is measured by its distance from the span of the rows before it, relative to its length (the sine of the
// angle). A distance that is round-off counts as 0. Where formulas say that a row follows from those before it, and the
// other rows are independent, it follows exactly, whatever the numbers. All other rows are independent. A row whose
// distance is only 1e-8 counts as independent too, but is reported as nearly dependent.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct RedundantRow {
  int row = 0;
  std::vector<std::pair<int, double>> combination;  ///< row = Σ coefficient · (independent row before it)
  bool consistent = true;                           ///< entries of a and γ combine likewise; else no motion exists
  double distance = 0;  ///< distance from the span of the rows before it, relative to its length; 0 if the row vanishes
  bool exact = false;   ///< formulas prove that the row follows
};

struct ConstraintRank {
  int rank = 0;  ///< number of independent rows; nearly dependent ones count
  std::vector<RedundantRow> redundant;
  std::vector<RedundantRow> nearly;  ///< nearly dependent rows, with the combination that they nearly are
  /// Smallest distance of an independent row from the span of the rows before it, relative to its length.
  double least_independent = 1;
  std::vector<std::vector<double>> free_motions;  ///< basis of W v = 0; each has a 1 where the others are 0

  /// Whether every dependent row is proved so by formulas: then W has this rank near the state, too.
  bool all_exact() const { return std::ranges::all_of(redundant, &RedundantRow::exact); }
};

/// An independent row is nearly dependent if its distance from the span of the rows before it is below this.
inline constexpr double kNearlyDependent = 1e-6;

/// Finds the rank of W. Dense: O(m² n). With `equations` of the same system, formulas decide exactly where they can
/// (rows_that_follow() in integrability.h); without them numbers decide.
ConstraintRank find_rank(const Dynamics& dynamics, const State& state, const Equations* equations = nullptr);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// What is known of the constraints of a system: which rows follow from others, and which constrain positions.
//
// The rank of W at one state: which rows follow from others, in which combination, and which motions are left.
//
// A row is measured by its distance from the span of the rows before it, relative to its length (the sine of the
// angle). A distance that is round-off counts as 0. Where formulas say that a row follows from those before it, and the
// other rows are independent, it follows exactly, whatever the numbers. All other rows are independent. A row whose
// distance is only 1e-8 counts as independent too, but is reported as nearly dependent.
//
// Which constraints on velocities are integrable: they are constraints on positions in disguise (theory §5).
//
// The distribution Δ of the motions that W q̇ + a = 0 allows, with the direction of time, is spanned by fields that are
// computed at a generic point. Brackets enlarge it, Δ^{k+1} = Δ^k + [Δ¹, Δ^k]. Where it stops growing, the number of
// dimensions that are missing is the number of integrable combinations of rows (distribution.h).
//
// Ranks are those at a random point of a prime field in which functions are independent symbols (function_field.h).
// Rows that are independent there are independent. Rows that are dependent there are dependent, except with a
// probability of about degree/2⁶¹ (J. T. Schwartz, J. ACM 27 (1980) 701-717). Where more relations may hold between
// functions, and on the manifold of holonomic rows, numbers with error bounds (bounded_number.h) must reach the same
// dimensions, which are then exact as well; otherwise the dimensions found in numbers are given.
// Source: A. Isidori, Nonlinear Control Systems, 3rd ed., Springer 1995, ch. 2; Neimark & Fufaev, ch. I.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
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
  /// Whether entries of a combine likewise at other positions nearby too; no value where that is not decided. If not, the rows hold together only
  /// at some of the positions where each of them holds.
  std::optional<bool> consistent_nearby = {};
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
  /// RedundantRow::consistent_nearby of all dependent rows together.
  std::optional<bool> agrees_nearby() const {
    std::optional<bool> all = true;
    for (const RedundantRow& row : redundant) {
      if (row.consistent_nearby == false) return false;
      if (!row.consistent_nearby) all.reset();
    }
    return all;
  }
};

/// An independent row is nearly dependent if its distance from the span of the rows before it is below this.
inline constexpr double kNearlyDependent = 1e-6;

/// Finds the rank of W. Dense: O(m² n). With `equations` of the same system, formulas decide exactly where they can,
/// and it is decided what holds nearby; without them numbers decide.
ConstraintRank find_rank(const Dynamics& dynamics, const State& state, const Equations* equations = nullptr);

struct FirstIntegral {
  std::string row;
  Expr function;  ///< function of q and t that is constant along every motion
};

struct Integrability {
  std::string kind;            ///< "holonomic", "nonholonomic", "mixed", "undecided"; "none" without constraints
  int rank = 0;                ///< rank of W at a generic point
  int integrable = 0;          ///< least number of independent combinations of rows that constrain positions
  int integrable_at_most = 0;  ///< upper bound of that number; equal to it where growth was followed to its end
  std::vector<int> growth;  ///< dimensions, time not counted, of Δ¹ (the allowed motions), Δ² (with brackets), …
  bool exact = false;       ///< every dimension is proved, none rests only on numbers at a random point
  bool complete = true;     ///< growth was followed to its end; false where that would have been too much work
  std::string why_undecided;                   ///< why nothing is known of growth, where that is so
  std::vector<FirstIntegral> first_integrals;  ///< first integrals of Pfaffian rows
  std::shared_ptr<Graph> graph;                ///< graph of the functions of first integrals
};

/// The integrability of the rows, with the parameter values of `dynamics`. It holds on the manifold of the holonomic
/// rows near a consistent state `near`, for the pieces of piecewise functions there; without `near`, on generic levels
/// of these rows. First integrals are found only where the velocities are q̇. `rank`: rank of W on the manifold near the
/// state, where it is known (find_rank()); positions where W has another rank then decide nothing.
Integrability find_integrability(const Equations& equations, const Dynamics& dynamics, const State* near = nullptr,
                                 std::optional<int> rank = {});

}  // namespace dalembert

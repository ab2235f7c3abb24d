// SPDX-License-Identifier: Apache-2.0
// Which frictions, and which multipliers in forces, of two models are the same one. Inside analyze only.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/analyze/audit/given_forces.h"
#include "dalembert/analyze/audit/translation.h"

namespace dalembert {

bool is_holonomic(const Equations& equations, std::size_t row);
/// h of a holonomic row, else W v + a.
Expr value_of_row(const Equations& equations, std::size_t row);

/// What of `here` belongs to something of `there`, which is `factor` times it; null where nothing does.
struct LoadMatch {
  std::size_t index = 0;
  Expr factor;
  /// Of a friction in a plane: v' = K v with K = ((k₁, −k₂), (k₂, k₁)), mirrored ((k₁, k₂), (k₂, −k₁)), and KᵀK = κ² I; the factor is κ.
  std::array<Expr, 2> turn{};
  bool mirrored = false;
  bool only =
      true;  ///< no other friction of either model has a multiple of this speed, so that their sum may be the same
};

/// Finds matches, and lets the translation write the given forces of `there` by those of `here`. The functions return false where a symbol is missing.
/// `scale` σ: the equations of `there` are σ times those of `here`, and so are its forces.
class LoadMatches {
 public:
  LoadMatches(Translation& translation, Canonicalizer& canonicalizer, Expr scale)
      : translation_(translation), canonicalizer_(canonicalizer), scale_(std::move(scale)) {}
  using Matches = std::vector<std::pair<std::size_t, LoadMatch>>;

  /// For each row of `there` on whose multiplier forces depend, the row of `here` of which it is k times: λ' = σ λ/k.
  bool of_rows(const GivenForces& here, const GivenForces& there);
  /// For each friction of `there`, by its first direction, the one of `here` whose sliding speed on the states is κ times its own, κ a formula of positions: f' = σ f/κ, in a plane
  /// σ K f/κ², has σ times the power. `free`: the velocities of which the speeds on the states are formulas.
  bool of_frictions(const GivenForces& here, const GivenForces& there, const Conditions& states,
                    const std::vector<Expr>& free);

  const Matches& rows() const { return rows_; }
  const Matches& frictions() const { return frictions_; }

 private:
  using Speeds = std::vector<Expr>;  // one component, or two of a friction in a plane
  std::optional<LoadMatch> factor(const Speeds& here, const Speeds& there, const std::vector<Expr>& free);
  std::optional<LoadMatch> turned(const Speeds& here, const Speeds& there, const std::array<Expr, 2>& turn,
                                  bool mirrored);
  std::optional<std::size_t> steady_column(const std::vector<Expr>& squares);
  Expr cleaned(const Expr& e);
  void translate(const GivenForces& here, const GivenForces& there, std::size_t j, const LoadMatch& match);

  Translation& translation_;
  Canonicalizer& canonicalizer_;
  Expr scale_;
  Matches rows_, frictions_;
};

/// Whether something belongs to number i of `here`.
bool is_matched(const LoadMatches::Matches& matches, std::size_t i);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Which frictions, and which multipliers in forces, of two models are the same one. Inside analyze only.
#pragma once

#include <cstddef>
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
  bool only =
      true;  ///< no other friction of either model has a multiple of this speed, so that their sum may be the same
};

/// Finds matches, and lets the translation write the given forces of `there` by those of `here`. Both functions return false where a symbol is missing.
class LoadMatches {
 public:
  LoadMatches(Translation& translation, Canonicalizer& canonicalizer)
      : translation_(translation), canonicalizer_(canonicalizer) {}
  using Matches = std::vector<std::pair<std::size_t, LoadMatch>>;

  /// For each row of `there` on whose multiplier forces depend, the row of `here` of which it is k times: λ' = λ/k.
  bool of_rows(const GivenForces& here, const GivenForces& there);
  /// For each friction of `there` the one of `here` whose sliding speed on the states is κ times its own: f' = f/κ has the same power. None of a
  /// friction in a plane.
  bool of_frictions(const GivenForces& here, const GivenForces& there, const Conditions& states);

  const Matches& rows() const { return rows_; }
  const Matches& frictions() const { return frictions_; }

 private:
  Translation& translation_;
  Canonicalizer& canonicalizer_;
  Matches rows_, frictions_;
};

/// Whether something belongs to number i of `here`.
bool is_matched(const LoadMatches::Matches& matches, std::size_t i);

}  // namespace dalembert

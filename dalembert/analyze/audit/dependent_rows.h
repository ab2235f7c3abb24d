// SPDX-License-Identifier: Apache-2.0
// Equations with rows that follow from others: the motion is unique, some multipliers are not. Inside analyze only.
//
// Let row r be Σ c_rj (row j) with its γ, for each row r that is left out. The constraint forces are Wᵀλ = W_keptᵀ μ with
//
//   μ_j = λ_j + Σ_r c_rj λ_r
//
// so that M q̈ = F − B − G + W_keptᵀ μ, W_kept q̈ = −γ_kept determine q̈ and μ. λ_j is unique where no c_rj is there; the λ_r are not determined.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct WithoutDependentRows {
  Equations equations;  ///< without the rows that follow; the multiplier of row j is the symbol of λ_j and means μ_j
  std::vector<int> place;                          ///< the new index of each row, −1 of those that follow
  std::unordered_map<SymbolId, Expr> multipliers;  ///< μ_j − Σ c_rj λ_r, for each λ_j that is not unique
  std::vector<SymbolId> open;                      ///< the λ_r
  std::vector<Expr> divisors;                      ///< the rows follow where none of these is 0
  std::string says;                                ///< "the row c follows from a and b"
};

/// No value where the rows are independent, or rows were not proved to follow from at most five others.
std::optional<WithoutDependentRows> without_dependent_rows(const Equations& equations, Canonicalizer& canonicalizer,
                                                           const KnownSigns& signs);

}  // namespace dalembert

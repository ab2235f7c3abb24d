// SPDX-License-Identifier: Apache-2.0
// Claims about q̈ and λ that are sums of a few equations. Inside analyze only.
//
// The motion solves K x = r, x = (q̈, λ, F_a). What is claimed, x_k − f(x) with f linear, is 0 on every motion exactly when
//
//   x_k − f(x) = cᵀ (K x − r),     Kᵀ c = ∂(x_k − f)/∂x                                                       (1)
//
// c is found in numbers first: a person who derived f by hand used few of the rows. Those are solved for as formulas,
// and (1) is proved as an identity. O((N+m)³) in numbers, a system of at most kMostSummands in formulas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/conditions.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct RowCombination {
  std::vector<std::string> rows;  ///< "eom[x]", "the constraint pin on accelerations"
  std::vector<Expr> divisors;     ///< it has no value where one of them is 0
};

/// Nothing where c has more entries, or (1) is not proved. The conditions must not be about what the equations determine.
std::optional<RowCombination> combine_rows(const Equations& equations, Canonicalizer& canonicalizer,
                                           const Conditions& conditions, const Expr& unknown, const Expr& claimed);

}  // namespace dalembert

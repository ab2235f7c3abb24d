// SPDX-License-Identifier: Apache-2.0
// Proves claims about q̈ and λ as linear combinations of a few equations. Inside analyze only.
//
// The motion solves K x = r, x = (q̈, λ, F_a). A claim x_k = f(x), f linear, holds on every motion exactly when there is a c with
//
//   x_k − f(x) = cᵀ (K x − r),     Kᵀ c = ∂(x_k − f)/∂x                                                       (1)
//
// c is found in numbers first; if f was derived by hand, few entries of c are not 0. These are solved for as formulas,
// and (1) is proved as an identity. O((N+m)³) in numbers, a system of at most kMostSummands in formulas.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct RowCombination {
  std::vector<std::string> rows;  ///< names of the equations: "eom[x]", "the constraint pin on accelerations"
  std::vector<std::pair<std::size_t, Expr>>
      coefficients;            ///< c without its zeros: equations of motion first, then constraints
  std::vector<Expr> divisors;  ///< the combination has no value where one of them is 0
};

/// No value where more than kMostSummands entries of c are not 0, or (1) is not proved. The conditions must not contain
/// symbols of unknowns_of_motion().
std::optional<RowCombination> combine_rows(const Equations& equations, Canonicalizer& canonicalizer,
                                           const Conditions& conditions, const Expr& unknown, const Expr& claimed);

/// A row of the equations that says c·(unknown − claimed) = 0, where c is the coefficient of the unknown in that row.
struct SayingRow {
  std::string says;  ///< "it is the equation eom[x]"
  Expr coefficient;
};
/// The unknown q̈ or λ; what is claimed of it, with the conditions put in; the claim as it was written.
struct ClaimedUnknown {
  Expr unknown, claimed, written;
};
/// A row that says what is claimed of the entry `qdd[…]` or `lambda[…]`, proved; no value where there is none.
std::optional<SayingRow> row_that_says_it(const Equations& equations, Canonicalizer& canonicalizer,
                                          const Conditions& conditions, const EntryName& entry,
                                          const ClaimedUnknown& of);

}  // namespace dalembert

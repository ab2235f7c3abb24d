// SPDX-License-Identifier: Apache-2.0
// Formulas that have no value where conditions hold (mostly 0/0), and their limits there. Inside analyze only.
#pragma once

#include <optional>
#include <string>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// A part of a formula that has no value under the conditions.
struct NoValue {
  Expr vanishing;    ///< the part of the formula that is 0 under the conditions
  std::string text;  ///< reason as text: "it divides by x, which is 0 there"
};
std::optional<NoValue> find_no_value(Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& formula,
                                     Notation notation);

/// lim f for s → value, by power series in s − value with coefficients in the other symbols. No value where the series
/// has negative powers, or where it is undecided whether its leading coefficient is 0.
std::optional<Expr> limit(Canonicalizer& canonicalizer, const Expr& f, SymbolId s, const Expr& value);

/// A symbol that the conditions determine, such that `vanishing` is not 0 while the symbol approaches its value.
std::optional<SymbolId> approached_symbol(Canonicalizer& canonicalizer, const Conditions& conditions,
                                          const Expr& vanishing);

/// The formula with every condition put in except the one for s.
Expr apply_but(const Conditions& conditions, SymbolId s, const Expr& formula);

/// An entry and a claim before conditions are put in, and the claim as it is stated.
struct ComparedSides {
  Expr correct, claimed, stated;
};
/// Why one of the sides has no value where the conditions hold, with its limit there: "the claim has no value where the conditions hold: it
/// divides by x, which is 0 there; its limit for x -> 0 is k"; nothing where no reason is found.
std::optional<std::string> explain_no_value(Canonicalizer& canonicalizer, const Conditions& conditions,
                                            const ComparedSides& sides, Notation notation);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Formulas that have no value where conditions hold, 0/0 above all, and what they tend to. Inside analyze only.
#pragma once

#include <optional>
#include <string>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/conditions.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// A part of a formula that has no value under the conditions.
struct NoValue {
  Expr vanishing;    ///< what is 0 there, as it stands in the formula
  std::string text;  ///< "it divides by x, which is 0 there"
};
std::optional<NoValue> find_no_value(Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& formula,
                                     Notation notation);

/// lim f for s → value, by power series in s − value with coefficients in the other symbols. Nothing where the series
/// has negative powers, or where it is not known whether its leading coefficient is 0.
std::optional<Expr> limit(Canonicalizer& canonicalizer, const Expr& f, SymbolId s, const Expr& value);

/// A symbol that the conditions determine and whose approach to its value makes `vanishing` nonzero.
std::optional<SymbolId> approached_symbol(Canonicalizer& canonicalizer, const Conditions& conditions,
                                          const Expr& vanishing);

/// The formula with every condition put in but that for s.
Expr apply_but(const Conditions& conditions, SymbolId s, const Expr& formula);

}  // namespace dalembert

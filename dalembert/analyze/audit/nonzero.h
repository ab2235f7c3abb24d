// SPDX-License-Identifier: Apache-2.0
// Divisors must not be 0: decides which factors never are, and writes the conditions for the others. Inside analyze only.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// ±1 for symbols whose sign is known: parameters to which the model gives a value other than 0.
using KnownSigns = std::unordered_map<SymbolId, int>;
KnownSigns known_signs(const Model& model);
/// What is assumed of symbols whose sign matters, positive where none is known: "L > 0".
std::string sign_text(const Graph& graph, SymbolId symbol, const KnownSigns& signs, Notation notation);

/// Whether the expression is certainly not 0 wherever it has a value: a number, a product of parameters of known sign,
/// exp, cosh, x² + 1 … False means that this is not known.
bool never_zero(const Expr& expression, const KnownSigns& signs);

/// Whether the expression is certainly positive wherever it has a value: a sum of squares and 1, exp, a product of
/// parameters of which an even number is negative …
bool always_positive(const Expr& expression, const KnownSigns& signs);

/// Whether the expression certainly has no value of one of the signs: a square, −x⁴ − y². Where such a function is 0 its derivatives are 0 or do not exist.
bool keeps_sign(const Expr& expression, const KnownSigns& signs);

/// For each factor that may be 0 the condition that it is not: "sin(theta) != 0", "m1 != m2"; empty where there are none.
std::vector<std::string> must_not_vanish(Canonicalizer& canonicalizer, const Expr& expression, const KnownSigns& signs,
                                         Notation notation);

}  // namespace dalembert

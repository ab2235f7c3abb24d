// SPDX-License-Identifier: Apache-2.0
// Expressions as rows of tokens (formula.h): what print.h joins to texts, and the pieces for printers of other forms.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/formula.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/symbol_name.h"

namespace dalembert {

/// Symbols that stand for definitions, with the definitions' numbers: they become kName tokens.
using FormulaNames = std::unordered_map<SymbolId, int>;
/// What print joins to a text.
Formula formula(const Expr& expression, Notation notation, const FormulaNames* names = nullptr);

// The pieces, for printers of other forms (algebra). Their brackets have no partners yet: match_brackets.

/// `decimals`: also fractions with small denominators that a decimal can be are one, but halves, quarters, eighths.
Formula number_formula(const Rational& value, Notation notation, bool decimals = false);

/// One factor of c · Π base^exponent. Negative exponents go below a fraction bar.
struct PrintedFactor {
  Formula base;
  bool atomic = true;  ///< needs no parentheses as a factor or base
  Rational exponent = 1;
  Powers powers = Powers::kAfter;  ///< of the base, where it is one function
};
/// Prints without a sign: `coefficient` must be positive.
Formula product_formula(const Rational& coefficient, std::vector<PrintedFactor> factors, Notation notation,
                        bool decimals = false);
/// Between terms, " + " or " - "; in front of the first a minus or nothing.
void add_sign(FormulaWriter& writer, bool negative, Notation notation);
/// Wraps in parentheses.
Formula parenthesized(Formula inner, Notation notation);
/// sin(x), \sin x; `argument_atomic`: a single symbol, which LaTeX writes without parentheses.
Formula function_formula(Op op, std::vector<Formula> arguments, bool argument_atomic, Notation notation);
/// "(too large to print: 30000 operations)", in the notation's way.
Formula size_note(std::size_t operations, Notation notation);

}  // namespace dalembert

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

/// Symbols that are names of definitions, with the number of the definition. They become kName tokens.
using FormulaNames = std::unordered_map<SymbolId, int>;
/// The tokens that print() joins.
Formula formula(const Expr& expression, Notation notation, const FormulaNames* names = nullptr);

// Building blocks for other printers (algebra). Their brackets are not matched yet: call match_brackets().

/// If `decimals` is set, fractions with small denominators are decimals as well if that is exact, except halves, quarters and eighths.
Formula number_formula(const Rational& value, Notation notation, bool decimals = false);

/// One factor of c · Π base^exponent. Negative exponents go below a fraction bar.
struct PrintedFactor {
  Formula base;
  bool atomic = true;  ///< the base needs no parentheses as a factor or as the base of a power
  Rational exponent = 1;
  Powers powers = Powers::kAfter;  ///< how the base takes an exponent, if it is a function
};
/// Prints a product without its sign: `coefficient` must be positive.
Formula product_formula(const Rational& coefficient, std::vector<PrintedFactor> factors, Notation notation,
                        bool decimals = false);
/// Adds the sign of a term: " + " or " - " between terms, a minus sign or nothing before the first term.
void add_sign(FormulaWriter& writer, bool negative, Notation notation);
/// Puts a formula into parentheses.
Formula parenthesized(Formula inner, Notation notation);
/// A function call, sin(x) or \sin x. `argument_atomic`: the argument is a single symbol, which LaTeX writes without parentheses.
Formula function_formula(Op op, std::vector<Formula> arguments, bool argument_atomic, Notation notation);
/// The note "(too large to print: 30000 operations)", in the given notation.
Formula size_note(std::size_t operations, Notation notation);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Expressions as text that the parser reads back, as LaTeX, and in Unicode for terminals; all are made as tokens
// (formula.h).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/expr/formula.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/symbol_name.h"

namespace dalembert {

/// `m*L^2*theta'' + m*g*L*sin(theta)`: the language of the model file; a velocity is `theta'`, an acceleration
/// `theta''`. A shared node is written out wherever it occurs.
std::string to_text(const Expr& expression);
/// `m L^{2} \ddot{\theta} + m g L \sin\theta`.
std::string to_latex(const Expr& expression);

std::string print(const Expr& expression, Notation notation);

/// Symbols that stand for definitions, with the definitions' numbers: they become kName tokens.
using FormulaNames = std::unordered_map<SymbolId, int>;
/// What print joins to a text.
Formula formula(const Expr& expression, Notation notation, const FormulaNames* names = nullptr);

/// A number: integers and fractions exactly; fractions that end as decimals with a large denominator as decimals.
std::string print_number(const Rational& value, Notation notation);
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

// SPDX-License-Identifier: Apache-2.0
// Expressions as text that the parser reads back, and as LaTeX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// `m*L^2*theta'' + m*g*L*sin(theta)`: the language of the model file; a velocity is `theta'`, an acceleration
/// `theta''`. A shared node is written out wherever it stands.
std::string to_text(const Expr& expression);
/// `m L^{2} \ddot{\theta} + m g L \sin\theta`.
std::string to_latex(const Expr& expression);

// The pieces, for printers of other forms (algebra): each returns text in the wanted notation.
enum class Notation { kText, kLatex };

std::string print(const Expr& expression, Notation notation);
/// A number: integers and fractions exactly; fractions that end as decimals with a large denominator as decimals.
std::string print_number(const Rational& value, Notation notation);
/// A name as LaTeX: Greek names become letters, digits and what follows `_` become subscripts (`m1`, `I_c`,
/// `theta_dot`).
std::string latex_name(std::string_view name);
/// The symbol as text (`theta'`) or LaTeX (`\dot{\theta}`).
std::string print_symbol(const Symbol& symbol, Notation notation);

/// c · Π base^exponent with the bases already printed. Negative exponents go below a fraction bar.
struct PrintedFactor {
  std::string text;
  bool atomic = true;  ///< needs no parentheses as a factor or base
  Rational exponent = 1;
};
/// Prints without a sign: `coefficient` must be positive.
std::string print_product(const Rational& coefficient, const std::vector<PrintedFactor>& factors, Notation notation);
/// Wraps in parentheses.
std::string parenthesized(const std::string& inner, Notation notation);
/// sin(x), \sin x; `argument_atomic`: a single symbol, which LaTeX writes without parentheses.
std::string print_function(Op op, const std::vector<std::string>& arguments, bool argument_atomic, Notation notation);

}  // namespace dalembert

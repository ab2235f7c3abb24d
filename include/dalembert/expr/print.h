// SPDX-License-Identifier: Apache-2.0
// Expressions as text that the parser reads back, as LaTeX, and in Unicode for terminals; and from text to the graph.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// The expression in the language of the model file: `m*L^2*theta'' + m*g*L*sin(theta)`; a velocity is `theta'`, an acceleration `theta''`.
/// A shared node is written out wherever it occurs.
std::string to_text(const Expr& expression);
/// The expression in LaTeX: `m L^{2} \ddot{\theta} + m g L \sin\theta`.
std::string to_latex(const Expr& expression);

std::string print(const Expr& expression, Notation notation);

/// A number. Integers and fractions are exact; a fraction with a large denominator that is a finite decimal is written as a decimal.
std::string print_number(const Rational& value, Notation notation);

/// Parses `text`, in which every symbol of the graph has its own name: `theta` with `theta'` and `theta''`,
/// `lambda(row)`. Errors are those of lower.h.
Result<Expr> parse(const std::string& text, Graph& graph);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Quotients of trigonometric polynomials in lowest terms, factored.
//
// With c_k, s_k for the cosine and sine of each base angle (the angles' greatest common parts), an expression is a quotient N/D of elements of
// Q[symbols][c, s] / (s² + c² − 1). Multiplication by the conjugate makes the denominator free of every s_k; then, with N = N₀ + N₁ s_k + …,
// the greatest common divisor of all coefficients cancels. N/D is then unique up to a number, so equality of quotients is decided too.
// Even powers of s or of c can be eliminated; the cheapest of these forms is returned. GCD and factors: FLINT (flintlib.org).
#pragma once

#include <optional>

#include "dalembert/algebra/gather.h"

namespace dalembert {

/// False in a build without FLINT; then rational_form returns nothing.
bool has_rational_forms();

/// The form as one product of powers of factors, or as a sum if there are no factors and the sum is cheaper. Nothing if it is too large.
std::optional<std::vector<FormTerm>> rational_form(Canonicalizer& canonicalizer, const Polynomial& form);

}  // namespace dalembert

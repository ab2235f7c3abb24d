// SPDX-License-Identifier: Apache-2.0
// Quotients of trigonometric polynomials in lowest terms, factored.
//
// With c_k, s_k for the cosine and sine of each base angle (the angles' greatest common parts), an expression is N/D
// over Q[symbols][c, s] / (s² + c² − 1). The denominator is made free of every s_k by its conjugate, N = N₀ + N₁ s_k +
// …, and the greatest common divisor of all coefficients cancels: N/D is then unique up to a number, so equality of
// quotients is decided too. Of the forms with even powers of s or of c eliminated the cheapest is returned. GCD and
// factors: FLINT (flintlib.org).
#pragma once

#include <optional>

#include "dalembert/algebra/gather.h"

namespace dalembert {

/// False in a build without FLINT; then rational_form returns nothing.
bool has_rational_forms();

/// The form as one product of powers of factors, or as a sum where nothing divides and that is cheaper. Nothing when it
/// is too large.
std::optional<std::vector<FormTerm>> rational_form(Canonicalizer& canonicalizer, const Polynomial& form);

}  // namespace dalembert

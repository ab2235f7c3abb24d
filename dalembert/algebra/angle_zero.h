// SPDX-License-Identifier: Apache-2.0
// Whether a sum of angles of algebraic numbers vanishes: 4 atan(1/5) − atan(1/239) − π/4 (Machin). Inside algebra only.
//
// With n_k integers and z_k ≠ 0 of the direction θ_k, 1 + i a for atan a, √(1 − a²) + i a for asin a, a + i √(1 − a²) for acos a, x + i y for atan2(y, x), −1 for π,
//
//   Σ n_k θ_k = 0   exactly if   Im Π z_k^n_k = 0   and   |Σ n_k θ_k| < π
//
// where conjugates stand for negative n_k. The imaginary part is an algebraic number (constant_zero.h), of rational a a number; the bound is an enclosure.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"

namespace dalembert {

using MultipleOfAngle = std::pair<Rational, Expr>;

/// An angle as above, of a number, or π, and its rational factor; nothing where the expression is something else.
std::optional<MultipleOfAngle> multiple_of_angle(const Expr& expression);

/// Whether the sum of these multiples of such angles is 0, proved. False where it is not, has no value, or is too much: common denominators and multiples are at most 256 in sum.
bool is_zero_angle(Canonicalizer& canonicalizer, const std::vector<MultipleOfAngle>& terms);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Whether an algebraic number vanishes: numbers, roots of them in any depth, sines and cosines of rational multiples of π. √(3 + 2√2) = 1 + √2.
//
// The number is E = U/L with algebraic integers U and L. Let u and l bound the absolute values of all conjugates of these, and D the degree. The
// conjugates of U ≠ 0 have an integer as their product, so
//
//   E = 0   or   |E| ≥ 1/(l u^(D−1))
//
// and an enclosure that is narrower decides (Burnikel, Funke, Mehlhorn, Schirra, Schmitt, A separation bound for real algebraic expressions,
// Algorithmica 55 (2009) 14-28, doi:10.1007/s00453-007-9132-4). 2 cos(2πk/n) is an algebraic integer of degree φ(n)/2 whose conjugates are at most 2.
#pragma once

#include "dalembert/algebra/canonical.h"

namespace dalembert {

/// Whether a number made as above is 0, proved. False where it is not, has no value, is made of something else, or would take more than some
/// 3,500 bits; always false in a build without Arb.
bool is_algebraic_zero(const Expr& number);

/// Whether a form vanishes because each of its distinct products of symbols and functions of these has a coefficient that is_algebraic_zero(), or a sum of angles that is_zero_angle()
/// (angle_zero.h).
bool vanishes_by_constants(Canonicalizer& canonicalizer, const Polynomial& form);

}  // namespace dalembert

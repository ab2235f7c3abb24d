// SPDX-License-Identifier: Apache-2.0
// What is certain of the value of an expression at a point: that it lies between two bounds, or that there is none.
//
// Rational numbers stay exact while they are short; everything else is enclosed, first by intervals of doubles, then,
// with Arb (arblib.org), by balls of 64 to 4096 bits. Two values are told apart only by enclosures that have no number
// in common, so round-off decides nothing.
//   no value        the base of a negative power is 0, of a root negative; log x, x ≤ 0; asin x, |x| > 1; atan2(0, 0)
//   not known       the enclosure of an argument leaves it open whether there is a value
#pragma once

#include <span>

#include "dalembert/algebra/enclosed_point.h"

namespace dalembert {

/// How hard to try: bits of the balls, after the intervals of doubles (kDoubles: those alone).
enum class Effort : int { kDoubles = 0, kModerate = 256, kFull = 4096 };

/// False in a build without Arb: then there are intervals of doubles only, and fewer values are told apart.
bool has_balls();

/// The sign of a value.
Sign sign_at(const Expr& expression, const EnclosedPoint& point, Effort effort = Effort::kDoubles);

/// The bounds of a value in doubles; nothing where there are none. Rounded outwards.
MaybeInterval enclose(const Expr& expression, const EnclosedPoint& point);

/// Two values side by side. Where a number of `nonzero` is not certainly different from 0 the outcome is kNoValue or kUnknown.
Separation separate(const Expr& a, const Expr& b, const EnclosedPoint& point, std::span<const Expr> nonzero,
                    Effort effort = Effort::kModerate);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// What is certain of the value of an expression at a point: bounds on the value, or that there is no value.
//
// Rational numbers stay exact while they are short. Everything else is enclosed, first by intervals of doubles, then, with Arb (arblib.org), by balls of 64
// to 4096 bits. Two values are different only if their enclosures are disjoint, so round-off cannot change an answer.
//   no value        the base of a negative power is 0, of a root negative; log x, x ≤ 0; asin x, |x| > 1; atan2(0, 0)
//   not known       the enclosure of an argument leaves it open whether there is a value
#pragma once

#include <span>

#include "dalembert/algebra/enclosed_point.h"

namespace dalembert {

/// How hard to try: the precision in bits up to which balls are used after intervals of doubles. kDoubles: intervals only.
enum class Effort : int { kDoubles = 0, kModerate = 256, kFull = 4096 };

/// False in a build without Arb. Then there are only intervals of doubles, and fewer values can be told apart.
bool has_balls();

/// The sign of the expression's value.
Sign sign_at(const Expr& expression, const EnclosedPoint& point, Effort effort = Effort::kDoubles);

/// Bounds on the expression's value in doubles, rounded outwards; nothing if none are known.
MaybeInterval enclose(const Expr& expression, const EnclosedPoint& point);

/// Compares two values. If a number of `nonzero` is not certainly different from 0, the outcome is kNoValue or kUnknown.
Separation separate(const Expr& a, const Expr& b, const EnclosedPoint& point, std::span<const Expr> nonzero,
                    Effort effort = Effort::kModerate);

}  // namespace dalembert

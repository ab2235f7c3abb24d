// SPDX-License-Identifier: Apache-2.0
// Intervals: numbers known to lie between two doubles. Every operation rounds outwards, so the resulting interval contains the exact value
// (Moore, Kearfott & Cloud, Introduction to Interval Analysis, SIAM 2009). The functions of the C library are assumed to be correct to
// kUlps units in the last place; glibc states at most 3 for those used here.
#pragma once

#include <optional>

#include "dalembert/expr/expr.h"
#include "dalembert/expr/rational.h"

namespace dalembert {

/// An interval lower ≤ value ≤ upper, both finite. Functions return nothing where there are no finite bounds.
struct Interval {
  double lower = 0, upper = 0;

  static std::optional<Interval> of(const Rational& value);
  double middle() const { return lower + (upper - lower) / 2; }
  bool positive() const { return lower > 0; }
  bool negative() const { return upper < 0; }
  bool contains_zero() const { return lower <= 0 && upper >= 0; }
  double magnitude() const;  ///< the largest absolute value in the interval
};

using MaybeInterval = std::optional<Interval>;

MaybeInterval operator+(const Interval& a, const Interval& b);
MaybeInterval operator-(const Interval& a, const Interval& b);
MaybeInterval operator*(const Interval& a, const Interval& b);
MaybeInterval inverse(const Interval& a);              ///< nothing if a contains 0
MaybeInterval power(const Interval& a, int exponent);  ///< nothing if 1/0 may occur
MaybeInterval root(const Interval& a);                 ///< √a, nothing if a contains negative numbers
MaybeInterval sine(const Interval& a);
MaybeInterval cosine(const Interval& a);
MaybeInterval arcsine(const Interval& a);
MaybeInterval arccosine(const Interval& a);
MaybeInterval arctangent(const Interval& a);
MaybeInterval exponential(const Interval& a);
MaybeInterval logarithm(const Interval& a);  ///< nothing if a contains numbers ≤ 0
MaybeInterval hull(const Interval& a, const Interval& b);
/// Bounds of a function of one argument; nothing if it may have no value in `a` or has no enclosure. Functions that are smooth and monotone
/// everywhere are enclosed by the properties in their row of expr/functions.h.
MaybeInterval function_interval(Op op, const Interval& a);
bool has_interval(Op op);
/// An interval that contains π.
Interval pi_interval();

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Numbers known to lie between two doubles. Every operation rounds outwards, so what holds of the result holds of the
// value (Moore, Kearfott & Cloud, Introduction to Interval Analysis, SIAM 2009). The functions of the C library are
// taken to be right to kUlps units in the last place; glibc states at most 3 for those used here.
#pragma once

#include <optional>

#include "dalembert/expr/expr.h"
#include "dalembert/expr/rational.h"

namespace dalembert {

/// lower ≤ value ≤ upper, both finite. What has no such bounds is no interval: the functions return nothing.
struct Interval {
  double lower = 0, upper = 0;

  static std::optional<Interval> of(const Rational& value);
  double middle() const { return lower + (upper - lower) / 2; }
  bool positive() const { return lower > 0; }
  bool negative() const { return upper < 0; }
  bool contains_zero() const { return lower <= 0 && upper >= 0; }
  double magnitude() const;  ///< of the value farthest from 0
};

using MaybeInterval = std::optional<Interval>;

MaybeInterval operator+(const Interval& a, const Interval& b);
MaybeInterval operator-(const Interval& a, const Interval& b);
MaybeInterval operator*(const Interval& a, const Interval& b);
MaybeInterval inverse(const Interval& a);              ///< nothing where it may be 0
MaybeInterval power(const Interval& a, int exponent);  ///< nothing where 1/0 may occur
MaybeInterval root(const Interval& a);                 ///< √a, nothing where a may be negative
MaybeInterval sine(const Interval& a);
MaybeInterval cosine(const Interval& a);
MaybeInterval arcsine(const Interval& a);
MaybeInterval arccosine(const Interval& a);
MaybeInterval arctangent(const Interval& a);
MaybeInterval exponential(const Interval& a);
MaybeInterval logarithm(const Interval& a);  ///< nothing where a may be 0 or less
MaybeInterval hull(const Interval& a, const Interval& b);
/// A function of one argument; nothing where it may have no value or has no enclosure. Those that are smooth and monotone
/// everywhere have one by their row in expr/functions.h.
MaybeInterval function_interval(Op op, const Interval& a);
bool has_interval(Op op);
/// π
Interval pi_interval();

}  // namespace dalembert

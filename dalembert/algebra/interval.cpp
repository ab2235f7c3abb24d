// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kUlps = 4;  // assumed error of C library functions, in units in the last place

double down(double x, int steps = 1) {
  for (int i = 0; i < steps; ++i) x = std::nextafter(x, -kInfinity);
  return x;
}
double up(double x, int steps = 1) { return -down(-x, steps); }

MaybeInterval outward(double lower, double upper, int steps = 1) {
  const Interval result{down(lower, steps), up(upper, steps)};
  if (!std::isfinite(result.lower) || !std::isfinite(result.upper)) return std::nullopt;
  return result;
}

// The image of an interval under an increasing function.
MaybeInterval rising(double (*f)(double), const Interval& a) { return outward(f(a.lower), f(a.upper), kUlps); }

// Whether the interval contains a point offset + 2πk with integer k; also true if that is doubtful.
bool may_contain(const Interval& a, double offset) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const double slack = 1e-12 * (1 + std::abs(a.lower) + std::abs(a.upper));
  return std::floor((a.upper - offset + slack) / kTurn) != std::floor((a.lower - offset - slack) / kTurn);
}

}  // namespace

double Interval::magnitude() const { return std::max(std::abs(lower), std::abs(upper)); }

MaybeInterval Interval::of(const Rational& value) {
  const double nearest = value.to_double();
  if (!std::isfinite(nearest)) return std::nullopt;
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (value.is_integer() && Rational(-kExact) < value && value < Rational(kExact)) return Interval{nearest, nearest};
  return outward(nearest, nearest, kUlps);
}

Interval pi_interval() { return {down(std::numbers::pi), up(std::numbers::pi)}; }

MaybeInterval operator+(const Interval& a, const Interval& b) { return outward(a.lower + b.lower, a.upper + b.upper); }
MaybeInterval operator-(const Interval& a, const Interval& b) { return outward(a.lower - b.upper, a.upper - b.lower); }
MaybeInterval operator*(const Interval& a, const Interval& b) {
  const auto [least, most] = std::minmax({a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper});
  return outward(least, most);
}
MaybeInterval inverse(const Interval& a) {
  if (a.contains_zero()) return std::nullopt;
  return outward(1 / a.upper, 1 / a.lower);
}

MaybeInterval power(const Interval& a, int exponent) {
  if (exponent < 0) {
    const MaybeInterval positive = exponent == std::numeric_limits<int>::min() ? std::nullopt : power(a, -exponent);
    return positive ? inverse(*positive) : std::nullopt;
  }
  MaybeInterval result = Interval{1, 1}, square = a;
  // a^n = |a|^n for even n, and bounds of |a| are not negative.
  if (exponent % 2 == 0 && a.lower < 0) square = Interval{a.upper < 0 ? -a.upper : 0, a.magnitude()};
  for (int e = exponent; e > 0 && result; e >>= 1) {
    if (!square) return std::nullopt;
    if (e & 1) result = *result * *square;
    if (e > 1) square = *square * *square;
  }
  return result;
}

MaybeInterval root(const Interval& a) {
  if (a.lower < 0) return std::nullopt;
  const MaybeInterval result = outward(std::sqrt(a.lower), std::sqrt(a.upper));
  return result ? MaybeInterval(Interval{std::max(result->lower, 0.0), result->upper}) : result;
}

MaybeInterval sine(const Interval& a) {
  if (a.upper - a.lower > 6) return Interval{-1, 1};
  const double first = std::sin(a.lower), last = std::sin(a.upper);
  const double lower = may_contain(a, -std::numbers::pi / 2) ? -1 : down(std::min(first, last), kUlps);
  const double upper = may_contain(a, std::numbers::pi / 2) ? 1 : up(std::max(first, last), kUlps);
  return Interval{std::max(lower, -1.0), std::min(upper, 1.0)};
}
MaybeInterval cosine(const Interval& a) {
  if (a.upper - a.lower > 6) return Interval{-1, 1};
  const double first = std::cos(a.lower), last = std::cos(a.upper);
  const double lower = may_contain(a, std::numbers::pi) ? -1 : down(std::min(first, last), kUlps);
  const double upper = may_contain(a, 0) ? 1 : up(std::max(first, last), kUlps);
  return Interval{std::max(lower, -1.0), std::min(upper, 1.0)};
}
MaybeInterval arcsine(const Interval& a) {
  if (a.lower < -1 || a.upper > 1) return std::nullopt;
  return rising(std::asin, a);
}
MaybeInterval arccosine(const Interval& a) {
  if (a.lower < -1 || a.upper > 1) return std::nullopt;
  return outward(std::acos(a.upper), std::acos(a.lower), kUlps);
}
MaybeInterval arctangent(const Interval& a) { return rising(std::atan, a); }
MaybeInterval exponential(const Interval& a) { return rising(std::exp, a); }
MaybeInterval logarithm(const Interval& a) {
  if (a.lower <= 0) return std::nullopt;
  return rising(std::log, a);
}

namespace {

MaybeInterval tangent(const Interval& a) {
  const MaybeInterval c = cosine(a), s = sine(a), below = c ? inverse(*c) : std::nullopt;
  return s && below ? *s * *below : std::nullopt;
}

// Whether the function is smooth everywhere, monotone (at least on either side of 0), and computed by the C library.
bool is_enclosed_by_ends(const FunctionInfo& function) {
  return function.arguments == 1 && (function.monotone || function.rises_outward) &&
         function.smooth == Smooth::kInside && function.domain == Domain::kAll && function.library.unary != nullptr;
}

using OfInterval = MaybeInterval (*)(const Interval&);
OfInterval enclosure_of(Op op) {
  switch (op) {
    case Op::kSin:
      return sine;
    case Op::kCos:
      return cosine;
    case Op::kTan:
      return tangent;
    case Op::kAsin:
      return arcsine;
    case Op::kAcos:
      return arccosine;
    case Op::kLog:
      return logarithm;
    default:
      return nullptr;
  }
}

}  // namespace

MaybeInterval function_interval(Op op, const Interval& a) {
  if (const OfInterval known = enclosure_of(op)) return known(a);
  const FunctionInfo& function = function_info(op);
  if (!is_enclosed_by_ends(function)) return std::nullopt;
  double first = function.library.unary(a.lower), last = function.library.unary(a.upper);
  if (function.rises_outward && a.contains_zero()) last = std::max(first, last), first = *function.at_zero;
  return outward(std::min(first, last), std::max(first, last), kUlps);
}
bool has_interval(Op op) { return enclosure_of(op) != nullptr || is_enclosed_by_ends(function_info(op)); }

MaybeInterval hull(const Interval& a, const Interval& b) {
  return Interval{std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

}  // namespace dalembert

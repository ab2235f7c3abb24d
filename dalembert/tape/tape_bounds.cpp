// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape_bounds.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "dalembert/base/numeric.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Bounds kUnknown{-kInfinity, kInfinity};
constexpr Bounds kTruth[] = {{0, 0}, {1, 1}, {0, 1}};  // bounds of false, true and either

// Widens bounds by `units` of relative round-off; NaN becomes unknown bounds.
Bounds widen(Bounds x, double units) {
  if (std::isnan(x.low) || std::isnan(x.high)) return kUnknown;
  const auto slack = [&](double value) { return std::isinf(value) ? 0 : units * kEps * std::abs(value); };
  return {x.low - slack(x.low), x.high + slack(x.high)};
}
Bounds hull(Bounds x, Bounds y) { return {std::min(x.low, y.low), std::max(x.high, y.high)}; }
Bounds hull(std::initializer_list<double> values) {
  Bounds result{kInfinity, -kInfinity};
  for (const double value : values) {
    if (std::isnan(value)) return kUnknown;
    result = hull(result, {value, value});
  }
  return result;
}
bool contains(Bounds x, double value) { return x.low <= value && value <= x.high; }

Bounds add(Bounds x, Bounds y) { return widen({x.low + y.low, x.high + y.high}, 1); }
Bounds negate(Bounds x) { return {-x.high, -x.low}; }
Bounds subtract(Bounds x, Bounds y) { return add(x, negate(y)); }
// 0 · ∞ is NaN, and hull() makes unknown bounds of it: no comparison with a NaN holds.
Bounds multiply(Bounds x, Bounds y) {
  return widen(hull({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high}), 1);
}
Bounds divide(Bounds x, Bounds y) {
  if (contains(y, 0)) return kUnknown;
  return widen(hull({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high}), 1);
}
Bounds square(Bounds x) {
  const double a = x.low * x.low, b = x.high * x.high;
  return widen({contains(x, 0) ? 0 : std::min(a, b), std::max(a, b)}, 1);
}

// Whether offset + k·period lies within the bounds for some integer k, or may, given their round-off.
bool meets(Bounds x, double offset, double period) {
  const double slack = 4 * kEps * std::max({std::abs(x.low), std::abs(x.high), period});
  const double k = std::ceil((x.low - slack - offset) / period);
  return offset + k * period <= x.high + slack;
}
Bounds cosine(Bounds x, double shift) {
  constexpr double pi = std::numbers::pi;
  if (!(x.high - x.low < 2 * pi) || std::max(std::abs(x.low), std::abs(x.high)) > 1e15) return {-1, 1};
  const auto f = [&](double value) { return shift == 0 ? std::cos(value) : std::sin(value); };
  Bounds result = widen(hull({f(x.low), f(x.high)}), 4);
  if (meets(x, shift, 2 * pi)) result.high = 1;
  if (meets(x, shift + pi, 2 * pi)) result.low = -1;
  return {std::max(result.low, -1.0), std::min(result.high, 1.0)};
}
Bounds sine(Bounds x) { return cosine(x, std::numbers::pi / 2); }

Bounds power(Bounds x, Bounds e) {
  const bool whole = e.low == e.high && e.low == std::floor(e.low);
  if (x.low < 0 && !(whole && (e.low >= 0 || !contains(x, 0)))) return kUnknown;
  // Monotone in the base, on each side of 0, and in the exponent: the extremes lie at corners. An even power has its least value at 0.
  Bounds result =
      hull({std::pow(x.low, e.low), std::pow(x.low, e.high), std::pow(x.high, e.low), std::pow(x.high, e.high)});
  if (x.low < 0 && x.high > 0 && std::fmod(e.low, 2) == 0) result.low = std::pow(0.0, e.low);
  return widen(result, 8);
}

// The truth, as a condition, of a number within the bounds. 0: false, 1: true, 2: either.
int truth(Bounds x) { return x.low == 0 && x.high == 0 ? 0 : contains(x, 0) ? 2 : 1; }

Bounds call(Op op, const std::array<Bounds, 3>& x) {
  constexpr double pi = std::numbers::pi;
  const auto [low, high] = x[0];
  const auto monotone = [&] { return widen(hull({evaluate_function(op, &low), evaluate_function(op, &high)}), 8); };
  switch (op) {
    case Op::kPi:
      return {pi, pi};
    case Op::kSin:
      return sine(x[0]);
    case Op::kCos:
      return cosine(x[0], 0);
    case Op::kTan:
      return high - low < pi && !meets(x[0], pi / 2, pi) ? monotone() : kUnknown;
    case Op::kAbs:
      return contains(x[0], 0) ? Bounds{0, std::max(-low, high)} : hull({std::abs(low), std::abs(high)});
    case Op::kSign:
      return {low > 0 ? 1.0 : low == 0 ? 0.0 : -1.0, high < 0 ? -1.0 : high == 0 ? 0.0 : 1.0};
    case Op::kFloor:
      return {std::floor(low), std::floor(high)};
    case Op::kAtan2: {
      const auto [y, z] = std::pair(x[0], x[1]);
      if (contains(y, 0) && z.low <= 0) return {-pi, pi};
      return widen(hull({std::atan2(y.low, z.low), std::atan2(y.low, z.high), std::atan2(y.high, z.low),
                         std::atan2(y.high, z.high)}),
                   8);
    }
    case Op::kMin:
      return {std::min(low, x[1].low), std::min(high, x[1].high)};
    case Op::kMax:
      return {std::max(low, x[1].low), std::max(high, x[1].high)};
    case Op::kLess:
      return kTruth[high < x[1].low ? 1 : low >= x[1].high ? 0 : 2];
    case Op::kLessEqual:
      return kTruth[high <= x[1].low ? 1 : low > x[1].high ? 0 : 2];
    case Op::kEqual:
      if (high < x[1].low || low > x[1].high) return kTruth[0];
      return kTruth[low == high && x[1].low == x[1].high && low == x[1].low ? 1 : 2];
    case Op::kAnd: {
      const int a = truth(x[0]), b = truth(x[1]);
      return kTruth[a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : 2];
    }
    case Op::kOr: {
      const int a = truth(x[0]), b = truth(x[1]);
      return kTruth[a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : 2];
    }
    case Op::kNot: {
      const int a = truth(x[0]);
      return kTruth[a == 2 ? 2 : 1 - a];
    }
    case Op::kSelect: {
      const int condition = truth(x[0]);
      return condition == 1 ? x[1] : condition == 0 ? x[2] : hull(x[1], x[2]);
    }
    case Op::kPower:
      return power(x[0], x[1]);
    default: {
      const FunctionInfo& function = function_info(op);
      if (!function.monotone && !function.rises_outward) return kUnknown;
      Bounds result = monotone();
      if (function.rises_outward && contains(x[0], 0)) result.low = *function.at_zero;
      return result;
    }
  }
}

}  // namespace

void find_bounds(const Tape& tape, const Bounds* const* arguments, Bounds* r, Bounds* out) {
  assert(tape.loops.empty());
  for (const Instruction& i : tape.instructions) {
    const auto constant = [&](std::uint32_t k) { return Bounds{tape.constants[k], tape.constants[k]}; };
    switch (i.op) {
      case TapeOp::kConstant:
        r[i.dst] = constant(i.a);
        break;
      case TapeOp::kArgument:
        r[i.dst] = arguments[i.a] == nullptr ? kUnknown : arguments[i.a][i.b];
        break;
      case TapeOp::kOutput:
        out[i.dst] = r[i.a];
        break;
      case TapeOp::kAdd:
        r[i.dst] = add(r[i.a], r[i.b]);
        break;
      case TapeOp::kSubtract:
        r[i.dst] = subtract(r[i.a], r[i.b]);
        break;
      case TapeOp::kMultiply:
        r[i.dst] = multiply(r[i.a], r[i.b]);
        break;
      case TapeOp::kDivide:
        r[i.dst] = divide(r[i.a], r[i.b]);
        break;
      case TapeOp::kNegate:
        r[i.dst] = negate(r[i.a]);
        break;
      case TapeOp::kSquare:
        r[i.dst] = square(r[i.a]);
        break;
      case TapeOp::kSquareRoot:
        r[i.dst] = widen(hull({std::sqrt(r[i.a].low), std::sqrt(r[i.a].high)}), 1);
        break;
      case TapeOp::kAddConstant:
        r[i.dst] = add(r[i.a], constant(i.b));
        break;
      case TapeOp::kSubtractFrom:
        r[i.dst] = subtract(constant(i.b), r[i.a]);
        break;
      case TapeOp::kScale:
        r[i.dst] = multiply(constant(i.b), r[i.a]);
        break;
      case TapeOp::kDivideInto:
        r[i.dst] = divide(constant(i.b), r[i.a]);
        break;
      case TapeOp::kMultiplyAdd:
        r[i.dst] = add(multiply(r[i.a], r[i.b]), r[i.c]);
        break;
      case TapeOp::kMultiplySubtract:
        r[i.dst] = subtract(multiply(r[i.a], r[i.b]), r[i.c]);
        break;
      case TapeOp::kSubtractProduct:
        r[i.dst] = subtract(r[i.c], multiply(r[i.a], r[i.b]));
        break;
      case TapeOp::kScaleAdd:
        r[i.dst] = add(multiply(constant(i.b), r[i.a]), r[i.c]);
        break;
      case TapeOp::kScaleSubtract:
        r[i.dst] = subtract(multiply(constant(i.b), r[i.a]), r[i.c]);
        break;
      case TapeOp::kSinCos: {
        const Bounds x = r[i.a];
        r[i.dst] = sine(x);
        r[i.b] = cosine(x, 0);
        break;
      }
      case TapeOp::kCall: {
        std::array<Bounds, 3> x{};
        const int count = arity(i.function);
        if (count > 0) x[0] = r[i.a];
        if (count > 1) x[1] = r[i.b];
        if (count > 2) x[2] = r[i.c];
        r[i.dst] = call(i.function, x);
        break;
      }
    }
  }
}

}  // namespace dalembert

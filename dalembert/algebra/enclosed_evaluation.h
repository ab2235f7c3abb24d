// SPDX-License-Identifier: Apache-2.0
// One pass over the graph that computes an enclosure of every node's value. Private to algebra.
//
// `Number` is a type of enclosure (DoubleNumber, BallNumber). Its static functions take numbers and return std::optional<Number>, which is
// empty if the result is not certain to exist.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dalembert/algebra/enclosed_point.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

enum class Known { kValue, kNoValue, kUnknown };

template <class Number>
struct Cell {
  Known known = Known::kUnknown;
  std::optional<Rational> exact;  ///< exact value; if it is set, `number` is not
  std::optional<Number> number;
};

template <class Number>
class EnclosedEvaluation {
 public:
  using Value = Cell<Number>;
  EnclosedEvaluation(const Graph& graph, const EnclosedPoint& point, std::size_t exact_bits, long bits)
      : graph_(graph), point_(point), exact_bits_(exact_bits), bits_(bits) {}

  const Value& value(const Expr& expression) {
    for (const NodeId id : reachable(std::span(&expression, 1))) {
      if (values_.contains(id)) continue;
      Value cell = compute(id);
      values_.insert_or_assign(id, std::move(cell));
    }
    return values_.at(expression.id());
  }

  /// The sign of a value: −1 or 1; 0 if the value is exactly zero; nothing if the sign is not certain.
  std::optional<int> sign(const Value& v) const {
    if (v.known != Known::kValue) return std::nullopt;
    if (v.exact) return v.exact->sign();
    const int s = v.number->sign();
    return s == 0 ? std::nullopt : std::optional(s);
  }

  std::optional<Number> number(const Value& v) const {
    if (v.known != Known::kValue) return std::nullopt;
    return v.exact ? Number::of(*v.exact, bits_) : v.number;
  }

 private:
  using Maybe = std::optional<Number>;

  static Value no_value() { return {Known::kNoValue, {}, {}}; }
  static Value unknown() { return {}; }
  static Value of(Maybe number) { return number ? Value{Known::kValue, {}, std::move(number)} : unknown(); }
  Value of(Rational value) const {
    if (value.bits() > exact_bits_) return of(Number::of(value, bits_));
    return {Known::kValue, std::move(value), {}};
  }
  static Value truth(std::optional<bool> value) {
    if (value) return {Known::kValue, Rational(*value ? 1 : 0), {}};
    return {Known::kValue, {}, Number::between(0, 1)};
  }
  bool exact_zero(const Value& v) const { return v.exact && v.exact->is_zero(); }

  // The result if an argument has no value: kNoValue if one certainly has none, else kUnknown if one is unknown. Nothing if all have values.
  static std::optional<Value> missing(std::span<const Value> arguments) {
    bool open = false;
    for (const Value& v : arguments) {
      if (v.known == Known::kNoValue) return no_value();
      open = open || v.known == Known::kUnknown;
    }
    return open ? std::optional(unknown()) : std::nullopt;
  }

  Value compute(NodeId id) {
    switch (graph_.op(id)) {
      case Op::kConstant:
        return of(graph_.number(id));
      case Op::kPi:
        return of(Number::pi(bits_));
      case Op::kSymbol:
        return symbol(graph_.symbol_of(id));
      case Op::kSum:
        return sum(id);
      case Op::kProduct:
        return product(id);
      default:
        return function(id);
    }
  }

  Value symbol(SymbolId s) {
    if (point_.defined)
      if (const auto found = point_.defined->find(s); found != point_.defined->end())
        return Value(value(found->second));
    if (const auto found = point_.value.find(s); found != point_.value.end()) return of(found->second);
    if (const auto found = point_.range.find(s); found != point_.range.end())
      return of(Number::between(found->second.lower, found->second.upper));
    return unknown();
  }

  Value sum(NodeId id) {
    Rational rational = graph_.number(id);
    Maybe rest;
    bool open = false;
    for (const Graph::Item& item : graph_.items(id)) {
      const Value& term = values_.at(item.node);
      if (term.known == Known::kNoValue) return no_value();
      if (term.known == Known::kUnknown || open) {
        open = true;
        continue;
      }
      if (term.exact && rational.bits() <= exact_bits_) {
        rational = rational + *term.exact * graph_.number(item);
        continue;
      }
      const Maybe factor = Number::of(graph_.number(item), bits_), part = number(term);
      const Maybe scaled = factor && part ? Number::multiply(*factor, *part, bits_) : Maybe();
      if (scaled) rest = rest ? Number::add(*rest, *scaled, bits_) : scaled;
      open = !scaled || !rest;
    }
    if (open) return unknown();
    if (!rest) return of(std::move(rational));
    if (rational.is_zero()) return of(std::move(rest));
    const Maybe constant = Number::of(rational, bits_);
    return of(constant ? Number::add(*rest, *constant, bits_) : Maybe());
  }

  Value product(NodeId id) {
    Rational rational = graph_.number(id);
    Maybe rest;
    bool open = false;
    for (const Graph::Item& item : graph_.items(id)) {
      const Value factor = power(values_.at(item.node), graph_.number(item));
      if (factor.known == Known::kNoValue) return no_value();
      if (factor.known == Known::kUnknown || open) {
        open = true;
        continue;
      }
      if (factor.exact && rational.bits() <= exact_bits_) {
        rational = rational * *factor.exact;
        continue;
      }
      const Maybe part = number(factor);
      if (part) rest = rest ? Number::multiply(*rest, *part, bits_) : part;
      open = !part || !rest;
    }
    if (open) return unknown();
    if (!rest || rational.is_zero()) return of(std::move(rational));
    if (rational.is_one()) return of(std::move(rest));
    const Maybe constant = Number::of(rational, bits_);
    return of(constant ? Number::multiply(*rest, *constant, bits_) : Maybe());
  }

  Value power(const Value& base, const Rational& exponent) {
    if (base.known != Known::kValue) return base;
    const std::optional<int> base_sign = sign(base);
    if (base_sign == 0) return exponent.sign() < 0 ? no_value() : of(Rational(0));
    const auto integer = exponent.as_int();
    if (!exponent.is_integer() && base_sign == -1) return no_value();
    if (base.exact) {
      const auto size = [&](int e) { return base.exact->bits() * static_cast<std::size_t>(std::abs(e)); };
      if (integer && *integer != std::numeric_limits<int>::min() && size(*integer) <= exact_bits_)
        return of(base.exact->power(*integer));
      const auto twice = (exponent * Rational(2)).as_int();
      if (!integer && twice && size(*twice) <= exact_bits_)
        if (const auto root = exact_sqrt(*base.exact)) return of(root->power(*twice));
    }
    const Maybe x = number(base);
    if (!x) return unknown();
    if (exponent.is_integer()) {
      if (!base_sign && exponent.sign() < 0) return unknown();
      if (integer) return of(Number::power(*x, *integer, bits_));
    } else if (!base_sign && (exponent.sign() < 0 || x->may_be_negative())) {
      return unknown();
    }
    if ((exponent * Rational(2)).is_one()) return of(Number::root(*x, bits_));
    if (base_sign != 1) return unknown();
    const Maybe e = Number::of(exponent, bits_);
    return of(e ? Number::power(*x, *e, bits_) : Maybe());
  }

  Value function(NodeId id) {
    std::vector<Value> x;
    for (const Graph::Item& item : graph_.items(id)) x.push_back(values_.at(item.node));
    const Op op = graph_.op(id);
    if (op == Op::kSelect) return select(x);
    if (auto none = missing(x)) return *none;
    switch (op) {
      case Op::kPower:
        return general_power(x[0], x[1]);
      case Op::kAbs:
      case Op::kSign:
        return signed_function(op, x[0]);
      case Op::kFloor:
        return rounded_down(x[0]);
      case Op::kMin:
      case Op::kMax:
        return extreme(op, x[0], x[1]);
      case Op::kLess:
        return truth(less(x[0], x[1], false));
      case Op::kLessEqual:
        return truth(less(x[0], x[1], true));
      case Op::kEqual:
        return truth(equal(x[0], x[1]));
      case Op::kAnd: {
        const auto a = true_(x[0]), b = true_(x[1]);
        if ((a && !*a) || (b && !*b)) return truth(false);
        return truth(a && b ? std::optional(true) : std::nullopt);
      }
      case Op::kOr: {
        const auto a = true_(x[0]), b = true_(x[1]);
        if ((a && *a) || (b && *b)) return truth(true);
        return truth(a && b ? std::optional(false) : std::nullopt);
      }
      case Op::kNot: {
        const auto a = true_(x[0]);
        return truth(a ? std::optional(!*a) : std::nullopt);
      }
      case Op::kAtan2:
        return arctangent2(x[0], x[1]);
      default:
        return elementary(op, x[0]);
    }
  }

  std::optional<bool> true_(const Value& v) const {
    const auto s = sign(v);
    return s ? std::optional(*s != 0) : std::nullopt;
  }

  // Sign of a − b; 0 if both are the same rational number; nothing if the sign is not certain.
  std::optional<int> order(const Value& a, const Value& b) const {
    if (a.exact && b.exact) return *a.exact < *b.exact ? -1 : *b.exact < *a.exact ? 1 : 0;
    const Maybe x = number(a), y = number(b);
    if (!x || !y) return std::nullopt;
    const Maybe difference = Number::subtract(*x, *y, bits_);
    if (!difference || difference->sign() == 0) return std::nullopt;
    return difference->sign();
  }
  std::optional<bool> less(const Value& a, const Value& b, bool or_equal) const {
    const auto o = order(a, b);
    return o ? std::optional(or_equal ? *o <= 0 : *o < 0) : std::nullopt;
  }
  std::optional<bool> equal(const Value& a, const Value& b) const {
    const auto o = order(a, b);
    return o ? std::optional(*o == 0) : std::nullopt;
  }

  Value either(const Value& a, const Value& b) const {
    if (a.known != Known::kValue || b.known != Known::kValue) return unknown();
    const Maybe x = number(a), y = number(b);
    return of(x && y ? Number::hull(*x, *y, bits_) : Maybe());
  }

  Value select(const std::vector<Value>& x) const {
    if (x[0].known != Known::kValue) return x[0];
    if (const auto chosen = true_(x[0])) return *chosen ? x[1] : x[2];
    return either(x[1], x[2]);
  }

  Value extreme(Op op, const Value& a, const Value& b) const {
    if (const auto o = order(a, b)) return (*o <= 0) == (op == Op::kMin) ? a : b;
    return either(a, b);
  }

  Value signed_function(Op op, const Value& x) const {
    if (const auto s = sign(x)) {
      if (op == Op::kSign) return {Known::kValue, Rational(*s), {}};
      if (*s >= 0) return x;
      if (x.exact) return {Known::kValue, -*x.exact, {}};
      const Maybe zero = Number::of(Rational(0), bits_);
      return of(Number::subtract(*zero, *x.number, bits_));
    }
    if (op == Op::kSign) return of(Number::between(-1, 1));
    const Maybe zero = Number::of(Rational(0), bits_), flipped = Number::subtract(*zero, *x.number, bits_);
    return of(flipped ? Number::hull(*x.number, *flipped, bits_) : Maybe());
  }

  Value rounded_down(const Value& x) const {
    if (x.exact) return {Known::kValue, x.exact->floor(), {}};
    // The value lies between the floors of the bounds. Above 1e15 doubles are too coarse for that.
    const double lower = std::floor(x.number->lower_bound()), upper = std::floor(x.number->upper_bound());
    if (!(std::abs(lower) < 1e15 && std::abs(upper) < 1e15)) return unknown();
    if (lower == upper) return {Known::kValue, Rational(static_cast<std::int64_t>(lower)), {}};
    return of(Number::between(lower, upper));
  }

  Value general_power(const Value& base, const Value& exponent) {
    if (exponent.exact) return exponent.exact->is_zero() ? of(Rational(1)) : power(base, *exponent.exact);
    const auto base_sign = sign(base), exponent_sign = sign(exponent);
    if (base_sign == 0 && exponent_sign) return *exponent_sign < 0 ? no_value() : of(Rational(0));
    if (base_sign != 1) return unknown();
    const Maybe x = number(base), e = number(exponent);
    return of(x && e ? Number::power(*x, *e, bits_) : Maybe());
  }

  Value arctangent2(const Value& y, const Value& x) const {
    if (exact_zero(y)) {
      const auto s = sign(x);
      if (!s) return unknown();
      if (*s == 0) return no_value();
      return *s > 0 ? Value{Known::kValue, Rational(0), {}} : of(Number::pi(bits_));
    }
    const Maybe a = number(y), b = number(x);
    if (!a || !b) return unknown();
    // Near the branch cut (y = 0, x < 0) the value may be near π or −π.
    const auto y_sign = sign(y), x_sign = sign(x);
    if (!y_sign && x_sign != 1) return x_sign == -1 ? of(Number::between(-3.2, 3.2)) : unknown();
    return of(Number::arctangent2(*a, *b, bits_));
  }

  Value elementary(Op op, const Value& x) const {
    // Rational values stay exact, so that terms that cancel are recognised.
    const FunctionInfo& info = function_info(op);
    const Value one{Known::kValue, Rational(1), {}}, minus{Known::kValue, Rational(-1), {}};
    if (info.at_zero && exact_zero(x)) return {Known::kValue, Rational(*info.at_zero), {}};
    if (info.at_one && x.exact && x.exact->is_one()) return {Known::kValue, Rational(*info.at_one), {}};
    if (info.domain == Domain::kPositive && (exact_zero(x) || sign(x) == -1)) return no_value();
    if (info.domain == Domain::kUnit && (order(x, one) == 1 || order(x, minus) == -1)) return no_value();
    const Maybe number = this->number(x);
    if (!number) return unknown();
    return of(Number::function(op, *number, bits_));
  }

  const Graph& graph_;
  const EnclosedPoint& point_;
  std::size_t exact_bits_;
  long bits_;
  std::unordered_map<NodeId, Value> values_;
};

/// sign_at() with one type of enclosure.
template <class Number>
Sign sign_with(const Expr& expression, const EnclosedPoint& point, std::size_t exact_bits, long bits) {
  EnclosedEvaluation<Number> evaluation(expression.graph(), point, exact_bits, bits);
  const Cell<Number>& v = evaluation.value(expression);
  if (v.known == Known::kNoValue) return Sign::kNoValue;
  const auto s = evaluation.sign(v);
  if (!s) return Sign::kUnknown;
  return *s < 0 ? Sign::kNegative : *s > 0 ? Sign::kPositive : Sign::kZero;
}

/// Number of digits that distinguish a from b, at least 6.
inline int digits_between(double a, double b, double difference) {
  const double size = std::max(std::abs(a), std::abs(b));
  if (!(std::abs(difference) > 0) || !(size > 0)) return 17;
  return std::max(6, static_cast<int>(std::ceil(std::log10(size / std::abs(difference)))) + 3);
}

/// A number whose enclosure contains 0 is shown as 0. Numbers are shown only if their enclosure is narrow.
template <class Number>
double nearest_of(const Number& x) {
  return x.sign() == 0 ? 0 : x.nearest();
}
template <class Number>
std::string text_of(const Number& x, int digits) {
  return x.sign() == 0 ? "0" : x.text(digits);
}

/// separate() with one type of enclosure.
template <class Number>
Separation separate_with(const Expr& a, const Expr& b, const EnclosedPoint& point, std::span<const Expr> nonzero,
                         std::size_t exact_bits, long bits) {
  using Outcome = Separation::Outcome;
  EnclosedEvaluation<Number> evaluation(a.graph(), point, exact_bits, bits);
  Separation result;
  const Cell<Number> left = evaluation.value(a), right = evaluation.value(b);
  bool open = left.known == Known::kUnknown || right.known == Known::kUnknown;
  bool none = left.known == Known::kNoValue || right.known == Known::kNoValue;
  for (const Expr& e : nonzero) {
    const Cell<Number>& v = evaluation.value(e);
    const auto s = evaluation.sign(v);
    none = none || v.known == Known::kNoValue || s == 0;
    open = open || !s;
  }
  if (none || open) {
    result.outcome = none ? Outcome::kNoValue : Outcome::kUnknown;
    return result;
  }
  const auto x = evaluation.number(left), y = evaluation.number(right);
  if (!x || !y) return result;
  result.a = left.exact ? left.exact->to_double() : nearest_of(*x);
  result.b = right.exact ? right.exact->to_double() : nearest_of(*y);
  if (left.exact && right.exact) {
    const Rational difference = *left.exact - *right.exact;
    result.outcome = difference.is_zero() ? Outcome::kEqual : Outcome::kDiffer;
    result.difference = difference.to_double();
    if (result.outcome == Outcome::kEqual) return result;
    const int digits = digits_between(result.a, result.b, result.difference);
    const auto text = [&](const Rational& value, int count) {
      const auto shown = Number::of(value, 4L * count + 64);
      return shown ? text_of(*shown, count) : std::string();
    };
    result.a_digits = text(*left.exact, digits);
    result.b_digits = text(*right.exact, digits);
    result.difference_digits = text(difference, 6);
    result.sharp = true;
    return result;
  }
  const auto difference = Number::subtract(*x, *y, bits);
  result.outcome = difference && difference->sign() != 0 ? Outcome::kDiffer : Outcome::kClose;
  if (!difference) return result;
  result.difference = difference->nearest();
  if (result.outcome == Outcome::kClose) return result;
  const int digits = digits_between(result.a, result.b, result.difference);
  result.a_digits = text_of(*x, digits);
  result.b_digits = text_of(*y, digits);
  result.difference_digits = text_of(*difference, 6);
  // Every digit shown must be correct: those of both values, and six of the difference. An enclosure narrower than `negligible` may contain 0.
  const double negligible = 1e-60 * std::min(1.0, std::max(std::abs(result.a), std::abs(result.b)));
  const auto sharp = [&](const Number& number) {
    return number.radius() <= std::max(std::abs(number.nearest()) * std::pow(10.0, -digits - 1), negligible);
  };
  result.sharp = sharp(*x) && sharp(*y) && difference->radius() <= std::abs(result.difference) * 1e-6;
  return result;
}

/// sign_at() and separate() with balls of `bits` bits, in a build with Arb (enclosed_balls.cpp).
Sign ball_sign(const Expr& expression, const EnclosedPoint& point, std::size_t exact_bits, long bits);
Separation ball_separation(const Expr& a, const Expr& b, const EnclosedPoint& point, std::span<const Expr> nonzero,
                           std::size_t exact_bits, long bits);

}  // namespace dalembert

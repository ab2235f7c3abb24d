// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/enclosure.h"

#include <fmt/format.h>

#include "dalembert/algebra/enclosed_evaluation.h"

namespace dalembert {
namespace {

constexpr std::size_t kShort = 120;           // limit in bits up to which a rational stays exact: two machine words
constexpr std::size_t kLong = 8192;           // bits up to which a rational stays exact if doubles did not decide
constexpr std::size_t kMaxWork = 40'000'000;  // limit on the work of one pass: nodes times bits

// An interval of doubles as the `Number` of an EnclosedEvaluation.
class DoubleNumber {
 public:
  using Maybe = std::optional<DoubleNumber>;
  DoubleNumber(const Interval& value) : value_(value) {}
  const Interval& interval() const { return value_; }

  static Maybe made(const MaybeInterval& value) { return value ? Maybe(*value) : Maybe(); }
  static Maybe of(const Rational& value, long) { return made(Interval::of(value)); }
  static Maybe pi(long) { return DoubleNumber(pi_interval()); }
  static Maybe between(double lower, double upper) { return DoubleNumber(Interval{lower, upper}); }
  static Maybe add(const DoubleNumber& a, const DoubleNumber& b, long) { return made(a.value_ + b.value_); }
  static Maybe subtract(const DoubleNumber& a, const DoubleNumber& b, long) { return made(a.value_ - b.value_); }
  static Maybe multiply(const DoubleNumber& a, const DoubleNumber& b, long) { return made(a.value_ * b.value_); }
  static Maybe power(const DoubleNumber& a, int exponent, long) { return made(dalembert::power(a.value_, exponent)); }
  static Maybe root(const DoubleNumber& a, long) { return made(dalembert::root(a.value_)); }
  static Maybe hull(const DoubleNumber& a, const DoubleNumber& b, long) {
    return made(dalembert::hull(a.value_, b.value_));
  }
  // For a > 0: a^b = exp(b log a).
  static Maybe power(const DoubleNumber& a, const DoubleNumber& b, long) {
    const MaybeInterval log = logarithm(a.value_), product = log ? b.value_ * *log : std::nullopt;
    return made(product ? exponential(*product) : std::nullopt);
  }
  // Nothing if the enclosure contains (0, 0) or meets the branch cut.
  static Maybe arctangent2(const DoubleNumber& y, const DoubleNumber& x, long) {
    const Interval &a = y.value_, &b = x.value_;
    if (b.positive()) {
      const MaybeInterval below = inverse(b), quotient = below ? a * *below : std::nullopt;
      return made(quotient ? arctangent(*quotient) : std::nullopt);
    }
    if (a.contains_zero()) return std::nullopt;
    const MaybeInterval below = inverse(a), quotient = below ? b * *below : std::nullopt,
                        part = quotient ? arctangent(*quotient) : std::nullopt,
                        right = pi_interval() * Interval{0.5, 0.5};
    if (!part || !right) return std::nullopt;
    return made(a.positive() ? *right - *part : Interval{-right->upper, -right->lower} - *part);
  }
  static Maybe function(Op op, const DoubleNumber& a, long) { return made(function_interval(op, a.value_)); }

  int sign() const { return value_.positive() ? 1 : value_.negative() ? -1 : 0; }
  bool may_be_negative() const { return value_.lower < 0; }
  double nearest() const { return value_.middle(); }
  double radius() const { return (value_.upper - value_.lower) / 2; }
  double lower_bound() const { return value_.lower; }
  double upper_bound() const { return value_.upper; }
  std::string text(int digits) const { return fmt::format("{:.{}g}", nearest(), std::min(digits, 17)); }

 private:
  Interval value_;
};

// The largest precision, in bits, at which a pass over the graph of `roots` does not take too long.
long most_bits(std::span<const Expr> roots, Effort effort) {
  const auto nodes = reachable(roots).size();
  return static_cast<long>(std::min(static_cast<std::size_t>(effort), kMaxWork / std::max<std::size_t>(nodes, 1)));
}

bool decided(Sign sign) { return sign != Sign::kUnknown; }
bool decided(const Separation& s) {
  if (s.outcome == Separation::Outcome::kDiffer) return s.sharp && s.a_digits != s.b_digits;
  return s.outcome != Separation::Outcome::kClose && s.outcome != Separation::Outcome::kUnknown;
}

}  // namespace

Sign sign_at(const Expr& expression, const EnclosedPoint& point, Effort effort) {
  Sign sign = sign_with<DoubleNumber>(expression, point, kShort, 0);
  if (effort == Effort::kDoubles || decided(sign)) return sign;
  if (!has_balls()) return sign_with<DoubleNumber>(expression, point, kLong, 0);
  const long most = most_bits(std::span(&expression, 1), effort);
  for (long bits = 64; bits <= most && !decided(sign); bits *= 4) sign = ball_sign(expression, point, kLong, bits);
  return sign;
}

MaybeInterval enclose(const Expr& expression, const EnclosedPoint& point) {
  EnclosedEvaluation<DoubleNumber> evaluation(expression.graph(), point, kShort, 0);
  const auto number = evaluation.number(evaluation.value(expression));
  return number ? MaybeInterval(number->interval()) : std::nullopt;
}

Separation separate(const Expr& a, const Expr& b, const EnclosedPoint& point, std::span<const Expr> nonzero,
                    Effort effort) {
  Separation result = separate_with<DoubleNumber>(a, b, point, nonzero, kShort, 0);
  // Different values are shown with enough digits to tell them apart, and every digit must be correct, which may need more precision.
  const bool blurred = result.outcome == Separation::Outcome::kDiffer && !decided(result);
  if (decided(result) || (effort == Effort::kDoubles && !blurred)) return result;
  if (!has_balls()) return separate_with<DoubleNumber>(a, b, point, nonzero, kLong, 0);
  const std::array<Expr, 2> both{a, b};
  const long most = most_bits(both, blurred ? Effort::kModerate : effort);
  for (long bits = 64; bits <= most && !decided(result); bits *= 4)
    if (const Separation finer = ball_separation(a, b, point, nonzero, kLong, bits);
        finer.outcome <= result.outcome || result.outcome == Separation::Outcome::kUnknown)
      result = finer;
  return result;
}

#ifndef DALEMBERT_HAS_ARB
bool has_balls() { return false; }
Sign ball_sign(const Expr&, const EnclosedPoint&, std::size_t, long) { return Sign::kUnknown; }
Separation ball_separation(const Expr&, const Expr&, const EnclosedPoint&, std::span<const Expr>, std::size_t, long) {
  return {};
}
#endif

}  // namespace dalembert

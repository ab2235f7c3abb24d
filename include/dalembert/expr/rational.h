// SPDX-License-Identifier: Apache-2.0
// Exact rational numbers: two machine words while they fit, otherwise of any size.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dalembert {

struct BigRational;

/// A fraction in lowest terms with a positive denominator. Dividing by zero is a bug in the caller (asserted).
class Rational {
 public:
  Rational(std::int64_t value = 0) : numerator_(value) {}
  Rational(std::int64_t numerator, std::int64_t denominator);

  /// The exact value of a decimal literal: `2`, `0.5`, `1e-3`. Nothing if the text is not a literal, or if the nearest double is infinite or zero.
  static std::optional<Rational> parse(std::string_view text);
  /// The shortest decimal that reads back as `value` (0.1 becomes 1/10). `value` must be finite.
  static Rational from_double(double value);

  bool is_zero() const { return !big_ && numerator_ == 0; }
  bool is_one() const { return !big_ && numerator_ == 1 && denominator_ == 1; }
  bool is_minus_one() const { return !big_ && numerator_ == -1 && denominator_ == 1; }
  bool is_integer() const;
  int sign() const;
  /// The value, if it is an integer of at most 32 bits.
  std::optional<int> as_int() const;
  /// The nearest double.
  double to_double() const;
  /// The fraction as text: `3`, `-1/2`.
  std::string to_string() const;
  Rational numerator() const;
  Rational denominator() const;
  std::size_t hash() const;
  /// Number of bits of numerator and denominator together, for limits on growth.
  std::size_t bits() const;

  Rational operator-() const;
  Rational floor() const;  ///< the largest integer <= the value
  Rational inverse() const;
  Rational power(int exponent) const;
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b) { return a + (-b); }
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b) { return a * b.inverse(); }
  friend bool operator==(const Rational& a, const Rational& b);
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
  friend std::optional<Rational> exact_sqrt(const Rational& value);
  friend Rational gcd(const Rational& a, const Rational& b);

 private:
  explicit Rational(BigRational value);
  BigRational big() const;

  std::int64_t numerator_ = 0, denominator_ = 1;
  std::shared_ptr<const BigRational> big_;  // holds the value if it does not fit two words; else null
};

/// The exact square root, if it is rational.
std::optional<Rational> exact_sqrt(const Rational& value);

/// The greatest common divisor of two integers, positive; 1 if both are zero.
Rational gcd(const Rational& a, const Rational& b);

}  // namespace dalembert

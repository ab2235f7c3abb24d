// SPDX-License-Identifier: Apache-2.0
// Numbers modulo a random prime p just below 2⁶¹, for exact ranks: a minor that is not 0 there is not 0.
//
//   p ≡ −1 (mod 1440), so that
//     −1 is no square: of the two roots of a square one is a square itself; with that one √a √b = √(ab)
//     the circle c² + s² = 1 has p + 1 points, among them all angles that are multiples of 2π/1440
//     2, 3 and 5 are squares, and third and fifth roots exist and are unique
//
// Numbers are kept in Montgomery's form (P. L. Montgomery, Modular multiplication without trial division, Math. Comp. 44
// (1985) 519-521).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dalembert/expr/rational.h"

namespace dalembert {

class PrimeField {
 public:
  using Number = std::uint64_t;
  static constexpr std::uint64_t kTurn = 1440;  ///< number of equal parts of the circle

  /// Chooses p such that the primes in `squares` (ascending, positive) are squares of the field; no value where no such prime was found.
  static std::optional<PrimeField> choose(std::uint64_t seed, std::span<const std::int64_t> squares = {});

  std::uint64_t prime() const { return p_; }
  Number zero() const { return 0; }
  Number one() const { return one_; }
  bool is_zero(Number a) const { return a == 0; }
  Number add(Number a, Number b) const {
    const Number sum = a + b;
    return sum >= p_ ? sum - p_ : sum;
  }
  Number negative(Number a) const { return a == 0 ? 0 : p_ - a; }
  Number subtract(Number a, Number b) const { return add(a, negative(b)); }
  Number multiply(Number a, Number b) const {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    const std::uint64_t m = static_cast<std::uint64_t>(product) * minus_inverse_;
    const auto reduced = static_cast<std::uint64_t>((product + static_cast<unsigned __int128>(m) * p_) >> 64);
    return reduced >= p_ ? reduced - p_ : reduced;
  }
  Number power(Number a, std::uint64_t exponent) const;
  Number inverse(Number a) const { return power(a, p_ - 2); }
  Number of(std::int64_t integer) const;
  std::optional<Number> of(const Rational& number) const;  ///< no value where p divides the denominator
  Number of_bits(std::uint64_t bits) const;                ///< a random number of the field, from random bits

  bool is_square(Number a) const { return a == 0 || power(a, (p_ - 1) / 2) == one_; }
  /// a^e; of the even roots of a square the one that is a square. No value where there is no root.
  std::optional<Number> raised(Number a, const Rational& exponent) const;

  struct Circle {
    Number cosine, sine;
  };
  Circle turned(const Circle& a, const Circle& b) const {
    return {subtract(multiply(a.cosine, b.cosine), multiply(a.sine, b.sine)),
            add(multiply(a.sine, b.cosine), multiply(a.cosine, b.sine))};
  }
  Circle turned(Circle circle, std::int64_t times) const;
  Circle at(std::int64_t parts) const { return turned(unit_, parts); }  ///< point at the angle 2π parts/kTurn
  std::optional<Circle> circle_by_slope(Number tangent_of_half) const;

  /// The fraction, with numerator and denominator up to `largest`, that equals the number in the field, if there is one.
  std::optional<Rational> fraction(Number a, std::int64_t largest = 1'000'000) const;

 private:
  std::uint64_t plain(Number a) const;  // the integer that `a` is in Montgomery's form
  bool choose_unit(std::uint64_t seed);

  // The prime p, −p⁻¹ mod 2⁶⁴, 2⁶⁴ mod p (the number 1 in Montgomery's form), and 2¹²⁸ mod p.
  std::uint64_t p_ = 0, minus_inverse_ = 0, one_ = 0, square_ = 0;
  Circle unit_{0, 0};
};

/// The rank of a matrix over the field whose rows are added one by one and reduced to echelon form.
class PrimeFieldRank {
 public:
  explicit PrimeFieldRank(const PrimeField& field) : field_(field) {}
  /// Adds a row. Returns whether it is independent of the rows before it.
  bool add(std::vector<PrimeField::Number> row);
  std::size_t rank() const { return rows_.size(); }

 private:
  const PrimeField& field_;
  // Rows in echelon form: pivot column, and the row scaled to 1 there.
  std::vector<std::pair<std::size_t, std::vector<PrimeField::Number>>> rows_;
};

/// The next number of the generator SplitMix64.
std::uint64_t next_random(std::uint64_t& state);

}  // namespace dalembert

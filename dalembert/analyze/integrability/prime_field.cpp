// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/integrability/prime_field.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace dalembert {
namespace {

using Wide = unsigned __int128;

std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % n);
}
std::uint64_t power_modulo(std::uint64_t a, std::uint64_t exponent, std::uint64_t n) {
  std::uint64_t result = 1;
  for (a %= n; exponent != 0; exponent >>= 1, a = multiply_modulo(a, a, n))
    if ((exponent & 1U) != 0) result = multiply_modulo(result, a, n);
  return result;
}

// The Miller–Rabin test; these twelve bases decide it below 2⁶⁴ (J. Sorenson and J. Webster, Math. Comp. 86 (2017) 985-1003).
bool is_prime(std::uint64_t n) {
  std::uint64_t odd = n - 1;
  int halvings = 0;
  for (; odd % 2 == 0; odd /= 2) ++halvings;
  for (const std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    if (n % base == 0) return n == base;
    std::uint64_t x = power_modulo(base, odd, n);
    bool passes = x == 1 || x == n - 1;
    for (int i = 1; i < halvings && !passes; ++i) {
      x = multiply_modulo(x, x, n);
      passes = x == n - 1;
    }
    if (!passes) return false;
  }
  return true;
}

std::uint64_t gcd_of(std::uint64_t a, std::uint64_t b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

// The inverse of a modulo n, for coprime a and n.
std::uint64_t inverse_modulo(std::uint64_t a, std::uint64_t n) {
  __int128 r = n, next = a % n, s = 0, s_next = 1;
  while (next != 0) {
    const __int128 quotient = r / next;
    r = std::exchange(next, r - quotient * next);
    s = std::exchange(s_next, s - quotient * s_next);
  }
  return static_cast<std::uint64_t>(s < 0 ? s + n : s);
}

}  // namespace

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::optional<PrimeField> PrimeField::choose(std::uint64_t seed, std::span<const std::int64_t> squares) {
  constexpr int kTries = 100'000;
  constexpr std::uint64_t kBelow = (std::uint64_t{1} << 61) / kTurn, kRange = kBelow / 8;
  PrimeField field;
  std::uint64_t state = seed;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::uint64_t p = (kBelow - next_random(state) % kRange) * kTurn - 1;
    if (p % 7 == 0 || p % 11 == 0 || p % 13 == 0 || p % 7 == 1 || !is_prime(p)) continue;
    if (!std::ranges::all_of(
            squares, [&](std::int64_t q) { return power_modulo(static_cast<std::uint64_t>(q), (p - 1) / 2, p) == 1; }))
      continue;
    field.p_ = p;
    std::uint64_t inverse = p;  // p⁻¹ mod 2⁶⁴ by Newton's method: each step doubles the correct bits
    for (int i = 0; i < 6; ++i) inverse *= 2 - p * inverse;
    field.minus_inverse_ = ~inverse + 1;
    field.one_ = static_cast<std::uint64_t>((static_cast<Wide>(1) << 64) % p);
    field.square_ = multiply_modulo(field.one_, field.one_, p);
    if (field.choose_unit(next_random(state))) return field;
  }
  return std::nullopt;
}

// Chooses a point of order kTurn on the circle, for which the roots of 2, 3 and 5 that raised() takes are cosines and
// sines of acute angles: √2 = 2 cos(π/4) = 2 sin(π/4), √3 = 2 cos(π/6) with sin(π/6) = 1/2, √5 = 4 cos(π/5) − 1.
bool PrimeField::choose_unit(std::uint64_t seed) {
  for (int tries = 0; tries < 1000; ++tries) {
    const auto any = circle_by_slope(of_bits(next_random(seed)));
    if (!any) continue;
    unit_ = Circle{one_, 0};
    Circle turn = *any;
    for (std::uint64_t left = (p_ + 1) / kTurn; left != 0; left >>= 1, turn = turned(turn, turn))
      if ((left & 1U) != 0) unit_ = turned(unit_, turn);
    bool whole = true;
    for (const int factor : {2, 3, 5}) {
      const Circle part = at(static_cast<std::int64_t>(kTurn) / factor);
      whole = whole && !(part.cosine == one_ && part.sine == 0);
    }
    if (!whole) continue;
    const auto twice = [&](std::int64_t parts) {
      const Circle point = at(parts);
      return Circle{add(point.cosine, point.cosine), add(point.sine, point.sine)};
    };
    const Circle eighth = twice(kTurn / 8), twelfth = twice(kTurn / 12);
    const Number fifths = subtract(add(twice(kTurn / 10).cosine, twice(kTurn / 10).cosine), one_);
    if (is_square(eighth.cosine) && is_square(eighth.sine) && is_square(twelfth.cosine) && twelfth.sine == one_ &&
        is_square(fifths))
      return true;
  }
  return false;
}

PrimeField::Number PrimeField::power(Number a, std::uint64_t exponent) const {
  Number result = one_;
  for (; exponent != 0; exponent >>= 1, a = multiply(a, a))
    if ((exponent & 1U) != 0) result = multiply(result, a);
  return result;
}

std::uint64_t PrimeField::plain(Number a) const { return multiply(a, 1); }

PrimeField::Number PrimeField::of_bits(std::uint64_t bits) const { return multiply(bits % p_, square_); }

PrimeField::Number PrimeField::of(std::int64_t integer) const {
  const std::uint64_t size =
      integer < 0 ? ~static_cast<std::uint64_t>(integer) + 1 : static_cast<std::uint64_t>(integer);
  const Number number = of_bits(size);
  return integer < 0 ? negative(number) : number;
}

std::optional<PrimeField::Number> PrimeField::of(const Rational& number) const {
  if (const auto small = number.as_int()) return of(*small);
  const auto integer = [&](const Rational& whole) {
    const std::string digits = whole.to_string();
    const Number ten = of(10);
    Number value = 0;
    for (const char c : digits)
      if (c >= '0' && c <= '9') value = add(multiply(value, ten), of(c - '0'));
    return digits.starts_with('-') ? negative(value) : value;
  };
  const Number below = integer(number.denominator());
  if (below == 0) return std::nullopt;
  return multiply(integer(number.numerator()), inverse(below));
}

std::optional<PrimeField::Number> PrimeField::raised(Number a, const Rational& exponent) const {
  const auto times = exponent.numerator().as_int(), parts = exponent.denominator().as_int();
  if (!times || !parts || (*times < 0 && a == 0)) return std::nullopt;
  if (a == 0) return a;
  // Squares are a group of odd order, in which square roots are powers.
  std::uint64_t order = p_ - 1;
  if (*parts % 2 == 0) {
    if (!is_square(a)) return std::nullopt;
    order /= 2;
  }
  const auto below = static_cast<std::uint64_t>(*parts);
  if (gcd_of(below % order, order) != 1) return std::nullopt;
  std::uint64_t e =
      multiply_modulo(static_cast<std::uint64_t>(std::abs(*times)) % order, inverse_modulo(below, order), order);
  if (*times < 0) e = (order - e) % order;
  return power(a, e);
}

PrimeField::Circle PrimeField::turned(Circle circle, std::int64_t times) const {
  if (times < 0) circle.sine = negative(circle.sine);
  Circle all{one_, 0};
  for (std::int64_t left = std::abs(times); left != 0; left >>= 1, circle = turned(circle, circle))
    if ((left & 1) != 0) all = turned(all, circle);
  return all;
}

std::optional<PrimeField::Circle> PrimeField::circle_by_slope(Number tangent_of_half) const {
  const Number squared = multiply(tangent_of_half, tangent_of_half), below = add(one_, squared);
  if (below == 0) return std::nullopt;
  const Number over = inverse(below);
  return Circle{multiply(subtract(one_, squared), over), multiply(add(tangent_of_half, tangent_of_half), over)};
}

// Rational reconstruction, the fraction n/d that is a modulo p, by the Euclidean algorithm stopped half way: P. S. Wang, A p-adic algorithm for
// univariate partial fractions, SYMSAC 1981.
std::optional<Rational> PrimeField::fraction(Number a, std::int64_t largest) const {
  __int128 r = p_, next = plain(a), s = 0, s_next = 1;
  while (next > largest) {
    const __int128 quotient = r / next;
    r = std::exchange(next, r - quotient * next);
    s = std::exchange(s_next, s - quotient * s_next);
  }
  if (s_next > largest || s_next < -largest || s_next == 0) return std::nullopt;
  return Rational(static_cast<std::int64_t>(next)) / Rational(static_cast<std::int64_t>(s_next));
}

bool PrimeFieldRank::add(std::vector<PrimeField::Number> row) {
  for (const auto& [pivot, with] : rows_) {
    const PrimeField::Number factor = field_.negative(row[pivot]);
    if (factor == 0) continue;
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = field_.add(row[j], field_.multiply(factor, with[j]));
  }
  const auto at = std::ranges::find_if(row, [](PrimeField::Number x) { return x != 0; });
  if (at == row.end()) return false;
  const auto pivot = static_cast<std::size_t>(at - row.begin());
  const PrimeField::Number over = field_.inverse(*at);
  for (PrimeField::Number& x : row) x = field_.multiply(x, over);
  rows_.emplace_back(pivot, std::move(row));
  return true;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/rational.h"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

TEST(Rational, LowestTermsAndSigns) {
  EXPECT_EQ(Rational(6, -4).to_string(), "-3/2");
  EXPECT_EQ((Rational(1, 3) + Rational(1, 6)).to_string(), "1/2");
  EXPECT_EQ((Rational(1, 3) - Rational(1, 3)), Rational(0));
  EXPECT_EQ(Rational(2, 3).power(-3).to_string(), "27/8");
  EXPECT_LT(Rational(-1, 2), Rational(1, 3));
}

// Oracle: the C library's strtod is correctly rounded; an exact decimal converted to double must agree with it.
TEST(Rational, DecimalsAreExactAndRoundCorrectly) {
  EXPECT_EQ(Rational::parse("0.15")->to_string(), "3/20");
  EXPECT_EQ(Rational::parse("1e-3")->to_string(), "1/1000");
  EXPECT_EQ(Rational::parse("2.50")->to_string(), "5/2");
  for (const char* text : {"0.0617138900142764496358948458001", "1.7976931348623157e308", "4.9e-324",
                           "123456789012345678901234567890", "0.1", "2.194e-6"})
    EXPECT_EQ(Rational::parse(text)->to_double(), std::strtod(text, nullptr)) << text;
  for (const char* text : {"", ".", "1e999", "1e-999", "abc", "1.2.3", "1e"})
    EXPECT_FALSE(Rational::parse(text)) << text;
}

// Oracle: fractions of 31-bit numbers in 128-bit integers cannot overflow; larger ones must satisfy the field axioms.
TEST(Rational, GrowsBeyondMachineWords) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    const Rational a(static_cast<std::int64_t>(random() >> 1), static_cast<std::int64_t>(random() >> 1) | 1);
    const Rational b(static_cast<std::int64_t>(random() >> 2), static_cast<std::int64_t>(random() >> 1) | 1);
    EXPECT_EQ((a + b) - b, a);
    EXPECT_EQ((a * b) / b, a);
    EXPECT_EQ((a + b) * (a - b), a * a - b * b);
    EXPECT_NEAR((a * b).to_double(), a.to_double() * b.to_double(), 4e-16 * std::abs(a.to_double() * b.to_double()));
  }
}

// Oracle: 128-bit integers, around the ends of 64 bits.
TEST(Rational, WholeNumbersMultiplyExactly) {
  const auto text = [](__int128 x) {
    std::string digits;
    for (__int128 rest = x < 0 ? -x : x; rest != 0; rest /= 10)
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    return digits.empty() ? "0" : (x < 0 ? "-" : "") + digits;
  };
  const std::int64_t large = std::int64_t{1} << 32, most = INT64_MAX;
  for (const std::int64_t a : {large, -large, large / 2, -large / 2, most, -most, std::int64_t{-1}, std::int64_t{0}})
    for (const std::int64_t b : {large, -large, large / 2, -large / 2, most, -most, std::int64_t{-1}, std::int64_t{3}})
      EXPECT_EQ((Rational(a) * Rational(b)).to_string(), text(static_cast<__int128>(a) * b));
}

// Oracle: floor's definition, floor(x) <= x < floor(x) + 1 with an integer, for fractions of either sign and size.
TEST(Rational, FloorIsTheLargestIntegerNotAbove) {
  EXPECT_EQ(Rational(-7, 2).floor(), Rational(-4));
  EXPECT_EQ(Rational(7, 2).floor(), Rational(3));
  EXPECT_EQ(Rational(-3).floor(), Rational(-3));
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    Rational x(static_cast<std::int64_t>(random()) >> 1, static_cast<std::int64_t>(random() >> (1 + i % 60)) | 1);
    if (i % 2 == 0) x = x * x * x;
    EXPECT_TRUE(x.floor().is_integer());
    EXPECT_LE(x.floor(), x);
    EXPECT_LT(x, x.floor() + 1);
  }
}

TEST(Rational, ExactSquareRoots) {
  EXPECT_EQ(*exact_sqrt(Rational(9, 4)), Rational(3, 2));
  EXPECT_FALSE(exact_sqrt(Rational(2)));
  EXPECT_FALSE(exact_sqrt(Rational(-1)));
}

// Oracles: powers of ten and two known by heart; the axioms of a field; digits that read back as the same number.
TEST(Rational, LongNumbersKeepEveryDigit) {
  const Rational ten(10), two(2);
  EXPECT_EQ(two.power(100).to_string(), "1267650600228229401496703205376");
  EXPECT_EQ((ten.power(54) + 7).to_string(), "1" + std::string(53, '0') + "7");
  EXPECT_EQ((-ten.power(36) / (two.power(70) * 3)).to_string(),
            "-" + (ten.power(36) / two.power(36)).to_string() + "/" + (two.power(34) * 3).to_string());
  EXPECT_EQ(*exact_sqrt(ten.power(800) / two.power(400)), ten.power(400) / two.power(200));
  std::mt19937_64 random(11);
  const auto whole = [&](int words) {
    Rational x(static_cast<std::int64_t>(random() >> 1) + 1);
    for (int i = 1; i < words; ++i) x = x * two.power(63) + Rational(static_cast<std::int64_t>(random() >> 1));
    return random() % 2 == 0 ? x : -x;
  };
  for (int i = 0; i < 200; ++i) {
    // Denominators: a power of two, a long one, one that is shared.
    const Rational below = i % 3 == 0 ? two.power(90) : whole(2), other = i % 3 == 2 ? below : two.power(i % 80);
    const Rational a = whole(3) / below, b = whole(2) / other;
    EXPECT_EQ((a + b) * below * other, a * below * other + b * other * below);
    EXPECT_EQ((a - a), Rational(0));
    EXPECT_EQ(a * b / b, a);
    EXPECT_EQ(a.inverse() * a, Rational(1));
    EXPECT_EQ((a + b).hash(), (b + a).hash());
    EXPECT_EQ(a < b, (a - b).sign() < 0);
    EXPECT_EQ(a.numerator() / a.denominator(), a);
    const std::string digits = whole(4).to_string();
    Rational read = 0;
    for (const char c : digits)
      if (c != '-') read = read * ten + (c - '0');
    EXPECT_EQ((digits[0] == '-' ? -read : read).to_string(), digits);
  }
}

// By definition: it divides both, and the quotients share nothing. Two machine words, and beyond.
TEST(Rational, GreatestCommonDivisors) {
  const Rational p(1'000'000'007), q(998'244'353), big = p.power(5) * q.power(3) * Rational(12);
  EXPECT_EQ(gcd(12, -18), Rational(6));
  EXPECT_EQ(gcd(0, -7), Rational(7));
  EXPECT_EQ(gcd(0, 0), Rational(1));
  EXPECT_EQ(gcd(big, p.power(2) * q.power(7) * Rational(-18)), p.power(2) * q.power(3) * Rational(6));
  EXPECT_EQ(gcd(big, Rational(30)), Rational(6));
}

}  // namespace
}  // namespace dalembert

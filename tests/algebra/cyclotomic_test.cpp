// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/cyclotomic.h"

#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace dalembert {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<70>>;

// |Σ c e^{2πi k/n}| with 70 digits.
Real size_of(const RootSum& sum) {
  const Real step = 8 * atan(Real(1)) / Real(sum.order());
  Real re = 0, im = 0;
  for (const RootSum::Term& term : sum.terms()) {
    const Real c = Real(term.coefficient.numerator().to_string()) / Real(term.coefficient.denominator().to_string());
    re += c * cos(step * Real(term.place));
    im += c * sin(step * Real(term.place));
  }
  return sqrt(re * re + im * im);
}

// Oracle: Gauss, Disquisitiones arithmeticae §356, as numbers: |Σ − √p| at 70 digits.
TEST(CyclotomicTest, SquareRootsOfPrimesAreSumsOfRootsOfUnity) {
  for (const std::int64_t p : {2, 3, 5, 7, 11, 13, 17, 19, 101, 103}) {
    const std::int64_t order = p == 2 ? 24 : 12 * p;
    auto root = square_root_of_prime(p, order);
    ASSERT_TRUE(root) << p;
    RootSum square = root->times(*root);
    square.add(Rational(0), Rational(-p));
    EXPECT_TRUE(square.vanishes()) << p;
    EXPECT_LT(abs(size_of(*root) - sqrt(Real(p))), Real("1e-60")) << p;
  }
  EXPECT_FALSE(square_root_of_prime(2, 12));
  EXPECT_FALSE(square_root_of_prime(5, 12));
  EXPECT_FALSE(square_root_of_prime(7, 14));
}

// Oracle: by construction. Sums of Σ_j e^{2πi(x + j/p)} = 0 with random x, p and factors vanish; with one coefficient
// changed they are a root of unity times a number. Values at 70 digits agree: a nonzero sum of this size is above
// 1e-40.
TEST(CyclotomicTest, DecidesRandomRelations) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  constexpr std::int64_t kPrimes[] = {2, 3, 5, 7, 11, 13};
  for (int trial = 0; trial < 400; ++trial) {
    std::int64_t order = 1;
    for (int i = 0; i < 4; ++i) order *= kPrimes[below(6)];
    RootSum sum(order);
    const std::vector<std::int64_t> primes = prime_factors(order);
    for (int relations = 1 + static_cast<int>(below(6)); relations > 0; --relations) {
      const std::int64_t p = primes[static_cast<std::size_t>(below(static_cast<std::uint32_t>(primes.size())))];
      const std::int64_t x = below(static_cast<std::uint32_t>(order));
      const Rational c(1 + below(9), 1 + below(7));
      for (std::int64_t j = 0; j < p; ++j) sum.add(Rational(x, order) + Rational(j, p), c);
    }
    EXPECT_TRUE(sum.vanishes()) << order;
    EXPECT_LT(size_of(sum), Real("1e-60"));
    RootSum wrong = sum;
    wrong.add(Rational(below(static_cast<std::uint32_t>(order)), order), Rational(1, 1 + below(100)));
    EXPECT_FALSE(wrong.vanishes()) << order;
    // Random small sums, true or not: the numbers decide.
    RootSum few(order);
    for (int k = 0; k < 4; ++k)
      few.add(Rational(below(static_cast<std::uint32_t>(order)), order), Rational(below(3) - 1));
    EXPECT_EQ(few.vanishes(), size_of(few) < Real("1e-40")) << order;
  }
}

// Oracle: μ(n)/φ(n) is the mean of the primitive roots of unity, here summed one by one.
TEST(CyclotomicTest, RationalPartIsTheMeanOfTheConjugates) {
  for (std::int64_t n = 1; n <= 60; ++n) {
    RootSum root(n);
    root.add(Rational(1, n), 1);
    RootSum conjugates(n);
    int count = 0;
    for (std::int64_t k = 1; k <= n; ++k)
      if (std::gcd(k, n) == 1) {
        conjugates.add(Rational(k, n), 1);
        ++count;
      }
    conjugates.add(Rational(0), -root.rational_part() * Rational(count));
    EXPECT_TRUE(conjugates.vanishes()) << n;
  }
}

// A large order costs what its terms cost: 3·10⁸ has primes 2, 3 and 5 only, and the sum has five terms.
TEST(CyclotomicTest, LargeOrdersAreDecided) {
  RootSum sum(300'000'000);
  for (int j = 0; j < 5; ++j) sum.add(Rational(1, 300'000'000) + Rational(j, 5), 1);
  EXPECT_TRUE(sum.vanishes());
  sum.add(Rational(7, 300'000'000), 1);
  EXPECT_FALSE(sum.vanishes());
}

}  // namespace
}  // namespace dalembert

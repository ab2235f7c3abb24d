// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/sine_cosine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

// In units in the last place of what is right.
double error_of(double value, long double right) {
  const double near = static_cast<double>(right);
  const double unit = std::nextafter(std::abs(near), std::numeric_limits<double>::infinity()) - std::abs(near);
  return static_cast<double>(std::abs(static_cast<long double>(value) - right) / static_cast<long double>(unit));
}

// Truth: sinl and cosl, whose 64 bits are 2048 times finer than a double's last bit; the header promises one unit. A third
// of the arguments are the doubles next to multiples of π/2, where one of the two is as good as 0.
TEST(SineCosine, IsWithinTheUnitsPromised) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no finer than double";
  std::mt19937_64 random(1);
  double most = 0;
  for (const double range : {0.01, 0.8, 4.0, 100.0, 1e5}) {
    for (int i = 0; i < 100'000; ++i) {
      double x = range * (std::ldexp(static_cast<double>(random() >> 11), -52) - 1);
      if (i % 3 == 0) x = std::round(x * 2 / std::numbers::pi) * (std::numbers::pi / 2);
      const SineCosine both = sine_cosine(x);
      if (x != 0) most = std::max(most, error_of(both.sine, std::sin(static_cast<long double>(x))));
      most = std::max(most, error_of(both.cosine, std::cos(static_cast<long double>(x))));
    }
  }
  EXPECT_LE(most, 1);
}

// Truth: sin is odd and cos even, 0 and what lies beyond the reduction are the C library's, and nothing is finite of infinity.
TEST(SineCosine, HoldsAtTheEnds) {
  for (const double x : {0.0, 1e-300, 5e-324, 0.5, 1.0, 3.0, 99999.0, 1e5, 1.1e5, 1e18, 1e300}) {
    const SineCosine right = sine_cosine(x), left = sine_cosine(-x);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(left.sine), std::bit_cast<std::uint64_t>(-right.sine)) << x;
    EXPECT_EQ(left.cosine, right.cosine) << x;
    EXPECT_NEAR(right.sine, std::sin(x), 2e-16) << x;
    EXPECT_NEAR(right.cosine, std::cos(x), 2e-16) << x;
  }
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sine_cosine(x).sine));
    EXPECT_TRUE(std::isnan(sine_cosine(-x).cosine));
  }
}

// Truth: the bits of a machine that rounds once for each operation. FNV-1a of both results, so that a compiler that contracts
// a product and a sum, or reorders them, is found here and not in a run that differs.
TEST(SineCosine, HasTheSameBitsEverywhere) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int i = -50'000; i <= 50'000; ++i) {
    const SineCosine both = sine_cosine(i * 0.0123456789);
    for (const double value : {both.sine, both.cosine})
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3u;
  }
  EXPECT_EQ(hash, 10957239543849886037u);
}

}  // namespace
}  // namespace dalembert

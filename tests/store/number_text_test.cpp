// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

std::string ours(double value) {
  std::array<char, kLongestNumber + 8> text;
  return {text.data(), write_number(text.data(), value)};
}

// Truth: std::to_chars, the shortest text that reads back as the same double.
std::string truth(double value) {
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

TEST(NumberText, IsThatOfToChars) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.1,
                             0.5,
                             1e4,
                             1e5,
                             123456.0,
                             1234567.0,
                             1e-3,
                             1e-4,
                             1e-5,
                             1.5e-5,
                             12e-5,
                             1e15,
                             1e16,
                             1e22,
                             1e23,
                             1e100,
                             1e-100,
                             9007199254740991.0,
                             9007199254740992.0,
                             9007199254740994.0,
                             123456789012345680.0,
                             1.0 / 3,
                             Limits::max(),
                             Limits::lowest(),
                             Limits::min(),
                             Limits::denorm_min(),
                             -Limits::min()})
    EXPECT_EQ(ours(value), truth(value));
  EXPECT_EQ(truth(-Limits::min()).size(), kLongestNumber);

  // All bit patterns alike; then numbers as runs have them: few digits, many, whole, powers of 2 and of 10.
  std::mt19937_64 random(20261122);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 100'000; ++i) {
    const double any = std::bit_cast<double>(random());
    const double x = unit(random), tens = std::pow(10, static_cast<int>(random() % 40) - 20);
    for (const double value :
         {std::isfinite(any) ? any : 1, x, x * tens, std::round(x * 1e6) / 1e3, std::round(x * 1e15),
          std::round(x * 1000) * tens, std::ldexp(1.0, static_cast<int>(random() % 2098) - 1074)})
      ASSERT_EQ(ours(value), truth(value));
  }
}

}  // namespace
}  // namespace dalembert

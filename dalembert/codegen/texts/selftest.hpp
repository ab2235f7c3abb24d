// SPDX-License-Identifier: Apache-2.0
// Functions by which self-tests in C++ compare results.
#define PRINTED

//: kCppSelftest
// Compares $.hpp with reference values; exit status 0 when all agree.
//   cc -std=c99 -c $.c; c++ -std=c++20 $_self*.cpp $.o -lm; ./a.out
#include "$.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

int checks = 0, failures = 0;

[[maybe_unused]] void status(const char* what, int got, int expected) {
  ++checks;
  if (got == expected) return;
  ++failures;
  std::printf("%s: status %d instead of %d\n", what, got, expected);
}

// clang-format off
[[maybe_unused]] void compare(const char* what, std::span<const double> got, std::size_t stride, const std::vector<double>& expected,
             const std::vector<double>& allowed) {
  // clang-format on
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ++checks;
    const double tolerance = allowed[allowed.size() == 1 ? 0 : i];
    if (std::fabs(got[i * stride] - expected[i]) <= tolerance) continue;
    ++failures;
    std::printf("%s[%d] = %.17g instead of %.17g, allowed are %g\n", what, static_cast<int>(i * stride),
                PRINTED got[i * stride], PRINTED expected[i], PRINTED tolerance);
  }
}

[[maybe_unused]] void fill(std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((37 * i + 5) % 101) / 101.0 - 0.5;
}

//: end
}  // namespace

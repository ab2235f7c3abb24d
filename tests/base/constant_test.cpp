// SPDX-License-Identifier: Apache-2.0
// Values written as formulas of numbers, quantities and pi.
#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/base/constant.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

Result<Quantity> constant(const std::string& text) { return parse_constant(MappedText::of(text)); }

TEST(Constant, IsAFormulaOfQuantities) {
  struct Case {
    std::string text;
    double value;
    std::string unit;  // "" without one
  };
  constexpr double kPi = std::numbers::pi;
  for (const Case& one : {Case{"0.15 m", 0.15, "m"},
                          Case{"2*pi/3", 2 * kPi / 3, ""},
                          Case{"-pi", -kPi, ""},
                          Case{"2*pi rad/s", 2 * kPi, "rad/s"},
                          Case{"pi/6", kPi / 6, ""},
                          Case{"1/3", 1.0 / 3, ""},
                          Case{"2*(0.3 m) + 5 mm", 0.605, "m"},
                          Case{"(2 m)/(4 s)", 0.5, "m/s"},
                          Case{"sqrt(2)/2", std::numbers::sqrt2 / 2, ""},
                          Case{"sqrt(9 m^2)", 3, "m"},
                          Case{"2^3", 8, ""},
                          Case{"-2^2", -4, ""},
                          Case{"2^-1", 0.5, ""},
                          Case{"30 deg + 15 deg", kPi / 4, "rad"},
                          Case{"1/2*3 kg*m^2", 1.5, "kg*m^2"},
                          Case{"1e3*9.81", 9810, ""},
                          Case{"3*2 N*m", 6, "J"},
                          Case{"(2*pi/3) s", 2 * kPi / 3, "s"},
                          Case{"pi/2 rad", kPi / 2, "rad"},
                          Case{"10 m/2", 5, "m"}}) {
    const Result<Quantity> read = constant(one.text);
    ASSERT_TRUE(read) << one.text << "\n" << render(read.diagnostics());
    EXPECT_NEAR(read->value, one.value, 1e-15 * std::abs(one.value) + 1e-300) << one.text;
    EXPECT_EQ(read->dimension.has_value(), !one.unit.empty()) << one.text;
    if (read->dimension) EXPECT_EQ(unit_name(*read->dimension, Measure::kAngle), one.unit) << one.text;
  }
}

TEST(Constant, AnythingElseIsRefused) {
  for (const char* text : {"", "2*L1", "2*", "(2", "2)", "1 m + 2 s", "1 m + 2", "1/0", "0/0", "sqrt(-1)", "2 pi",
                           "2..5*3", "m", "2^(1 m)", "1*+", "pi pi", "2 m 3", "3*sin(1)"})
    EXPECT_FALSE(constant(text)) << text;
  EXPECT_THAT(render(constant("1 m + 2 s").diagnostics()), HasSubstr("cannot add `s` to `m`"));
  EXPECT_THAT(render(constant("2*L1").diagnostics()), HasSubstr("`pi`"));
  // The unit of the divisor or of the whole?
  EXPECT_THAT(render(constant("2*pi/3 s").diagnostics()), HasSubstr("write `(2*pi/3) s` or `2*pi/(3 s)`"));
  EXPECT_THAT(render(constant("1/2 deg").diagnostics()), HasSubstr("write `(1/2) deg` or `1/(2 deg)`"));
  EXPECT_THAT(render(constant("3 m/2 s").diagnostics()), HasSubstr("write `3 m/(2 s)`"));
  const std::string deep(100'000, '(');
  EXPECT_FALSE(constant("2*" + deep));
}

}  // namespace
}  // namespace dalembert

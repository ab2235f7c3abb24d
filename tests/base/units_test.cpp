// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/units.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

double factor(const std::string& text) {
  const auto unit = parse_unit(MappedText::of(text));
  return unit ? unit->factor : std::nan("");
}
std::string name(const std::string& text) {
  const auto unit = parse_unit(MappedText::of(text));
  return unit ? unit_name(unit->dimension) : "error";
}

// Oracle: the SI brochure's definitions (BIPM, 9th ed. 2019); factors are exact decimal or multiples of pi.
TEST(Units, FactorsOfUsualUnits) {
  EXPECT_DOUBLE_EQ(factor("cm"), 0.01);
  EXPECT_DOUBLE_EQ(factor("kg"), 1.0);
  EXPECT_DOUBLE_EQ(factor("g"), 1e-3);
  EXPECT_DOUBLE_EQ(factor("mg"), 1e-6);
  EXPECT_DOUBLE_EQ(factor("deg"), std::numbers::pi / 180);
  EXPECT_DOUBLE_EQ(factor("deg/s"), std::numbers::pi / 180);
  EXPECT_DOUBLE_EQ(factor("rpm"), std::numbers::pi / 30);
  EXPECT_DOUBLE_EQ(factor("kN*mm"), 1.0);
  EXPECT_DOUBLE_EQ(factor("N m"), 1.0);
  EXPECT_DOUBLE_EQ(factor("km/h"), 1 / 3.6);
  EXPECT_DOUBLE_EQ(factor("m/s^2"), 1.0);
  EXPECT_DOUBLE_EQ(factor("cm^2"), 1e-4);
  EXPECT_DOUBLE_EQ(factor("cm²"), 1e-4);
  EXPECT_DOUBLE_EQ(factor("µm"), 1e-6);
  EXPECT_DOUBLE_EQ(factor("1/(ms)"), 1e3);
}

TEST(Units, NamesOfDimensions) {
  EXPECT_EQ(name("kg*m/s^2"), "N");
  EXPECT_EQ(name("N*m"), "J");
  EXPECT_EQ(name("rad"), "1");
  EXPECT_EQ(name("kg m^2"), "kg*m^2");
  EXPECT_EQ(name("1/s"), "1/s");
  EXPECT_EQ(name("m/s^2"), "m/s^2");
  EXPECT_EQ(name("N/m"), "N/m");
  EXPECT_EQ(name("m^0.5"), "m^(1/2)");
  EXPECT_EQ(name("m^(6/4)/s"), "m^(3/2)/s");
  EXPECT_EQ(name("kg^(1/3)*m^(5/6)"), "kg^(1/3)*m^(5/6)");
}

// A prefix alone, a unit that takes no prefix and a slip are refused; the slip gets a suggestion.
TEST(Units, RefusesWhatIsNoUnit) {
  for (const char* text : {"", "k", "kdeg", "m^", "m^x", "(m", "m)", "2", "m//s", "foo", "m*"})
    EXPECT_FALSE(parse_unit(MappedText::of(text))) << text;
  const auto slip = parse_unit(MappedText::of("kgg*m"));
  ASSERT_FALSE(slip);
  EXPECT_EQ(slip.diagnostics()[0].code, "E0201");
  EXPECT_EQ(slip.diagnostics()[0].help[0], "did you mean `kg`?");
}

TEST(Quantities, NumbersWithAndWithoutUnits) {
  const auto length = parse_quantity(MappedText::of("0.15 m"));
  ASSERT_TRUE(length);
  EXPECT_DOUBLE_EQ(length->value, 0.15);
  EXPECT_EQ(*length->dimension, Dimension::length());
  const auto plain = parse_quantity(MappedText::of("-3e-2"));
  ASSERT_TRUE(plain);
  EXPECT_DOUBLE_EQ(plain->value, -0.03);
  EXPECT_FALSE(plain->dimension);
  EXPECT_DOUBLE_EQ(parse_quantity(MappedText::of("30deg"))->value, std::numbers::pi / 6);
  EXPECT_DOUBLE_EQ(parse_quantity(MappedText::of(".5 m"))->value, 0.5);
  for (const char* text : {"", " ", "m", "1e999", "nan", "inf", "--1", "1 2 m"})
    EXPECT_FALSE(parse_quantity(MappedText::of(text))) << text;
}

}  // namespace
}  // namespace dalembert

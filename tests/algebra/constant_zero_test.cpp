// SPDX-License-Identifier: Apache-2.0
// Truth: identities between radicals from tables (Ramanujan's; the regular polygons), which numbers of 50 digits confirm, and the same with one
// digit changed.
#include "dalembert/algebra/constant_zero.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "dalembert/algebra/enclosure.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

class ConstantZeroTest : public ::testing::Test {
 protected:
  ConstantZeroTest() {
    graph.add_symbol({"x", SymbolKind::kCoordinate, 0, ""});
    if (!has_balls()) skip = true;
  }
  Expr difference(const std::string& left, const std::string& right) {
    const auto parsed = parse(left + " - (" + right + ")", graph);
    EXPECT_TRUE(parsed.ok()) << left;
    return parsed.ok() ? *parsed : Expr();
  }
  Graph graph;
  bool skip = false;
};

TEST_F(ConstantZeroTest, EqualRadicals) {
  if (skip) GTEST_SKIP() << "without Arb";
  for (const auto& [left, right] : {
           std::pair{"sqrt(3 + 2*sqrt(2))", "1 + sqrt(2)"},
           {"sqrt(5 + 2*sqrt(6))", "sqrt(2) + sqrt(3)"},
           {"(7 + 5*sqrt(2))^(1/3)", "1 + sqrt(2)"},
           {"(2^(1/3) - 1)^(1/3)", "(1/9)^(1/3) - (2/9)^(1/3) + (4/9)^(1/3)"},
           {"8*sin(pi/14)*sin(3*pi/14)*sin(5*pi/14)", "1"},
           {"tan(pi/16)", "sqrt(4 + 2*sqrt(2)) - sqrt(2) - 1"},
           {"2*cos(pi/16)", "sqrt(2 + sqrt(2 + sqrt(2)))"},
           {"abs(1 - sqrt(2))", "1/(1 + sqrt(2))"},
       })
    EXPECT_TRUE(is_algebraic_zero(difference(left, right))) << left;
}

TEST_F(ConstantZeroTest, NotEqualOrNotKnown) {
  for (const auto& [left, right] : {
           std::pair{"sqrt(3 + 2*sqrt(2))", "1 + sqrt(2) + 1/1000000000000000000000"},
           {"sqrt(1000001) + sqrt(1000025) + sqrt(1000031)", "sqrt(1000000) + sqrt(1000028) + sqrt(1000029)"},
           {"sqrt(1 - sqrt(2))", "sqrt(1 - sqrt(2)) + 0*sqrt(3)"},  // no value, and the graph says 0 before
           {"4*atan(1/5) - atan(1/239)", "pi/4"},                   // equal, and not algebraic
           {"sqrt(3 + 2*sqrt(2))*x", "(1 + sqrt(2))*x"},            // not a number
       }) {
    const Expr number = difference(left, right);
    if (!number.is_zero()) EXPECT_FALSE(is_algebraic_zero(number)) << left;
  }
}

TEST_F(ConstantZeroTest, CoefficientsOfForms) {
  if (skip) GTEST_SKIP() << "without Arb";
  Canonicalizer canonicalizer(graph);
  const auto decided = [&](const std::string& left, const std::string& right) {
    return decide_zero(canonicalizer, difference(left, right));
  };
  EXPECT_EQ(decided("sqrt(3 + 2*sqrt(2))*x*sin(x)^2", "(1 + sqrt(2))*x*sin(x)^2"), ZeroTest::kZero);
  EXPECT_EQ(decided("sqrt(3 + 2*sqrt(2))*x + pi*cos(x)", "x + sqrt(2)*x + pi*cos(x)"), ZeroTest::kZero);
  EXPECT_EQ(decided("sqrt(3 + 2*sqrt(2))*x", "(1 + sqrt(2))*x^2"), ZeroTest::kNonzero);
}

// Truth: the addition theorem of the tangent, as in Machin's formula; angles of right triangles and regular polygons.
TEST_F(ConstantZeroTest, SumsOfAnglesOfNumbers) {
  Canonicalizer canonicalizer(graph);
  const auto decided = [&](const std::string& left, const std::string& right) {
    return decide_zero(canonicalizer, difference(left, right));
  };
  for (const auto& [left, right] : {
           std::pair{"4*atan(1/5) - atan(1/239)", "pi/4"},
           {"12*atan(1/18) + 8*atan(1/57) - 5*atan(1/239)", "pi/4"},
           {"atan(1/2) + atan(1/3)", "pi/4"},
           {"atan(1) + atan(2) + atan(3)", "pi"},
           {"2*atan(1/2)", "atan(4/3)"},
           {"asin(3/5)", "atan(3/4)"},
           {"acos(-3/5)", "pi - acos(3/5)"},
           {"asin(3/5) + asin(5/13)", "asin(56/65)"},
           {"atan2(-3, -4)", "atan(3/4) - pi"},
           {"atan2(1, -2)/3 + atan(1/2)/3", "pi/3"},
           {"x*cos(x)*atan(1/2) + x*cos(x)*atan(1/3)", "pi/4*x*cos(x)"},
           {"pi*atan(1/2) + pi*atan(1/3)", "pi^2/4"},
           {"sqrt(2)*x*atan(1/2) + sqrt(2)*x*atan(1/3) + x*atan(2)", "sqrt(2)*pi/4*x + pi/2*x - x*atan(1/2)"},
       })
    EXPECT_EQ(decided(left, right), ZeroTest::kZero) << left;
  if (skip) GTEST_SKIP() << "without Arb";
  for (const auto& [left, right] : {
           std::pair{"atan(sqrt(2) - 1)", "pi/8"},
           {"acos(1/3)", "atan(2*sqrt(2))"},
           {"atan(sqrt(5 - 2*sqrt(5)))", "pi/5"},
           {"2*atan(sqrt(2)/2)", "acos(1/3)"},
       })
    EXPECT_EQ(decided(left, right), ZeroTest::kZero) << left;
}

// Sums that differ by a turn, by little, or by a part that is no angle.
TEST_F(ConstantZeroTest, SumsOfAnglesThatAreNotZero) {
  Canonicalizer canonicalizer(graph);
  const auto decided = [&](const std::string& left, const std::string& right) {
    return decide_zero(canonicalizer, difference(left, right));
  };
  for (const auto& [left, right] : {
           std::pair{"atan(2) + atan(3)", "-pi/4"},
           {"atan(2) + atan(3)", "3*pi/4 + 2*pi"},
           {"atan(1/2) + atan(1/3)", "pi/4 + 1/1000000000000000000"},
           {"4*atan(1/5) - atan(1/240)", "pi/4"},
           {"x*atan(1/2) + x^2*atan(1/3)", "pi/4*x"},
       })
    EXPECT_NE(decided(left, right), ZeroTest::kZero) << left;
}

// A number whose degree asks for more digits than there are is left open, at once.
TEST_F(ConstantZeroTest, TooManyRoots) {
  std::string sum = "sqrt(2)";
  for (const int n : {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) sum = "sqrt(" + std::to_string(n) + " + " + sum + ")";
  EXPECT_FALSE(is_algebraic_zero(difference("(" + sum + ")^2", "37 + sqrt(2)")));
}

}  // namespace
}  // namespace dalembert

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

// A number whose degree asks for more digits than there are is left open, at once.
TEST_F(ConstantZeroTest, TooManyRoots) {
  std::string sum = "sqrt(2)";
  for (const int n : {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) sum = "sqrt(" + std::to_string(n) + " + " + sum + ")";
  EXPECT_FALSE(is_algebraic_zero(difference("(" + sum + ")^2", "37 + sqrt(2)")));
}

}  // namespace
}  // namespace dalembert

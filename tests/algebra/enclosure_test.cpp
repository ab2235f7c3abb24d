// SPDX-License-Identifier: Apache-2.0
// Enclosures against values known beforehand: identities, whose two sides can never be told apart, the same identities
// with one coefficient changed, which must be, and the domains of the functions.
#include "dalembert/algebra/enclosure.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Outcome = Separation::Outcome;

class Enclosures : public ::testing::Test {
 protected:
  Expr read(const std::string& text) {
    const auto parsed = parse(text, graph);
    EXPECT_TRUE(parsed.ok()) << text;
    return *parsed;
  }
  EnclosedPoint at(const Rational& x_value, const Rational& y_value = Rational(1, 3)) const {
    return {{{x.symbol(), x_value}, {y.symbol(), y_value}}, {}, nullptr};
  }
  Outcome told_apart(const std::string& a, const std::string& b, const EnclosedPoint& point) {
    return separate(read(a), read(b), point, {}, Effort::kFull).outcome;
  }
  Graph graph;
  Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}});
  Expr y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
};

// What has a value, by the definitions of the functions.
TEST_F(Enclosures, DomainsAreCertain) {
  EXPECT_EQ(sign_at(read("1/(x - 1/3)"), at({1, 3})), Sign::kNoValue);
  EXPECT_EQ(sign_at(read("x/(x - y)"), at({1, 3})), Sign::kNoValue);
  EXPECT_EQ(sign_at(read("sqrt(x)"), at({-1, 3})), Sign::kNoValue);
  EXPECT_EQ(sign_at(read("sqrt(x)"), at(0)), Sign::kZero);
  EXPECT_EQ(sign_at(read("x^(-1/2)"), at(0)), Sign::kNoValue);
  EXPECT_EQ(sign_at(read("log(x)"), at(0)), Sign::kNoValue);
  EXPECT_EQ(sign_at(read("asin(x)"), at({5, 4})), Sign::kNoValue);
  EXPECT_EQ(sign_at(read("atan2(x, x)"), at(0)), Sign::kNoValue);
  EXPECT_EQ(sign_at(read("x^y"), at({-1, 2}, 3)), Sign::kNegative);
  EXPECT_EQ(sign_at(read("x^y"), at({-1, 2}, {1, 2})), Sign::kNoValue);
  // Only the branch that is chosen counts.
  EXPECT_EQ(sign_at(read("if(x > 0, 1/x, -1)"), at(0)), Sign::kNegative);
  // sin² + cos² − 1 is 0, which no enclosure can show: it stays open.
  EXPECT_EQ(sign_at(read("1/(sin(x)^2 + cos(x)^2 - 1)"), at({1, 3}), Effort::kFull), Sign::kUnknown);
}

// Both sides are equal: theorems of the functions. No precision may tell them apart.
TEST_F(Enclosures, EqualValuesAreNeverToldApart) {
  for (const auto& [a, b] :
       std::vector<std::pair<std::string, std::string>>{{"exp(x + y)", "exp(x)*exp(y)"},
                                                        {"sin(2*x)", "2*sin(x)*cos(x)"},
                                                        {"cosh(x)^2 - sinh(x)^2", "1"},
                                                        {"tan(atan(1000*x))", "1000*x"},
                                                        {"log(exp(y))", "y"},
                                                        {"(1e6*x + 2)*(1e6*y - 2)", "1e12*x*y - 2e6*x + 2e6*y - 4"},
                                                        {"sin(70*pi/180)", "cos(20*pi/180)"},
                                                        {"atan2(y, x)", "2*atan(y/(sqrt(x^2 + y^2) + x))"},
                                                        {"max(x, y) + min(x, y)", "x + y"},
                                                        {"x^(1/3)*x^(1/6)", "sqrt(x)"}})
    for (const Rational& value : {Rational(1, 7), Rational(2), Rational(1000001, 7)}) {
      const Outcome outcome = told_apart(a, b, at(value));
      // exp(142857) is beyond doubles, which then say nothing.
      const bool same = outcome == Outcome::kClose || outcome == Outcome::kEqual;
      EXPECT_TRUE(same || (!has_balls() && outcome == Outcome::kUnknown)) << a << " at " << value.to_string();
    }
}

// The same with a change far below what doubles hold.
TEST_F(Enclosures, UnequalValuesAreToldApart) {
  if (!has_balls()) GTEST_SKIP() << "needs Arb";
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"exp(x + y)", "exp(x)*exp(y) + 1e-100"},
           {"sin(2*x)", "(2 + 1e-40)*sin(x)*cos(x)"},
           {"(1e40*x + 2)*(1e40*y - 2)", "1e80*x*y - 2e40*x + 2e40*y - 4 + 1e-40*x"},
           {"sin(x + 1e-300)", "sin(x)"},
           {"1e30*(sqrt(x + 1) - sqrt(x))", "1e30/(sqrt(x + 1) + sqrt(x)) + 1e-30"}}) {
    const Separation s = separate(read(a), read(b), at({1, 7}), {}, Effort::kFull);
    EXPECT_EQ(s.outcome, Outcome::kDiffer) << a;
    EXPECT_NE(s.difference, 0) << a;
    EXPECT_NE(s.a_digits, s.b_digits) << a;
  }
}

// A formula for a symbol is put in exactly: x = y makes x − y zero.
TEST_F(Enclosures, SymbolsMayStandForFormulas) {
  const std::unordered_map<SymbolId, Expr> defined{{x.symbol(), y}};
  const EnclosedPoint point{{{y.symbol(), Rational(1, 3)}}, {}, &defined};
  EXPECT_EQ(sign_at(read("x - y"), point), Sign::kZero);
  EXPECT_EQ(sign_at(read("sin(x - y)/(x - y)"), point), Sign::kNoValue);
}

// The value in doubles lies within the bounds, widened by its own round-off (some 20 operations of 2⁻⁵³ each).
TEST_F(Enclosures, IntervalsHoldTheValue) {
  std::mt19937_64 random(7);
  for (const std::string text :
       {"sin(3*x)*cos(y)", "exp(-x^2)*x^3", "atan2(y, x)", "tan(x)", "x^4 - y^3", "cosh(x)/(1 + sinh(y)^2)",
        "sqrt(x^2 + 1)", "(x^2 + 1)^(1/3)", "acos(x/9)", "tanh(x)*log(2 + x^2)", "abs(x - y)", "max(x, y^2)"}) {
    const Expr e = read(text);
    for (int i = 0; i < 200; ++i) {
      const Rational a(static_cast<std::int64_t>(random() % 128) - 64, 8),
          b(static_cast<std::int64_t>(random() % 128) - 64, 7);
      const double value = evaluate(e, [&](SymbolId s) { return (s == x.symbol() ? a : b).to_double(); });
      const MaybeInterval bounds = enclose(e, at(a, b));
      if (!bounds) continue;
      const double slack = 1e-14 * std::abs(value);
      EXPECT_LE(bounds->lower, value + slack) << text;
      EXPECT_GE(bounds->upper, value - slack) << text;
      EXPECT_LE(bounds->upper - bounds->lower, 1e-9 * (1 + std::abs(value))) << text;
    }
  }
}

// Round-off decides nothing: a difference of 10⁻²⁰ of terms of size 1 is found, and none is invented at 10¹².
TEST_F(Enclosures, TheZeroTestRestsOnThem) {
  Canonicalizer canonicalizer(graph);
  EXPECT_EQ(decide_zero(canonicalizer, read("(1e6*x + 2)*(1e6*y - 2) - (1e12*x*y - 2e6*x + 2e6*y - 4)")),
            ZeroTest::kZero);
  EXPECT_EQ(decide_zero(canonicalizer, read("(1e6*x + 2)*(1e6*y - 2) - (1e12*x*y - 2e6*x + 2e6*y - 4) + 1e-20*x")),
            ZeroTest::kNonzero);
  EXPECT_EQ(decide_zero(canonicalizer, read("asin(x) + acos(x) - pi/2")), ZeroTest::kUndecided);
  if (!has_balls()) return;
  EXPECT_EQ(decide_zero(canonicalizer, read("exp(x)*exp(y) - (1 + 1e-30)*exp(x + y)")), ZeroTest::kNonzero);
}

}  // namespace
}  // namespace dalembert

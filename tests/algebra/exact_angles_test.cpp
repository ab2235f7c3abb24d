// SPDX-License-Identifier: Apache-2.0
// Equality of formulas with constant angles, square roots, and functions inside sines and cosines.
#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

class ExactAnglesTest : public ::testing::Test {
 protected:
  Graph graph;
  Expr m = graph.add_symbol({"m", SymbolKind::kParameter, 0, ""});
  Expr a = graph.add_symbol({"a", SymbolKind::kParameter, 1, ""});
  Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, ""});
  Expr y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, ""});
  Expr s = graph.add_symbol({"s", SymbolKind::kCoordinate, 2, ""});
  Canonicalizer canonicalizer{graph};

  Expr number(int n) { return graph.constant(n); }
  Expr degrees(int n) { return Rational(n, 180) * graph.pi(); }
  // Forms alone, without a look at values.
  bool vanishes(const Expr& e) {
    auto form = canonicalizer.canonical(e);
    if (form) form = canonicalizer.cleared(*std::move(form));
    return form && form->empty();
  }
  bool equal(const Expr& l, const Expr& r) { return vanishes(l - r); }
  std::string shown(const Expr& e) {
    return print(canonicalizer, *canonicalizer.canonical(e), Gathering::kShortest, Notation::kText);
  }
};

// Oracle: cos² + sin² = 1 of the incline's direction; (√p)² = p.
TEST_F(ExactAnglesTest, PowersOfRootsOfNumbersAreNumbers) {
  for (const int incline : {30, 36, 45, 60, 72}) {
    const Expr speed = square(s * cos(degrees(incline))) + square(s * sin(degrees(incline)));
    EXPECT_TRUE(equal(speed, square(s))) << incline;
    EXPECT_EQ(shown(m * speed), "m*s^2") << incline;
  }
  EXPECT_EQ(shown(pow(m * sqrt(number(2)), Rational(2))), "2*m^2");
  EXPECT_EQ(shown(pow(m * sqrt(number(2)), Rational(3))), "2*sqrt(2)*m^3");
  EXPECT_EQ(shown(pow(x * sqrt(number(12)), Rational(-2))), "1/12/x^2");
  EXPECT_EQ(shown(pow(pow(number(2), Rational(1, 3)) * x, Rational(7))), "4*2^(1/3)*x^7");
  EXPECT_TRUE(equal(1 / sqrt(number(2)), sqrt(number(2)) / 2));
  EXPECT_TRUE(equal(sqrt(2 * x + 2 * m), sqrt(number(2)) * sqrt(x + m)));
  EXPECT_TRUE(equal(sqrt(number(3)) * sqrt(2 * x), sqrt(number(2)) * sqrt(3 * x)));
  EXPECT_FALSE(equal(sqrt(2 * x), 2 * sqrt(x)));
}

// Oracle: Abramowitz and Stegun 4.3.46 and 4.3.31; Morrie's law; relations of the sums of roots of unity.
TEST_F(ExactAnglesTest, ConstantAnglesKnowTheirRelations) {
  EXPECT_TRUE(equal(sin(degrees(70)), cos(degrees(20))));
  EXPECT_TRUE(equal(sin(Rational(4, 5) * graph.pi()), sin(graph.pi() / 5)));
  EXPECT_TRUE(equal(cos(graph.pi() / 5), (1 + sqrt(number(5))) / 4));
  EXPECT_TRUE(equal(cos(graph.pi() / 12), (sqrt(number(6)) + sqrt(number(2))) / 4));
  EXPECT_TRUE(equal(sin(degrees(20)) * sin(degrees(40)) * sin(degrees(80)), sqrt(number(3)) / 8));
  EXPECT_TRUE(equal(cos(degrees(20)) * cos(degrees(40)) * cos(degrees(80)), number(1) / 8));
  EXPECT_TRUE(equal(tan(degrees(20)) * tan(degrees(40)) * tan(degrees(80)), sqrt(number(3))));
  EXPECT_TRUE(equal(sin(degrees(18)), (sqrt(number(5)) - 1) / 4));
  EXPECT_TRUE(equal(16 * square(sin(degrees(36))), 10 - 2 * sqrt(number(5))));
  // sin(2π/7) + sin(4π/7) + sin(8π/7) = √7/2
  const Expr seventh = graph.pi() / 7;
  EXPECT_TRUE(equal(sin(2 * seventh) + sin(4 * seventh) + sin(8 * seventh), sqrt(number(7)) / 2));
  EXPECT_TRUE(equal(cos(seventh) - cos(2 * seventh) + cos(3 * seventh), number(1) / 2));
  EXPECT_EQ(shown(sin(degrees(70)) - cos(degrees(20))), "0");
  EXPECT_EQ(shown(8 * m * sin(degrees(20)) * sin(degrees(40)) * sin(degrees(80))), "sqrt(3)*m");
  EXPECT_FALSE(equal(sin(degrees(71)), cos(degrees(20))));
  EXPECT_FALSE(equal(cos(seventh), number(901) / 1000));
  // Angles that are no multiples of π are independent.
  EXPECT_FALSE(equal(sin(number(70)), cos(number(20))));
}

TEST_F(ExactAnglesTest, ShiftedAnglesKnowTheirRelations) {
  for (const int n : {3, 5, 7, 8, 9, 11, 12, 15, 16}) {
    Expr first = number(0), squares = number(0), between = number(0);
    for (int k = 0; k < n; ++k) {
      const Expr angle = x + Rational(2 * k, n) * graph.pi();
      first = first + m * cos(angle);
      squares = squares + square(sin(angle));
      between = between + sin(angle) * cos(angle + y);
    }
    EXPECT_EQ(shown(first), "0") << n;
    EXPECT_TRUE(equal(squares, number(n) / 2)) << n;
    EXPECT_TRUE(equal(between, -Rational(n, 2) * sin(y))) << n;
  }
  EXPECT_TRUE(equal(sin(x + degrees(70)), cos(x - degrees(20))));
  EXPECT_TRUE(equal(cos(x + degrees(200)), -cos(x + degrees(20))));
  EXPECT_TRUE(equal(cos(x + degrees(36)) + cos(x - degrees(36)), (1 + sqrt(number(5))) / 2 * cos(x)));
  EXPECT_FALSE(equal(sin(x + degrees(70)), cos(x + degrees(20))));
  EXPECT_EQ(shown(sin(x + degrees(70)) - cos(x - degrees(20))), "0");
}

// Random relations, written as products in a random order: Π and Σ by the addition theorems. Oracle: values at a random
// point, and by construction.
TEST_F(ExactAnglesTest, RandomRelationsOfAngles) {
  std::mt19937 random(11);
  constexpr std::array kParts{5, 7, 9, 10, 15, 16, 18, 20, 24, 36, 180};
  const auto value = [&](const Expr& e) { return evaluate(e, [](SymbolId id) { return 0.3 + 0.21 * id; }); };
  for (int trial = 0; trial < 150; ++trial) {
    const auto angle = [&] {
      const int n = kParts[random() % kParts.size()];
      Expr sum = Rational(static_cast<int>(random() % 100) - 50, n) * graph.pi();
      if (random() % 2) sum = sum + static_cast<int>(random() % 3) * x;
      if (random() % 3 == 0) sum = sum - y;
      return sum;
    };
    const Expr p = angle(), q = angle();
    // Four ways to write one function.
    const std::array ways{cos(p) * cos(q), (cos(p - q) + cos(p + q)) / 2, cos(p + q) + sin(p) * sin(q),
                          sin(p + graph.pi() / 2) * cos(-q)};
    const Expr left = ways[random() % 4], right = ways[random() % 4];
    EXPECT_TRUE(equal(left, right));
    const Expr wrong = right + (random() % 2 ? sin(p) / 1000 : cos(degrees(1 + static_cast<int>(random() % 88))) / 100);
    EXPECT_EQ(equal(left, wrong), std::abs(value(left - wrong)) < 1e-9);
  }
}

// Oracle: e^{i atan u} = (1 + iu)/√(1+u²), and what follows from it; true wherever both sides are defined.
TEST_F(ExactAnglesTest, FunctionsInsideSinesAndCosines) {
  EXPECT_TRUE(equal(tan(atan2(y, x)), y / x));
  EXPECT_TRUE(equal(sin(2 * atan(x)), 2 * x / (1 + square(x))));
  EXPECT_TRUE(equal(cos(2 * atan(x)), (1 - square(x)) / (1 + square(x))));
  EXPECT_TRUE(equal(tan(2 * atan(x)), 2 * x / (1 - square(x))));
  EXPECT_TRUE(equal(sin(atan(a * x) + y), (a * x * cos(y) + sin(y)) / sqrt(1 + square(a * x))));
  EXPECT_TRUE(equal(cos(asin(x / a)), sqrt(1 - square(x / a))));
  EXPECT_TRUE(equal(sin(2 * asin(x)), 2 * x * sqrt(1 - square(x))));
  EXPECT_TRUE(equal(cos(3 * acos(x)), 4 * x * x * x - 3 * x));
  EXPECT_TRUE(equal(square(cos(atan(x) / 2)), (1 + 1 / sqrt(1 + square(x))) / 2));
  EXPECT_TRUE(equal(sin(atan(x) / 2) * cos(atan(x) / 2), x / sqrt(1 + square(x)) / 2));
  EXPECT_TRUE(equal(cos(abs(x)), cos(x)));
  EXPECT_TRUE(equal(sin(abs(x)), sign(x) * sin(x)));
  EXPECT_TRUE(equal(cos(2 * abs(x) + y), cos(2 * x) * cos(y) - sign(x) * sin(2 * x) * sin(y)));
  EXPECT_TRUE(equal(cos(atan2(y, x) - atan2(x, y)), 2 * x * y / (square(x) + square(y))));
  EXPECT_FALSE(equal(sin(abs(x)), sin(x)));
  EXPECT_FALSE(equal(cos(asin(x)), x));
  // An angle may be a sine itself.
  EXPECT_TRUE(equal(square(sin(m * sin(x))) + square(cos(m * sin(x))), number(1)));
  EXPECT_TRUE(equal(cos(x + sin(y)) * cos(x - sin(y)), square(cos(x)) - square(sin(sin(y)))));
  EXPECT_TRUE(equal(square(abs(x)), square(x)));
  EXPECT_TRUE(equal(sqrt(square(x)), abs(x)));
  EXPECT_TRUE(equal(abs(-2 * x), 2 * abs(x)));
}

// Oracle: x² − y² = (x − y)(x + y).
TEST_F(ExactAnglesTest, ArgumentsAreInLowestTerms) {
  if (!has_rational_forms()) GTEST_SKIP() << "built without FLINT";
  const Expr quotient = (square(x) - square(y)) / (x - y);
  EXPECT_TRUE(equal(sin(quotient), sin(x + y)));
  EXPECT_TRUE(equal(exp(quotient), exp(x + y)));
  EXPECT_TRUE(equal(sqrt(quotient), sqrt(x + y)));
  EXPECT_TRUE(equal(atan2(quotient, x / (x * y + x)), atan2(x + y, 1 / (y + 1))));
  EXPECT_TRUE(equal(tan(1 / (1 / x + 1 / y)), tan(x * y / (x + y))));
}

// 0/0 has no value, whatever is above.
TEST_F(ExactAnglesTest, NothingIsDividedByZero) {
  const Expr nothing = square(sin(x)) + square(cos(x)) - 1;
  EXPECT_FALSE(canonicalizer.canonical(y / nothing));
}

}  // namespace
}  // namespace dalembert

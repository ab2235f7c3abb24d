// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/canonical.h"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

class CanonicalTest : public ::testing::Test {
 protected:
  Graph graph;
  Expr g = graph.add_symbol({"g", SymbolKind::kParameter, 0, ""});
  Expr L1 = graph.add_symbol({"L1", SymbolKind::kParameter, 1, ""});
  Expr L2 = graph.add_symbol({"L2", SymbolKind::kParameter, 2, ""});
  Expr m1 = graph.add_symbol({"m1", SymbolKind::kParameter, 3, ""});
  Expr m2 = graph.add_symbol({"m2", SymbolKind::kParameter, 4, ""});
  Expr I1 = graph.add_symbol({"I1", SymbolKind::kParameter, 5, ""});
  Expr theta = graph.add_symbol({"theta", SymbolKind::kCoordinate, 0, ""});
  Expr phi = graph.add_symbol({"phi", SymbolKind::kCoordinate, 1, ""});
  Expr phid = graph.add_symbol({"phi", SymbolKind::kVelocity, 1, ""});
  Canonicalizer canonicalizer{graph};

  bool equal(const Expr& a, const Expr& b) { return decide_zero(canonicalizer, a - b) == ZeroTest::kZero; }
  std::string shown(const Expr& e) {
    return print(canonicalizer, *canonicalizer.canonical(e), Gathering::kShortest, Notation::kText);
  }
};

// Oracle: the identities of trigonometry.
TEST_F(CanonicalTest, DecidesTrigonometricIdentities) {
  EXPECT_TRUE(equal(square(sin(theta)) + square(cos(theta)), graph.constant(1)));
  EXPECT_TRUE(equal(sin(2 * theta), 2 * sin(theta) * cos(theta)));
  EXPECT_TRUE(equal(cos(theta - phi), cos(theta) * cos(phi) + sin(theta) * sin(phi)));
  EXPECT_TRUE(equal(sin(3 * theta), 3 * sin(theta) - 4 * pow(sin(theta), Rational(3))));
  EXPECT_TRUE(equal(cos(theta / 2) * cos(theta / 2) * 2, 1 + cos(theta)));
  EXPECT_TRUE(equal(sin(theta + graph.pi() / 2), cos(theta)));
  EXPECT_TRUE(equal(cos(theta) + cos(theta + 2 * graph.pi() / 3) + cos(theta + 4 * graph.pi() / 3), graph.constant(0)));
  EXPECT_TRUE(equal(tan(theta) * cos(theta), sin(theta)));
  EXPECT_TRUE(equal(1 + square(tan(theta)), 1 / square(cos(theta))));
  EXPECT_TRUE(equal(1 / (m1 + m2) - 1 / (2 * m1 + 2 * m2), 1 / (m1 + m2) / 2));
  EXPECT_TRUE(equal(sqrt(m1 + m2) * sqrt(m1 + m2), m1 + m2));
  EXPECT_TRUE(equal(sqrt(graph.constant(6)), sqrt(graph.constant(2)) * sqrt(graph.constant(3))));
  EXPECT_TRUE(equal(pow(m1 + m2, Rational(3, 2)), (m1 + m2) * sqrt(m1 + m2)));
  EXPECT_FALSE(equal(sin(2 * theta), 2 * sin(theta)));
  EXPECT_FALSE(equal(cos(theta - phi), cos(theta + phi)));
}

TEST_F(CanonicalTest, SaysWhatItCannotDecide) {
  // asin θ + acos θ = π/2 is a relation between opaque functions.
  EXPECT_EQ(decide_zero(canonicalizer, asin(theta) + acos(theta) - graph.pi() / 2), ZeroTest::kUndecided);
  EXPECT_EQ(decide_zero(canonicalizer, exp(theta) - exp(phi)), ZeroTest::kNonzero);
}

TEST_F(CanonicalTest, GivesUpOnWhatIsTooLarge) {
  Canonicalizer small(graph, 50);
  Expr product = graph.constant(1);
  for (int i = 1; i <= 12; ++i) product = product * (m1 + L1 * sin(i * theta));
  EXPECT_FALSE(small.canonical(product));
}

// Oracle: products of random sums of sines and cosines against their own values, to 1e-11 of the sum of term sizes.
TEST_F(CanonicalTest, KeepsValues) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0.2, 1.6);
  const std::array symbols{L1, L2, m1, theta, phi, phid};
  const auto small_sum = [&] {
    Expr sum = graph.constant(static_cast<int>(random() % 3));
    for (int i = 0; i < 3; ++i) {
      const Expr angle = static_cast<int>(random() % 3) * theta + static_cast<int>(random() % 5 - 2) * phi +
                         Rational(random() % 2) * graph.pi() / 3;
      sum = sum + symbols[random() % symbols.size()] * (random() % 2 ? sin(angle) : cos(angle));
    }
    return sum;
  };
  for (int i = 0; i < 100; ++i) {
    const Expr f = small_sum() * small_sum() * square(small_sum()) / (2 + L1 * L1);
    const auto form = canonicalizer.canonical(f);
    ASSERT_TRUE(form);
    std::vector<double> at(graph.symbol_count());
    for (double& a : at) a = uniform(random);
    const auto value = [&](SymbolId s) { return at[s]; };
    const double before = evaluate(f, value), after = evaluate(canonicalizer.expression(*form), value);
    EXPECT_NEAR(before, after, 1e-10 * (1 + std::abs(before)));
  }
}

// Oracle: written by hand after the textbook (theory of the slider-crank).
TEST_F(CanonicalTest, PrintsAsAPersonWould) {
  EXPECT_EQ(shown(I1 + m1 * L1 * L1 + 4 * m2 * L1 * L1), "(m1 + 4*m2)*L1^2 + I1");
  EXPECT_EQ(shown(-2 * L1 * L2 * m2 * (cos(theta) * cos(phi) + sin(theta) * sin(phi))), "-2*m2*L1*L2*cos(theta - phi)");
  EXPECT_EQ(shown(-2 * m2 * L1 * L2 * sin(phi - theta) * square(phid)), "2*m2*L1*L2*phi'^2*sin(theta - phi)");
  EXPECT_EQ(shown(m1 * g * L1 * cos(theta) + 2 * m2 * g * L1 * cos(theta)), "(m1 + 2*m2)*g*L1*cos(theta)");
  EXPECT_EQ(shown(theta - theta), "0");
  EXPECT_EQ(shown(m1 / (m1 + m2)), "m1/(m1 + m2)");
}

// Where no work is allowed any more, large forms are given up; numbers, their roots and what was known are not.
TEST_F(CanonicalTest, SpentEffortGivesUpLargeFormsOnly) {
  Canonicalizer poor(graph, 20);
  Expr product = theta + phi;
  for (int k = 2; k < 40; ++k) {
    product = product * (k * theta + L1 + phi);
    poor.canonical(product);
  }
  EXPECT_FALSE(poor.canonical(product).has_value());
  for (int k = 2; k < 200; ++k) {
    const auto form = poor.canonical(graph.power(graph.constant(Rational(12 * k)), Rational(1, 2)));
    ASSERT_TRUE(form.has_value()) << k;
    ASSERT_EQ(form->size(), 1U) << k;
  }
}

}  // namespace
}  // namespace dalembert

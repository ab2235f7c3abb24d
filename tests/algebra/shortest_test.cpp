// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/shortest.h"

#include <gtest/gtest.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

class ShortestTest : public ::testing::Test {
 protected:
  Expr symbol(const std::string& name, SymbolKind kind, int index) { return graph.add_symbol({name, kind, index, ""}); }
  Expr coordinate(int i) { return symbol("theta" + std::to_string(i), SymbolKind::kCoordinate, i); }
  Expr velocity(int i) { return symbol("theta" + std::to_string(i), SymbolKind::kVelocity, i); }
  std::string shown(Canonicalizer& canonicalizer, const Expr& e) {
    return print(canonicalizer, shortest(canonicalizer, *canonicalizer.canonical(e)), Notation::kText);
  }
  Graph graph;
};

// A row of a chain's velocity terms, m (9 θ₁'² sin(θ₀−θ₁) + …): no product, which the terms' own velocities show. What
// is tried is counted by the nodes that it leaves in the graph: a few for each term, where factoring writes every sine
// of a difference out again for each choice of base angles.
TEST_F(ShortestTest, SumsThatAreNoProductsAreSeenAtOnce) {
  const Expr m = symbol("m", SymbolKind::kParameter, 0);
  const Expr first = coordinate(0);
  for (const int n : {4, 8, 12}) {
    Expr sum = graph.constant(0);
    for (int j = 1; j <= n; ++j) sum = sum + (20 - j) * square(velocity(j)) * sin(first - coordinate(j));
    Canonicalizer canonicalizer(graph);
    const auto form = canonicalizer.canonical(m * sum);
    ASSERT_TRUE(form);
    const std::size_t before = graph.size();
    const std::vector<FormTerm> written = shortest(canonicalizer, *form);
    EXPECT_LE(graph.size() - before, static_cast<std::size_t>(3 * n)) << n;
    ASSERT_EQ(written.size(), 1);
    EXPECT_EQ(written.front().sums.size(), 1);
  }
}

// Sums that look alike and are products: two terms only, a common sine, a difference of squares, a perfect square.
TEST_F(ShortestTest, ProductsAmongThemAreFound) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT sums are not factored";
  const Expr m = symbol("m", SymbolKind::kParameter, 0), a = symbol("a", SymbolKind::kParameter, 1);
  const Expr b = symbol("b", SymbolKind::kParameter, 2), x = coordinate(0);
  Canonicalizer canonicalizer(graph);
  EXPECT_EQ(shown(canonicalizer, m * x + (square(a) - 2 * a * b + square(b)) * cos(x)),
            "m*theta0 + (a - b)^2*cos(theta0)");
  const Expr u = velocity(1), v = velocity(2), w = velocity(3);
  EXPECT_EQ(shown(canonicalizer, m * (u * sin(2 * x) + v * sin(x) + w * sin(x))),
            "m*(theta2' + theta3' + 2*theta1'*cos(theta0))*sin(theta0)");
}

// Products of sines and cosines of several angles, times that of another one. By hand (addition theorems); a sum of products that no angles add up to stays.
TEST_F(ShortestTest, AnglesInParenthesesAddUp) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT sums are not factored";
  const Expr m = symbol("m", SymbolKind::kParameter, 0), a = coordinate(0), b = coordinate(1), c = coordinate(2);
  Canonicalizer canonicalizer(graph);
  const auto expect = [&](const Expr& e, const std::string& text) {
    EXPECT_EQ(shown(canonicalizer, e), text);
    const Expr written = expression(canonicalizer, shortest(canonicalizer, *canonicalizer.canonical(e)));
    EXPECT_EQ(decide_zero(canonicalizer, written - e), ZeroTest::kZero) << to_text(written);
  };
  expect(m * (cos(a) * cos(b) + sin(a) * sin(b)) * cos(c), "m*cos(theta0 - theta1)*cos(theta2)");
  expect(m * (sin(b) * cos(a) - cos(b) * sin(a)) * sin(c), "-m*sin(theta0 - theta1)*sin(theta2)");
  expect(m * (cos(a) * cos(b) + 2 * sin(a) * sin(b)) * cos(c),
         "m*(cos(theta0)*cos(theta1) + 2*sin(theta0)*sin(theta1))*cos(theta2)");
}

// Numbers on the way that no double holds: those of a fraction may be larger than its value. By hand; what is factored is the same.
TEST_F(ShortestTest, NumbersMayBeOfAnySize) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT sums are not factored";
  const Expr x = coordinate(0), y = coordinate(1), m = symbol("m", SymbolKind::kParameter, 0);
  for (const int digits : {20, 100, 200, 400}) {
    const Expr B = graph.constant(Rational(10).power(digits));
    Canonicalizer canonicalizer(graph);
    for (const Expr& e :
         {(square(B) * square(x) - square(y)) / (B * x + y), m * (square(B) * x + y) * (x + 2 * square(B)) / (m + x),
          (square(B) * square(x) + 2 * B * x * y + square(y)) * m / B,
          (m * x + y / square(B)) / (square(B) * m + x / B)}) {
      const auto form = canonicalizer.canonical(e);
      ASSERT_TRUE(form);
      const Expr written = expression(canonicalizer, shortest(canonicalizer, *form));
      EXPECT_EQ(decide_zero(canonicalizer, written - e), ZeroTest::kZero)
          << digits << ": " << to_text(written) << " for " << to_text(e);
    }
    EXPECT_EQ(shown(canonicalizer, (square(B) * square(x) - square(y)) / (B * x + y)), shown(canonicalizer, B * x - y));
  }
}

}  // namespace
}  // namespace dalembert

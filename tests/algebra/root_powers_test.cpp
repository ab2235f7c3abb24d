// SPDX-License-Identifier: Apache-2.0
// The second derivative of a distance √S at q̈ = 0. Oracle: (½S̈)/√S − (½Ṡ)²/S^(3/2), by the chain rule, written down by hand.
#include "dalembert/algebra/root_powers.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

class RootPowersTest : public ::testing::Test {
 protected:
  // Of the distance between two points with so many coordinates each, or of one point from the origin: γ as derive forms it.
  Expr rate_of_rate(int n, bool from_origin) {
    Expr S = graph.constant(0), half_S1 = S, half_S2 = S;
    std::vector<Expr> q, qd;
    const auto add = [&](const std::string& name) {
      const int index = static_cast<int>(q.size());
      q.push_back(graph.add_symbol({name, SymbolKind::kCoordinate, index, ""}));
      qd.push_back(graph.add_symbol({name, SymbolKind::kVelocity, index, ""}));
    };
    for (const char* name : {"x", "y", "z"}) add(name);
    for (const char* name : {"X", "Y", "Z"}) add(name);
    for (int i = 0; i < n; ++i) {
      const auto a = static_cast<std::size_t>(i), b = a + 3;
      const Expr d = from_origin ? q[a] : q[a] - q[b], dd = from_origin ? qd[a] : qd[a] - qd[b];
      S = S + square(d), half_S1 = half_S1 + d * dd, half_S2 = half_S2 + square(dd);
    }
    expected = half_S2 / sqrt(S) - square(half_S1) / (S * sqrt(S));
    const auto rate = [&](const Expr& e) {
      const std::vector<Expr> slopes = gradient(e, q);
      Expr sum = graph.constant(0);
      for (std::size_t i = 0; i < q.size(); ++i) sum = sum + slopes[i] * qd[i];
      return sum;
    };
    return rate(rate(sqrt(S)));
  }
  // As text; empty: nothing shorter.
  std::string shown(const Expr& e) {
    Canonicalizer canonicalizer(graph);
    const auto form = canonicalizer.canonical(e);
    const Expr than = expression(canonicalizer, shortest(canonicalizer, *form));
    const auto terms = by_powers_of_roots(canonicalizer, *form, than);
    if (!terms) return "";
    const Expr made = expression(canonicalizer, *terms);
    EXPECT_LE(4 * count_operations(std::array{made}), 3 * count_operations(std::array{than}));
    EXPECT_EQ(decide_zero(canonicalizer, made - expected), ZeroTest::kZero);
    return print(canonicalizer, *terms, Notation::kText);
  }
  Graph graph;
  Expr expected;
};

TEST_F(RootPowersTest, DistancesHaveTheirChainRule) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT sums are not factored";
  EXPECT_EQ(
      shown(rate_of_rate(3, false)),
      "((x' - X')^2 + (y' - Y')^2 + (z' - Z')^2)/sqrt((x - X)^2 + (y - Y)^2 + (z - Z)^2)"
      " - ((x - X)*(x' - X') + (y - Y)*(y' - Y') + (z - Z)*(z' - Z'))^2/((x - X)^2 + (y - Y)^2 + (z - Z)^2)^(3/2)");
}

// In the plane, from the origin, one bar is shorter: (y x' − x y')²/S^(3/2). Nothing is said there, and of sums without roots.
TEST_F(RootPowersTest, WhatIsShortOverOneBarStays) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT sums are not factored";
  EXPECT_EQ(shown(rate_of_rate(2, true)), "");
  const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, ""});
  Expr sum = graph.constant(0);
  for (int k = 1; k < 40; ++k) sum = sum + graph.power(x, k) / (1 + square(x));
  EXPECT_EQ(shown(sum), "");
}

}  // namespace
}  // namespace dalembert

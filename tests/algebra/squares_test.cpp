// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/squares.h"

#include <random>

#include <gtest/gtest.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

class SquaresTest : public ::testing::Test {
 protected:
  SquaresTest() {
    for (int i = 0; i < 4; ++i)
      q.push_back(graph.add_symbol({"xyzw"[i] + std::string(), SymbolKind::kCoordinate, i, ""}));
    for (int i = 0; i < 3; ++i)
      p.push_back(graph.add_symbol({"abc"[i] + std::string(), SymbolKind::kParameter, i, ""}));
  }
  std::string shown(const Expr& e) {
    Canonicalizer canonicalizer(graph);
    return print(canonicalizer, shortest(canonicalizer, *canonicalizer.canonical(e)), Notation::kText);
  }
  Graph graph;
  std::vector<Expr> q, p;
};

// By hand: distances of points, as they are stated.
TEST_F(SquaresTest, DistancesAreSumsOfSquares) {
  const Expr x = q[0], y = q[1], z = q[2], a = p[0], b = p[1], c = p[2];
  EXPECT_EQ(shown(square(x - a) + square(y) + square(z + b * sin(q[3])) + square(b * cos(q[3])) - square(c)),
            "(x - a)^2 + y^2 + z^2 - c^2 + b^2 + 2*b*z*sin(w)");
  EXPECT_EQ(shown(square(x + a - b * cos(q[3])) + square(y + b * sin(q[3])) - square(c)),
            "(x + a - b*cos(w))^2 + (y + b*sin(w))^2 - c^2");
  EXPECT_EQ(shown(sqrt(square(x - y) + square(z - a))), "sqrt((x - y)^2 + (z - a)^2)");
  EXPECT_EQ(shown(sqrt(square(x - a) + square(b))), "sqrt((x - a)^2 + b^2)");
}

// What is no shorter as squares stays, and so do rates.
TEST_F(SquaresTest, OtherSumsStay) {
  const Expr x = q[0], y = q[1], a = p[0], b = p[1];
  EXPECT_EQ(shown(square(x) + x * y + square(y)), "x^2 + y^2 + x*y");
  EXPECT_EQ(shown(square(x) + 2 * b * x - a), "x^2 + 2*b*x - a");
  const Expr u = graph.add_symbol({"x", SymbolKind::kVelocity, 0, ""}),
             v = graph.add_symbol({"y", SymbolKind::kVelocity, 1, ""});
  EXPECT_EQ(shown(square(u) + 2 * u * v * cos(x) + square(v)), "x'^2 + y'^2 + 2*x'*y'*cos(x)");
}

// Truth: the canonical form of what is written is the form itself.
TEST_F(SquaresTest, WhatIsWrittenIsTheSame) {
  std::mt19937 random(4);
  const auto number = [&] { return static_cast<int>(random() % 7) - 3; };
  int completed = 0;
  for (int round = 0; round < 200; ++round) {
    Expr sum = graph.constant(number());
    for (int k = 0; k < 3; ++k) {
      const int scale = number();
      Expr inner = q[random() % 4] + number() * q[random() % 4];
      inner = inner + number() * p[random() % 3];
      inner = inner + number() * p[random() % 3] * cos(q[3]);
      sum = sum + scale * square(inner);
    }
    Canonicalizer canonicalizer(graph);
    const auto form = canonicalizer.canonical(sum);
    ASSERT_TRUE(form);
    const std::vector<FormTerm> plain = gather(canonicalizer, *form, Gathering::kShortest);
    const std::vector<FormTerm> written = with_squares(canonicalizer, *form, plain, true);
    completed += cost(canonicalizer, written) < cost(canonicalizer, plain) ? 1 : 0;
    EXPECT_EQ(canonicalizer.canonical(expression(canonicalizer, written)), form);
  }
  EXPECT_GT(completed, 20);
}

}  // namespace
}  // namespace dalembert

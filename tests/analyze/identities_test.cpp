// SPDX-License-Identifier: Apache-2.0
// Truth: the interpreter. Where a formula has a value, what the identities make of it has the same, parameters positive and
// what was taken not to be 0 so.
#include "dalembert/analyze/audit/identities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

struct FormulaWorld {
  Graph graph;
  Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}}),
       y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
  Expr a = graph.add_symbol({"a", SymbolKind::kParameter, 0, {}}),
       b = graph.add_symbol({"b", SymbolKind::kParameter, 1, {}});
  KnownSigns signs{{a.symbol(), 1}, {b.symbol(), 1}};
  Expr number(int above, int below = 1) { return graph.constant(Rational(above, below)); }
};

Expr random_formula(FormulaWorld& w, std::mt19937& random, int depth) {
  const auto inner = [&] { return random_formula(w, random, depth - 1); };
  if (depth == 0) {
    const std::vector<Expr> leaves{w.x, w.y, w.a, w.b, w.number(2), w.number(-1), w.number(1, 2)};
    return leaves[random() % leaves.size()];
  }
  switch (random() % 16) {
    case 0:
    case 1:
      return inner() + inner();
    case 2:
    case 3:
    case 4:
      return inner() * inner();
    case 5:
      return inner() / inner();
    case 6:
      return pow(inner(), Rational(2));
    case 7:
      return sqrt(inner());
    case 8:
      return pow(inner(), Rational(static_cast<int>(random() % 7) - 3, 3));
    case 9:
      return pow(inner(), inner());
    case 10:
      return exp(inner());
    case 11:
      return log(inner());
    case 12:
      return abs(inner());
    case 13:
      return atan2(inner(), inner());
    case 14:
      return random() % 2 == 0 ? acos(inner()) : atan(inner());
    default:
      return random() % 2 == 0 ? sign(inner()) : sin(inner());
  }
}

TEST(Identities, KeepEveryValue) {
  std::mt19937 random(42);
  int compared = 0;
  for (int k = 0; k < 1500; ++k) {
    FormulaWorld w;
    Canonicalizer canonicalizer(w.graph);
    const Expr e = random_formula(w, random, 3);
    Identities identities(canonicalizer, w.signs);
    const Expr changed = identities.normalized(e);
    std::vector<Expr> parts;
    if (const auto form = canonicalizer.canonical(e)) parts.push_back(canonicalizer.expression(*form));
    for (const NodeId id : reachable(std::array{e})) parts.emplace_back(&w.graph, id);
    for (int point = 0; point < 12; ++point) {
      // Zeros and both signs.
      const auto coordinate = [&] { return (static_cast<int>(random() % 9) - 4) / 2.0; };
      const double x = coordinate(), y = coordinate(), a = (1 + random() % 8) / 4.0, b = (1 + random() % 8) / 3.0;
      const auto value_of = [&](SymbolId s) {
        return s == w.x.symbol() ? x : s == w.y.symbol() ? y : s == w.a.symbol() ? a : b;
      };
      // The interpreter takes pow(1, nan) for 1: every part has a value, and what canonical forms make of it has, too.
      const std::vector<double> values = evaluate(parts, value_of);
      if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v) && std::abs(v) < 1e6; })) continue;
      const double before = values.back();
      bool assumed = true;
      for (const Expr& u : identities.nonzero()) assumed = assumed && std::abs(evaluate(u, value_of)) > 1e-9;
      const double after = evaluate(changed, value_of);
      if (!assumed) continue;
      ++compared;
      EXPECT_NEAR(after, before, 1e-8 * (1 + std::abs(before)))
          << print(e, Notation::kText) << " -> " << print(changed, Notation::kText) << " at " << x << ", " << y << ", "
          << a << ", " << b;
    }
  }
  EXPECT_GT(compared, 3000);
}

TEST(Identities, ProveWhatFormsDoNot) {
  FormulaWorld w;
  const Expr &x = w.x, &y = w.y, &a = w.a, &b = w.b;
  const Expr half = w.number(1, 2), one = w.number(1);
  std::vector<std::pair<Expr, Expr>> equal{
      {pow(a * b, Rational(1, 3)), pow(a, Rational(1, 3)) * pow(b, Rational(1, 3))},
      {sqrt(a / b), sqrt(a) / sqrt(b)},
      {sqrt(a * a * x * x + a * a), a * sqrt(x * x + one)},
      {pow(a, x) * pow(b, x), pow(a * b, x)},
      {pow(exp(x), y), exp(x * y)},
      {log(x * x), w.number(2) * log(abs(x))},
      {sin(w.number(2) * log(a)), sin(log(a * a))},
      {exp(sqrt(a * b)), exp(sqrt(a) * sqrt(b))},
      {acos(-x), w.graph.pi() - acos(x)},
      {atan(a) + atan(one / a), w.graph.pi() * half},
      {atan2(a * y, a * x), atan2(y, x)},
      {atan2(y, a), atan(y / a)},
      {asin(half), w.graph.pi() / w.number(6)},
      {abs(a * x), a * abs(x)},
      {sign(x) * abs(x), x}};
  if (has_rational_forms()) {
    equal.emplace_back(sqrt(one + sinh(x) * sinh(x)), cosh(x));
    equal.emplace_back(sqrt(half + half * cosh(w.number(2) * x / a)), cosh(x / a));
  }
  for (const auto& [left, right] : equal) {
    Canonicalizer canonicalizer(w.graph);
    Identities identities(canonicalizer, w.signs);
    EXPECT_TRUE(proves_equal(canonicalizer, identities.normalized(left), identities.normalized(right)))
        << print(left, Notation::kText) << " = " << print(right, Notation::kText);
  }
  // Right where x > 0 only, or but for y = 0, x < 0.
  const std::vector<std::pair<Expr, Expr>> different{
      {log(x * x), w.number(2) * log(x)},
      {sqrt(pow(x, w.number(2) * y)), pow(x, y)},
      {atan2(-y, x), -atan2(y, x)},
      {pow(x * y, Rational(1, 3)), pow(x, Rational(1, 3)) * pow(y, Rational(1, 3))},
      {atan(x) + atan(one / x), w.graph.pi() * half}};
  for (const auto& [left, right] : different) {
    Canonicalizer canonicalizer(w.graph);
    Identities identities(canonicalizer, w.signs);
    EXPECT_FALSE(proves_equal(canonicalizer, identities.normalized(left), identities.normalized(right)))
        << print(left, Notation::kText) << " = " << print(right, Notation::kText);
  }
}

// What a verdict takes for granted is told.
TEST(Identities, TellWhatTheyUse) {
  FormulaWorld w;
  Canonicalizer canonicalizer(w.graph);
  Identities identities(canonicalizer, w.signs);
  identities.normalized(abs(w.a * w.x) + sign(w.y));
  ASSERT_EQ(identities.signs_used().size(), 1u);
  EXPECT_EQ(identities.signs_used()[0], w.a.symbol());
  ASSERT_FALSE(identities.nonzero().empty());
  EXPECT_TRUE(identities.nonzero()[0].same(w.y));
}

}  // namespace
}  // namespace dalembert

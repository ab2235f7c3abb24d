// SPDX-License-Identifier: Apache-2.0
// Canonical forms of what is only asked about at a model's states: attitudes of norm 1, sides that are not 0.
#include <gtest/gtest.h>

#include <array>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/random_points.h"

namespace dalembert {
namespace {

struct Attitude {
  Graph graph;
  std::array<Expr, 4> e;
  StateRelations relations;

  Attitude() {
    std::array<SymbolId, 4> unit{};
    for (int k = 0; k < 4; ++k) {
      e[static_cast<std::size_t>(k)] = graph.add_symbol({"e" + std::to_string(k), SymbolKind::kCoordinate, k, {}});
      unit[static_cast<std::size_t>(k)] = e[static_cast<std::size_t>(k)].symbol();
    }
    relations.units.push_back(unit);
  }
  Expr norm() const { return square(e[0]) + square(e[1]) + square(e[2]) + square(e[3]); }
};

// The sphere is irreducible over the reals, so a polynomial that vanishes on it is a multiple of e·e − 1: by hand, of which the
// others are not.
TEST(StateRelations, AttitudesAreOfNormOne) {
  Attitude a;
  Canonicalizer on_sphere(a.graph, Canonicalizer::kMaxTerms, a.relations), anywhere(a.graph);
  const auto& e = a.e;
  const Expr R33 = square(e[0]) - square(e[1]) - square(e[2]) + square(e[3]), R31 = 2 * (e[1] * e[3] - e[0] * e[2]),
             R32 = 2 * (e[2] * e[3] + e[0] * e[1]);
  for (const Expr& zero : {a.norm() - 1, square(a.norm()) - a.norm(), R33 - (1 - 2 * square(e[1]) - 2 * square(e[2])),
                           square(R31) + square(R32) + square(R33) - 1, e[0] * a.norm() * e[3] - e[0] * e[3],
                           1 / a.norm() - 1, sqrt(a.norm()) - 1, cos(a.norm() * e[1]) - cos(e[1])}) {
    EXPECT_EQ(decide_zero(on_sphere, zero), ZeroTest::kZero);
    EXPECT_EQ(decide_zero(anywhere, zero), ZeroTest::kNonzero);
  }
  for (const Expr& other : {a.norm() - 2, square(e[0]) - square(e[1]), R33 - 1, e[0], a.norm() - square(e[0])})
    EXPECT_EQ(decide_zero(on_sphere, other), ZeroTest::kNonzero);
  const auto form = on_sphere.canonical(square(a.norm()) * e[2]);
  ASSERT_TRUE(form);
  EXPECT_TRUE(on_sphere.expression(*form).same(e[2]));
}

// sign(u)² is 1 where u is not 0, and only there: without that it is 0 at u = 0.
TEST(StateRelations, ASideIsPlusOrMinusOne) {
  Graph graph;
  const Expr u = graph.add_symbol({"u", SymbolKind::kCoordinate, 0, {}}),
             w = graph.add_symbol({"w", SymbolKind::kCoordinate, 1, {}});
  const Expr side = sign(cos(u)), other = sign(w);
  Canonicalizer here(graph, Canonicalizer::kMaxTerms, {.units = {}, .sides = {side}}), anywhere(graph);
  EXPECT_EQ(decide_zero(here, square(side) - 1), ZeroTest::kZero);
  EXPECT_EQ(decide_zero(here, 1 / side - side), ZeroTest::kZero);
  EXPECT_EQ(decide_zero(here, square(side) * side * w - side * w), ZeroTest::kZero);
  EXPECT_NE(decide_zero(here, side - 1), ZeroTest::kZero);
  EXPECT_NE(decide_zero(here, square(other) - 1), ZeroTest::kZero) << "another one may be 0";
  EXPECT_NE(decide_zero(anywhere, square(side) - 1), ZeroTest::kZero);
}

// Points are exact: the squares of a quadruple add up to 1 as rationals.
TEST(StateRelations, PointsLieOnTheSphere) {
  Attitude a;
  std::vector<SymbolId> symbols(a.relations.units[0].begin(), a.relations.units[0].end());
  RandomPoints points(a.graph, symbols, {}, a.relations.units);
  for (int k = 0; k < 50; ++k) {
    SamplePoint point = points.next();
    for (const bool again : {false, true}) {
      if (again) points.replace_units(point);
      Rational sum = 0;
      for (const SymbolId s : symbols) sum = sum + point.at(s) * point.at(s);
      EXPECT_EQ(sum, Rational(1));
    }
  }
}

}  // namespace
}  // namespace dalembert

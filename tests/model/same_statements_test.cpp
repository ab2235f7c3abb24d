// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/same_statements.h"

#include <gtest/gtest.h>

namespace dalembert {
namespace {

struct Bead : Model {
  Coordinate x = coordinate("x", "m"), y = coordinate("y", "m");
  Expr m, k;
  explicit Bead(double mass = 2) : Model("bead"), m(parameter("m", mass)), k(parameter("k", 3)) {}
};

TEST(SameStatements, SumsInAnyOrderAndNesting) {
  Bead a, b;
  a.kinetic(a.m / 2 * (square(a.x.qd) + square(a.y.qd)) + a.k);
  a.holonomic("row", {a.x.q - a.y.q * 2 + 1});
  // Two at a time, the other way round.
  b.kinetic(b.k + b.m / 2 * (square(b.y.qd) + square(b.x.qd)));
  b.holonomic("row", {(1 + b.x.q) - b.y.q * 2});
  EXPECT_TRUE(same_statements(a, b));
  EXPECT_TRUE(same_statements(b, a));
  EXPECT_EQ(hash_of_statements(a), hash_of_statements(b));
}

TEST(SameStatements, EachStatementCounts) {
  const auto differs = [](const auto& change) {
    Bead a, b;
    a.kinetic(square(a.x.qd));
    b.kinetic(square(b.x.qd));
    EXPECT_TRUE(same_statements(a, b));
    change(b);
    EXPECT_FALSE(same_statements(a, b));
    EXPECT_FALSE(same_statements(b, a));
  };
  differs([](Bead& b) { b.kinetic(square(b.y.qd)); });
  differs([](Bead& b) { b.potential(b.x.q); });
  differs([](Bead& b) { b.dissipation(square(b.x.qd)); });
  differs([](Bead& b) { b.holonomic("row", {b.x.q}); });
  differs([](Bead& b) { b.pfaffian("row", {b.x.qd}); });
  differs([](Bead& b) { b.generalized_force(b.x, b.k); });
  differs([](Bead& b) { b.output("out", b.x.q); });
  differs([](Bead& b) { b.output("out", b.integral(b.x.q)); });
  differs([](Bead& b) { b.quasi_velocity("u", b.x.qd); });
  differs([](Bead& b) { b.prescribe(b.y, sin(b.t)); });
  differs([](Bead& b) { b.parameter("c", 1); });
  differs([](Bead& b) { b.coordinate("z"); });
  differs([](Bead& b) { b.set_input("u", b.input("u") * 0); });
  EXPECT_FALSE(same_statements(Bead(2), Bead(3)));
}

TEST(SameStatements, IntegralsInAnyOrderOfTheirTerms) {
  Bead a, b, other;
  a.output("out", 2 * a.integral(a.x.q - a.y.q * a.k));
  b.output("out", b.integral(-b.k * b.y.q + b.x.q) * 2);
  other.output("out", 2 * other.integral(other.x.q));
  EXPECT_TRUE(same_statements(a, b));
  EXPECT_FALSE(same_statements(a, other));
}

// What the one model has no symbol for is not the same, nor an error.
TEST(SameStatements, OtherNames) {
  Model a("bead"), b("bead");
  const Coordinate x = a.coordinate("x"), y = b.coordinate("y");
  a.kinetic(square(x.qd));
  b.kinetic(square(y.qd));
  EXPECT_FALSE(same_statements(a, b));
}

}  // namespace
}  // namespace dalembert

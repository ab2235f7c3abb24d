// SPDX-License-Identifier: Apache-2.0
// Redundant, nearly dependent and independent rows, by construction: a row is a combination of the others and δ times a row
// that is independent of them. It is redundant where δ = 0 alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/analyze/constraints.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

System rows_with(double delta, std::mt19937& random) {
  const auto some = [&] { return std::uniform_int_distribution(-40, 40)(random) / 8.0; };
  const std::string base[] = {"exp(x3/2)*dot(x1) + cos(x3)*dot(x3)", "sin(x2)*dot(x2) + x2^2*dot(x4) + 2*dot(x1)",
                              "sin(x2)*dot(x1) + dot(x4) + exp(x1/2)*dot(x3) + x1^2*dot(x2)"};
  std::string text = R"toml(
name = "rows"
coordinates = ["x1", "x2", "x3", "x4"]
[energy]
kinetic = "dot(x1)^2/2 + dot(x2)^2/2 + dot(x3)^2/2 + dot(x4)^2/2"
)toml";
  std::string sum = fmt::format("{:.17g}*dot(x4)", delta);
  for (int i = 0; i < 3; ++i) {
    text += fmt::format("[[constraint]]\nname = \"b{}\"\npfaffian = \"{}\"\n", i, base[i]);
    sum += fmt::format(" + ({} + 1/16)*({})", some(), base[i]);
  }
  text += fmt::format("[[constraint]]\nname = \"red\"\npfaffian = \"{}\"\n", sum);
  text += "[initial]\nposition = {x1 = 0.455, x2 = 0.287, x3 = -0.292, x4 = 0.568}\n";
  return System(derive_loaded(load_model(make_source("rows", text))));
}

TEST(Redundancy, ARowIsRedundantWhereNothingElseIsInIt) {
  std::mt19937 random(3);
  for (const double delta : {0.0, 0.0, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-3, 1.0}) {
    const System system = rows_with(delta, random);
    const ConstraintRank found = find_rank(system.dynamics, system.guess, &system.equations);
    EXPECT_EQ(found.rank, delta == 0 ? 3 : 4) << delta;
    EXPECT_EQ(found.free_motions.size(), delta == 0 ? 1U : 0U) << delta;
    ASSERT_EQ(found.redundant.size(), delta == 0 ? 1U : 0U) << delta;
    if (delta == 0) {
      EXPECT_EQ(found.redundant[0].row, 3);
      EXPECT_TRUE(found.redundant[0].exact);
      EXPECT_TRUE(found.redundant[0].consistent);
    }
    ASSERT_EQ(found.nearly.size(), delta > 0 && delta < 1e-6 ? 1U : 0U) << delta;
    if (!found.nearly.empty()) {
      EXPECT_LT(found.nearly[0].distance, delta);
      EXPECT_GT(found.nearly[0].distance, delta / 100);
    }
  }
}

// Truth: each row has a coordinate of its own. How far a position may be off does not grow with the turns of an angle.
TEST(Redundancy, ManyTurnsOfAnAngleMakeNoRowFollow) {
  for (const double angle : {1.0, 1e3, 1e6, 1e9}) {
    const System system(derive_loaded(load_model(make_source("turns", R"toml(
name = "turns"
coordinates = ["theta", "x", "y", "z"]
[energy]
kinetic = "theta'^2/2 + x'^2/2 + y'^2/2 + z'^2/2"
[[constraint]]
name = "pin"
holonomic = ["x - cos(theta)", "y - sin(theta)", "z - sin(2*theta) + x"]
)toml"))));
    const double c = std::cos(angle), s = std::sin(angle);
    const ConstraintRank found =
        find_rank(system.dynamics, {0, {angle, c, s, 2 * c * s - c}, {0, 0, 0, 0}}, &system.equations);
    EXPECT_EQ(found.rank, 3) << angle;
    EXPECT_TRUE(found.redundant.empty()) << angle;
  }
}

// Three rockers of equal length: a row follows from the others on the constraints, and not elsewhere. One freedom, of velocity and of
// configuration.
TEST(Redundancy, OnTheConstraintsAlone) {
  const System system(derive_loaded(load_model(make_source("rockers", R"toml(
name = "rockers"
coordinates = ["x", "y", {name = "a", unit = "rad"}, {name = "th{i}", unit = "rad", for = "i in 1..3"}]
[energy]
kinetic = "3*(dot(x)^2 + dot(y)^2)/2 + dot(a)^2/8 + sum(i in 1..3, dot(th{i})^2/100)"
[[constraint]]
for = "i in 1..3"
name = "pin{i}"
holonomic = ["x + ({i-2})/2*cos(a) - ({i-2})/2 - 0.4*sin(th{i})", "y + ({i-2})/2*sin(a) + 0.4*cos(th{i})"]
[initial]
position = {th1 = 0.7}
guess = {th2 = 0.7, th3 = 0.7, x = 0.25, y = -0.3}
)toml"))));
  const State start = system.start();
  const ConstraintRank found = find_rank(system.dynamics, start, &system.equations);
  EXPECT_EQ(found.rank, 5);
  ASSERT_EQ(found.redundant.size(), 1U);
  EXPECT_FALSE(found.redundant[0].exact);
  EXPECT_LT(found.redundant[0].distance, 1e-13);
  const Integrability counted = find_integrability(system.equations, system.dynamics, &start);
  EXPECT_EQ(counted.rank, 5);
  EXPECT_EQ(counted.integrable, 5);
  EXPECT_EQ(counted.growth, (std::vector<int>{1}));
}

// x y' = 0 and y' = 0: the second follows where the first says something. At x = 0 the first is the one that says nothing.
TEST(Redundancy, WhatFollowsElsewhereNeedNotFollowWhereOthersVanish) {
  const System system(derive_loaded(load_model(make_source("rows", R"toml(
name = "rows"
coordinates = ["x", "y"]
[energy]
kinetic = "dot(x)^2/2 + dot(y)^2/2"
[[constraint]]
name = "vanishes"
pfaffian = "x*dot(y)"
[[constraint]]
name = "stays"
pfaffian = "dot(y)"
)toml"))));
  for (const double x : {0.0, 0.5}) {
    const ConstraintRank found = find_rank(system.dynamics, {0, {x, 0}, {0, 0}}, &system.equations);
    EXPECT_EQ(found.rank, 1) << x;
    ASSERT_EQ(found.redundant.size(), 1U) << x;
    EXPECT_EQ(found.redundant[0].row, x == 0 ? 0 : 1);
    EXPECT_EQ(found.redundant[0].exact, x != 0);
  }
}

}  // namespace
}  // namespace dalembert

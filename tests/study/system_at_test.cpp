// SPDX-License-Identifier: Apache-2.0
// Where a study begins, by name.
#include "dalembert/study/system_at.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

// A rod of 5 m against a wall: x² + y² = 25.
BuiltModel leaning_rod() {
  Result<Model> model = load_model(make_source("<test>", R"(
name = "rod"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "length"
holonomic = "x^2 + y^2 - 25"
[initial]
time = 2
position = {x = 4}
guess = {y = 3}
)"));
  EXPECT_TRUE(model) << render(model.diagnostics());
  return build_model(std::make_shared<const Model>(std::move(model).value()), {}, {.machine_code = false}).value();
}

// Truth: y = ±√(25 − x²), x x' + y y' = 0; which sign is the guess's. Round-off of assembly.
TEST(SystemAtStart, WhatIsNotNamedIsTheModels) {
  const Start up{.position = {{"x", 3}}, .velocity = {{"x", 4}}}, down{.guess = {{"y", -1}}, .position = {{"x", 3}}};
  const Result<SystemAt> above = system_at(leaning_rod(), &up), below = system_at(leaning_rod(), &down);
  ASSERT_TRUE(above) << render(above.diagnostics());
  ASSERT_TRUE(below) << render(below.diagnostics());
  EXPECT_EQ(above->state.t, 2);
  EXPECT_EQ(above->held_q, (std::vector<bool>{true, false}));
  EXPECT_NEAR(above->state.q[1], 4, 1e-12);
  EXPECT_NEAR(above->state.v[1], -3, 1e-12);
  EXPECT_NEAR(below->state.q[1], -4, 1e-12);
}

// Truth: the same by position and by velocity.
TEST(SystemAtStart, FixedIsPositionAndVelocity) {
  const Start apart{.t = 1, .position = {{"x", 3}}, .velocity = {{"x", 4}}}, together{.fixed = {{"x", 3, 4}}, .t = 1};
  const Result<SystemAt> one = system_at(leaning_rod(), &apart), other = system_at(leaning_rod(), &together);
  ASSERT_TRUE(one) << render(one.diagnostics());
  ASSERT_TRUE(other) << render(other.diagnostics());
  EXPECT_EQ(one->state.t, 1);
  EXPECT_EQ(other->state.t, 1);
  EXPECT_EQ(one->state.q, other->state.q);
  EXPECT_EQ(one->state.v, other->state.v);
  EXPECT_EQ(one->held_v, other->held_v);
}

TEST(SystemAtStart, NamesThatTheModelLacks) {
  for (const Start& start :
       {Start{.fixed = {{"yy", 3}}}, Start{.guess = {{"yy", 3}}}, Start{.guess = {{"yy", {}, 3}}},
        Start{.position = {{"yy", 3}}}, Start{.velocity = {{"yy", 3}}}, Start{.quasi_velocity = {{"yy", 3}}}}) {
    const Result<SystemAt> found = system_at(leaning_rod(), &start);
    ASSERT_FALSE(found);
    ASSERT_EQ(found.diagnostics().size(), 1U) << render(found.diagnostics());
    EXPECT_EQ(found.diagnostics().front().code, "E0406");
    EXPECT_THAT(render(found.diagnostics()), HasSubstr("`yy`"));
  }
}

// A rate written in another way is no misprint of its coordinate.
TEST(SystemAtStart, RatesByOtherNamesAreMeantAsRates) {
  for (const Start& start :
       {Start{.position = {{"dx", 3}}}, Start{.velocity = {{"xdot", 3}}}, Start{.guess = {{"x_dot", 3}}}}) {
    const Result<SystemAt> found = system_at(leaning_rod(), &start);
    ASSERT_FALSE(found);
    EXPECT_THAT(render(found.diagnostics()), HasSubstr("did you mean `x'`, the rate of `x`? Among `qd` it is `x`"));
  }
}

// Quasi-velocities are no rates of coordinates.
TEST(SystemAtStart, RatesAreNoQuasiVelocities) {
  const Model model = value_of(load_model(make_source("skate", R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[quasi_velocities]
u = "x' + y'"
w = "x' - y'"
)toml")));
  Start start{.quasi_velocity = {{"dx", 3}}};
  const Diagnostics found = check_names(start, model);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(render(found),
              HasSubstr("`x'` is the rate of a coordinate, which is `x` in `qd`; these are `u` and `w`"));
  EXPECT_THAT(render(found), testing::Not(HasSubstr("did you mean")));
}

}  // namespace
}  // namespace dalembert

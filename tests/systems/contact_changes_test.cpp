// SPDX-License-Identifier: Apache-2.0
// Closed contacts where something else jumps: an input at a known time, or what an event sets.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

constexpr double kPull = 9.81;

// A mass of 1 kg on the ground, which the input f lifts; z goes on at 1 m/s.
std::string lifted(const std::string& force, const std::string& input) {
  return fmt::format(R"toml(name = "lift"
coordinates = ["y", "z"]
inputs = {{f = "{}"}}
energy = {{kinetic = "y'^2/2 + z'^2/2", potential = "9.81*y"}}
constraint = [{{name = "floor", holonomic = "y", unilateral = true}}]
force = [{{coordinate = "y", value = "{}"}}]
initial = {{position = {{y = 0, z = 0}}, velocity = {{y = 0, z = 1}}}}
)toml",
                     input, force);
}

// Above the weight the force opens the contact at 0.5 s: y(1) = (f − 9.81)/2 · 0.25. Below it, the contact stays closed with λ = 9.81 − f.
TEST(ContactChanges, AnInputThatJumpsOpensAContact) {
  for (const double f : {5.0, 9.9, 20.0})
    for (const std::string& input : {fmt::format("if(t < 0.5, 0, {})", f), fmt::format("{}*floor(2*t)", f),
                                     fmt::format("{}*(1 + sign(t - 0.5))", f / 2)}) {
      const System system = loaded(lifted("f", input));
      for (const Method method : {Method::kDop853, Method::kRadau}) {
        const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.999, .method = method});
        ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
        const double since = 0.999 - 0.5;
        EXPECT_NEAR(path.q[0].back(), f > kPull ? (f - kPull) / 2 * since * since : 0, 1e-9) << input;
        EXPECT_NEAR(path.lambda[0].back(), f > kPull ? 0 : kPull - f, 1e-9) << input;
        EXPECT_TRUE(path.verdict.holds);
      }
    }
}

// With f(1 + z/1000): y'' = 20 + 0.02 t − 9.81 from 0.5 s on, where 1 + z/1000 = 1 + t/1000.
TEST(ContactChanges, WhatTheInputIsMultipliedWithMayMove) {
  const System system = loaded(lifted("f*(1 + 0.001*z)", "if(t < 0.5, 0, 20)"));
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const double a = 20.01 - kPull;  // at 0.5 s
  EXPECT_NEAR(path.q[0].back(), a * 0.125 + 0.02 * 0.125 / 6, 1e-9);
}

// An input that a controller holds is one that jumps between two steps.
TEST(ContactChanges, AHeldInputOpensAContact) {
  const System system = loaded(lifted("f", "0"));
  Stepper stepper(system.dynamics, system.start(), {.until = 1});
  ASSERT_TRUE(stepper.step_to(0.5));
  ASSERT_TRUE(stepper.hold_input("f", 20)) << stepper.why_not();
  ASSERT_TRUE(stepper.step_to(1)) << stepper.reason();
  EXPECT_NEAR(stepper.q()[0], (20 - kPull) / 8, 1e-9);
}

// A block on the ground that an input pushes sideways, with friction of 0.3 and 0.2 at its contact: it slides from 0.5 s on if the force is
// above 0.3 m g, with x'' = f − 0.2 m g, and lifts off if the force upwards is above the weight.
TEST(ContactChanges, AnInputThatJumpsLetsABlockSlide) {
  for (const double f : {2.0, 4.0}) {
    const System system = loaded(fmt::format(R"toml(name = "push"
coordinates = ["x", "y"]
inputs = {{f = "if(t < 0.5, 0, {})"}}
energy = {{kinetic = "x'^2/2 + y'^2/2", potential = "9.81*y"}}
constraint = [{{name = "floor", holonomic = "y", unilateral = true}}]
friction = [{{name = "mu", normal = "lambda(floor)", velocity = "x'", coefficient = 0.2, static = 0.3}}]
force = [{{coordinate = "x", value = "f"}}]
initial = {{position = {{x = 0, y = 0}}, velocity = {{x = 0, y = 0}}}}
)toml",
                                             f));
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_NEAR(path.q[0].back(), f > 0.3 * kPull ? (f - 0.2 * kPull) / 8 : 0, 1e-9) << f;
    EXPECT_EQ(path.q[1].back(), 0);
  }
}

// A body of 2 kg in the plane, which a one-sided constraint carries; an event sets `set` where x = 0.275.
Trajectory kicked(const std::string& gap, const std::string& start, const std::string& set, double until,
                  const std::string& more = {}) {
  const System system = loaded(fmt::format(R"toml(name = "kicked"
coordinates = ["x", "y"]
gravity = ["0", "-9.81"]
body = [{{name = "b", mass = 2, position = ["x", "y"]}}]
constraint = [{{name = "ground", holonomic = "{}", unilateral = true, restitution = 0.5}}]
initial = {{position = {{x = 0}}, {}}}
event = [{{name = "kick", when = "x - 0.275", set = {{{}}}}}]
)toml",
                                           gap, start, set) +
                               more);
  return integrate(system.dynamics, system.start(), {.until = until});
}

const std::string kOnLevel = "velocity = {x = 1, y = 0}, guess = {y = 0}";
const std::string kOnSlope = "velocity = {x = 3}, guess = {y = 0, \"y'\" = 3}";

// What happens after the start.
std::vector<RunEventKind> kinds_of(const Trajectory& path) {
  std::vector<RunEventKind> kinds;
  for (const RunEvent& event : path.events)
    if (event.t > 0) kinds.push_back(event.kind);
  return kinds;
}

// From rest on the ground: thrown up with 2 m/s, lifted by 0.3 m, thrown down with 1 m/s, of which the ground returns half. x goes on at 1 m/s.
TEST(ContactChanges, AnEventLiftsABodyOffTheGround) {
  struct Case {
    std::string set;
    double y, v;  // after it
    std::vector<RunEventKind> kinds;
  };
  using enum RunEventKind;
  const double later = 0.05;
  for (const auto& [set, y, v, kinds] :
       {Case{"\"y'\" = \"2\"", 0, 2, {kEvent, kRelease}}, Case{"y = \"0.3\"", 0.3, 0, {kEvent, kRelease}},
        Case{"\"y'\" = \"-1\"", 0, 0.5, {kEvent, kImpact, kRelease}}}) {
    const Trajectory path = kicked("y", kOnLevel, set, 0.275 + later);
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_NEAR(path.q[0].back(), 0.275 + later, 1e-12) << set;
    EXPECT_NEAR(path.q[1].back(), y + v * later - kPull / 2 * later * later, 1e-12) << set;
    EXPECT_EQ(path.lambda[0].back(), 0) << set;
    EXPECT_EQ(kinds_of(path), kinds) << set;
    EXPECT_TRUE(path.verdict.holds);
  }
}

// With friction as well: x' = √(4 − 2·0.2 g·0.275) at the event, and nothing slows it down after.
TEST(ContactChanges, AnEventLiftsABodyOffARoughGround) {
  const Trajectory path =
      kicked("y", "velocity = {x = 2, y = 0}, guess = {y = 0}", "\"y'\" = \"2\"", 0.4,
             "friction = [{name = \"mu\", normal = \"lambda(ground)\", velocity = \"x'\", coefficient = 0.2}]\n");
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const double speed = std::sqrt(4 - 2 * 0.2 * kPull * 0.275), later = 0.4 - (2 - speed) / (0.2 * kPull);
  EXPECT_NEAR(path.q[0].back(), 0.275 + speed * later, 1e-9);
  EXPECT_NEAR(path.q[1].back(), 2 * later - kPull / 2 * later * later, 1e-9);
}

// On a slope y = x, up which the body comes with √(9 − g 0.275): what slows x down leaves y' as it is, what makes it faster takes y along, as the ground pushes; and so it is with
// places beside the slope and below it. Nothing pulls.
TEST(ContactChanges, TheGroundPushesAndDoesNotPull) {
  const double later = 0.05, speed = std::sqrt(9 - kPull * 0.275);
  const auto fall = [&](double y, double v) { return y + v * later - kPull / 2 * later * later; };
  const auto climb = [&](double x, double v) { return x + v * later - kPull / 4 * later * later; };
  struct Case {
    std::string set;
    double x, y;
  };
  const double until = 2 * (3 - speed) / kPull + later;
  for (const auto& [set, x, y] : {Case{"\"x'\" = \"-2\"", 0.275 - 2 * later, fall(0.275, speed)},
                                  Case{"\"x'\" = \"5\"", climb(0.275, 5), climb(0.275, 5)},
                                  Case{"x = \"0.1\"", 0.1 + speed * later, fall(0.275, speed)},
                                  Case{"x = \"0.5\"", climb(0.5, speed), climb(0.5, speed)}}) {
    const Trajectory path = kicked("y - x", kOnSlope, set, until);
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_NEAR(path.q[0].back(), x, 1e-9) << set;
    EXPECT_NEAR(path.q[1].back(), y, 1e-9) << set;
    EXPECT_TRUE(path.verdict.holds);
  }
}

// A mass on a taut rope that is thrown up: the rope goes slack, and the mass flies on with the x' that it had.
TEST(ContactChanges, AThrownMassSlackensItsRope) {
  const System system = loaded(R"toml(name = "rope"
coordinates = ["x", "y"]
gravity = ["0", "-9.81"]
body = [{name = "b", mass = 1, position = ["x", "y"]}]
point = [{name = "O", at = [0, 0]}, {name = "P", at = ["x", "y"]}]
constraint = [{name = "rope", distance = {between = ["O", "P"], at_most = "1"}}]
initial = {position = {x = 0, y = -1}, velocity = {x = 0.5, y = 0}}
event = [{name = "kick", when = "t - 0.1", set = {"y'" = "1.5"}}]
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.3});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  std::size_t after = 1;
  while (path.time[after] != path.time[after - 1]) ++after;
  EXPECT_NEAR(path.time[after], 0.1, 1e-14);
  EXPECT_EQ(path.v[0][after], path.v[0][after - 1]);
  EXPECT_NEAR(path.q[0].back(), path.q[0][after] + 0.2 * path.v[0][after], 1e-12);
  EXPECT_NEAR(path.q[1].back(), path.q[1][after] + 0.3 - kPull * 0.02, 1e-12);
  EXPECT_TRUE(path.verdict.holds);
}

// Two grounds on one body, y >= 0 and y + x >= 0.275 … : x' = −3 is kept, and the steeper one alone pushes y' to 3. Held as equations, both would contradict that.
TEST(ContactChanges, OfTwoContactsOneParts) {
  const System system = loaded(R"toml(name = "two"
coordinates = ["x", "y"]
gravity = ["0", "-9.81"]
body = [{name = "b", mass = 2, position = ["x", "y"]}]
constraint = [{name = "level", holonomic = "y", unilateral = true}, {name = "ramp", holonomic = "y + x", unilateral = true}]
force = [{coordinate = "x", value = "-5"}]
initial = {position = {x = 0, y = 0}, velocity = {x = 0, y = 0}}
event = [{name = "kick", when = "t - 0.1", set = {"x'" = "-3"}}]
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.15});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  // Along the ramp: x'' = −y'' = (g − 2.5)/2.
  const double later = 0.05, x = -3 * later + (kPull - 2.5) / 4 * later * later;
  EXPECT_NEAR(path.q[0].back(), x, 1e-9);
  EXPECT_NEAR(path.q[1].back(), -x, 1e-9);
}

// An event that happens where a contact closes, and takes the body away from it: at rest, or with the speed of its fall, it falls from 1 m again, and nothing strikes.
TEST(ContactChanges, AnEventTakesABodyAwayFromWhereItLands) {
  const double fall = std::sqrt(2 / kPull);
  for (const std::string when : {"gap(ground)", "y"})
    for (const bool rests : {true, false}) {
      const System system = loaded(fmt::format(R"toml(name = "again"
coordinates = ["x", "y"]
gravity = ["0", "-9.81"]
body = [{{name = "b", mass = 2, position = ["x", "y"]}}]
constraint = [{{name = "ground", holonomic = "y", unilateral = true, restitution = 0.5}}]
initial = {{position = {{x = 0, y = 1}}, velocity = {{x = 1, y = 0}}}}
event = [{{name = "up", when = "{}", direction = "down", set = {{y = "1"{}}}}}]
)toml",
                                               when, rests ? ", \"y'\" = \"0\"" : ""));
      const double later = 0.1;
      const Trajectory path = integrate(system.dynamics, system.start(), {.until = fall + later});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_NEAR(path.q[1].back(), 1 - (rests ? 0 : kPull * fall * later) - kPull / 2 * later * later, 1e-11);
      EXPECT_EQ(kinds_of(path), std::vector{RunEventKind::kEvent}) << when << rests;
    }
}

}  // namespace
}  // namespace dalembert

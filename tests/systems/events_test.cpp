// SPDX-License-Identifier: Apache-2.0
// Events of a model (theory §8): instants in closed form, states after jumps, and what makes a run impossible.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/bouncing_ball.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

constexpr double kFieldStrength = 9.81;

System event_system(const std::string& text) {
  return System(derive_loaded(load_model(make_source("events", text), {})));
}

std::vector<double> times_of(const Trajectory& path, const std::string& event) {
  std::vector<double> all;
  for (const RunEvent& e : path.events)
    if (e.name == event) all.push_back(e.t);
  return all;
}

const std::string kBall = R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
[parameters]
g = "9.81 m/s^2"
m = "2 kg"
e = 0.8
[energy]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[initial]
position = {y = "1 m"}
)toml";

const std::string kBounce = R"toml([[event]]
name = "bounce"
when = "y"
direction = "down"
set = {"y'" = "-e*y'"}
)toml";

// t₁ = √(2h/g), then each flight lasts 2 eᵏ √(2gh)/g. Every method ends its steps there to round-off, ten times.
TEST(Events, ABallBouncesAtTheInstantsOfItsClosedForm) {
  const System system = event_system(kBall + kBounce);
  for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau}) {
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 3.6, .method = method});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    const std::vector<double> found = times_of(path, "bounce");
    ASSERT_EQ(found.size(), 10U);
    double speed = std::sqrt(2 * kFieldStrength), t = speed / kFieldStrength;
    for (const double at : found) {
      EXPECT_NEAR(at, t, 1e-12);
      speed *= 0.8;
      t += 2 * speed / kFieldStrength;
    }
    // The energy that events take is no drift: it is in the work.
    for (std::size_t row = 0; row < path.size(); ++row)
      EXPECT_NEAR(path.total[row] - path.work[row], path.total[0], 1e-11);
    EXPECT_NEAR(path.work.back(), 2 * kFieldStrength * (std::pow(0.8, 20) - 1), 1e-10);
    EXPECT_TRUE(path.verdict.holds);
    EXPECT_LT(path.verdict.energy_drift, 1e-12);
  }
}

// Between two bounces nothing is lost: at the end y = v τ − g τ²/2 after the last of them. What the verdict names is not less than the
// error, by the growth of errors alone and by a second run.
TEST(Events, TheNamedErrorBoundsTheTrueOneBeyondBounces) {
  const System system = event_system(kBall + kBounce);
  const auto [y, v] = ball_after(10, 3.6, kFieldStrength);
  for (const double rtol : {1e-4, 1e-6, 1e-9})
    for (const bool second : {false, true}) {
      const Trajectory path =
          integrate(system.dynamics, system.start(),
                    {.until = 3.6, .rtol = rtol, .atol = 1e-3 * rtol, .method = Method::kDopri5, .second_run = second});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      const FinalError& named = path.verdict.error;
      EXPECT_LE(std::abs(path.q[0].back() - y), named.q[0]) << rtol << second;
      EXPECT_LE(std::abs(path.v[0].back() - v), named.v[0]) << rtol << second;
      EXPECT_LT(named.q[0], 1e-6) << rtol << second;
    }
}

// Two rows at a bounce: before it and after it.
TEST(Events, AJumpHasARowBeforeAndOneAfter) {
  const System system = event_system(kBall + kBounce);
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.6});
  const double t = std::sqrt(2 / kFieldStrength), v = std::sqrt(2 * kFieldStrength);
  bool found = false;
  for (std::size_t row = 1; row < path.size(); ++row) {
    if (path.time[row] != path.time[row - 1]) continue;
    found = true;
    EXPECT_NEAR(path.time[row], t, 1e-14);
    EXPECT_NEAR(path.v[0][row - 1], -v, 1e-12);
    EXPECT_NEAR(path.v[0][row], 0.8 * v, 1e-12);
  }
  EXPECT_TRUE(found);
}

// Events that set nothing change no digit of what the steps between them would give, but for where steps end: y = 1 − g t²/2.
TEST(Events, DirectionsConditionsAndStops) {
  const std::string swing = R"toml(name = "swing"
coordinates = [{name = "x", unit = "m"}]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
position = {x = "1 m"}
)toml";
  const auto run = [&](const std::string& events) {
    const System system = event_system(swing + events);
    return integrate(system.dynamics, system.start(), {.until = 20});
  };
  const double pi = std::numbers::pi;
  // x = cos t.
  const Trajectory any = run("[[event]]\nname = \"zero\"\nwhen = \"x\"\n");
  const std::vector<double> zeros = times_of(any, "zero");
  ASSERT_EQ(zeros.size(), 6U);
  for (std::size_t k = 0; k < zeros.size(); ++k) EXPECT_NEAR(zeros[k], (static_cast<double>(k) + 0.5) * pi, 1e-9);
  const Trajectory up = run("[[event]]\nname = \"zero\"\nwhen = \"x\"\ndirection = \"up\"\n");
  EXPECT_EQ(times_of(up, "zero").size(), 3U);
  const Trajectory late = run("[[event]]\nname = \"zero\"\nwhen = \"x\"\nwhere = \"t > 10 and x' < 0\"\n");
  ASSERT_EQ(times_of(late, "zero").size(), 1U);
  EXPECT_NEAR(times_of(late, "zero").front(), 4.5 * pi, 1e-9);
  const Trajectory stops = run("[[event]]\nname = \"third\"\nwhen = \"x\"\nwhere = \"t > 7\"\nstop = true\n");
  ASSERT_EQ(stops.status, RunStatus::kOk) << stops.reason;
  EXPECT_TRUE(stops.ended_by_event());
  EXPECT_NEAR(stops.time.back(), 2.5 * pi, 1e-9);
  EXPECT_NEAR(stops.q[0].back(), 0, 1e-9);
  EXPECT_TRUE(stops.verdict.holds);
  // By the growth of errors, for there was no second run: x is told where it is 0, x' = -sin(5π/2).
  EXPECT_EQ(stops.verdict.error.method, "tangent growth");
  EXPECT_LE(std::abs(stops.q[0].back()), stops.verdict.error.q[0]);
  EXPECT_LE(std::abs(stops.v[0].back() + 1), stops.verdict.error.v[0]);
  EXPECT_LT(stops.verdict.error.v[0], 1e-6);
  // A start on the zero is none, and what only touches 0 passes nothing.
  const Trajectory from = run("[[event]]\nname = \"top\"\nwhen = \"x - 1\"\n");
  EXPECT_TRUE(from.events.empty());
}

// An event at the very time at which the potential changes: the jump of the energy in time is work, with the event as without it.
TEST(Events, AtATimeAtWhichAConditionChanges) {
  for (const char* set : {"", "set = {\"x'\" = \"2*x'\"}\n"}) {
    const System system = event_system(std::string(R"toml(name = "stiffer"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "if(t < 1, 1, 2)*x^2/2"
[initial]
position = {x = 1}
[[event]]
name = "now"
when = "t - 1"
)toml") + set);
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 3});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    ASSERT_EQ(times_of(path, "now").size(), 1U);
    EXPECT_NEAR(times_of(path, "now").front(), 1, 1e-14);
    EXPECT_LT(path.verdict.power_balance_error, 1e-9) << set;
    EXPECT_TRUE(path.verdict.holds) << set;
  }
}

// A fast function of a slow motion: none of the passages is missed, whatever the steps. g = sin(50 x), x = t.
TEST(Events, NoneIsMissedWithinAStep) {
  const System system = event_system(R"toml(name = "fast"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[initial]
velocity = {x = 1}
[[event]]
name = "node"
when = "sin(50*x)"
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 2.0});
  const std::vector<double> found = times_of(path, "node");
  ASSERT_EQ(found.size(), 31U);
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], std::numbers::pi / 50 * static_cast<double>(k + 1), 1e-12);
}

// The rod of a pendulum is released where its force is 0: m L θ'² + m g cos θ = 0 from θ = 120° at rest, energy m L² θ'²/2 − m g L cos θ:
// cos θ = 2/3 cos 120° from the upright side. Events may read multipliers.
TEST(Events, OfAMultiplier) {
  const System system = event_system(R"toml(name = "string"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
L = "1 m"
m = "1 kg"
g = "9.81 m/s^2"
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[[constraint]]
name = "string"
holonomic = "x^2 + y^2 - L^2"
[initial]
position = {x = "0.1 m"}
guess = {y = "-1 m"}
velocity = {x = "6 m/s"}
[[event]]
name = "slack"
when = "lambda(string)"
stop = true
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 10, .rtol = 1e-11, .atol = 1e-13});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_TRUE(path.ended_by_event());
  // Energy: v²/2 + g y. The force is 0 where v²/L = g (−cos), with y = −L cos θ = h: v² = g h, so h = 2/3 E/g.
  const double y0 = system.start().q[1],
               energy = (std::pow(system.start().v[0], 2) + std::pow(system.start().v[1], 2)) / 2 + kFieldStrength * y0;
  EXPECT_NEAR(path.q[1].back(), 2 * energy / (3 * kFieldStrength), 1e-10);
  EXPECT_NEAR(path.lambda[0].back(), 0, 1e-9);
}

// A pendulum that is struck when it hangs: what is set is held, and the rest moves onto the constraint. x' = 2 at the lowest point.
TEST(Events, WhatIsSetIsHeldAndTheRestObeysTheConstraints) {
  const auto struck = [](const std::string& set) {
    return event_system(R"toml(name = "struck"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
L = "1 m"
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "9.81*y"
[[constraint]]
name = "rod"
holonomic = "x^2 + y^2 - L^2"
[initial]
position = {x = "0.5 m"}
guess = {y = "-1 m"}
[[event]]
name = "strike"
when = "x - 0.1"
direction = "down"
set = {)toml" + set + "}\n");
  };
  const System system = struck("\"x'\" = \"2\"");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.6});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(times_of(path, "strike").size(), 1U);
  bool found = false;
  for (std::size_t row = 1; row < path.size(); ++row) {
    if (path.time[row] != path.time[row - 1]) continue;
    found = true;
    EXPECT_EQ(path.v[0][row], 2);
    EXPECT_NEAR(path.q[0][row] * path.v[0][row] + path.q[1][row] * path.v[1][row], 0, 1e-14);
    EXPECT_EQ(path.q[0][row], path.q[0][row - 1]);
  }
  EXPECT_TRUE(found);
  const System impossible = struck("\"x'\" = \"1\", \"y'\" = \"1\"");
  const Trajectory failed = integrate(impossible.dynamics, impossible.start(), {.until = 0.6});
  EXPECT_EQ(failed.status, RunStatus::kFailed);
  EXPECT_THAT(failed.reason, HasSubstr("contradicts the constraints"));
  EXPECT_THAT(failed.reason, HasSubstr("strike"));
}

// The rimless wheel with half angle π/8 on a slope of 0.08, l = 1 m, as events: ω⁻ and ω⁺ of its limit cycle.
// T. McGeer, Int. J. Robotics Research 9 (1990) 62. ω⁻² = 4 g sin α sin γ / (l (1 − cos² 2α)).
TEST(Events, TheRimlessWheelComesToItsLimitCycle) {
  const System system = event_system(R"toml(name = "rimless wheel"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
g = "9.81 m/s^2"
l = "1 m"
m = "1 kg"
alpha = "22.5 deg"
slope = "0.08 rad"
[energy]
kinetic = "m*l^2*theta'^2/2"
potential = "m*g*l*cos(theta)"
[initial]
position = {theta = "-0.3 rad"}
velocity = {theta = "1.5 rad/s"}
[[event]]
name = "step"
when = "theta - slope - alpha"
direction = "up"
set = {theta = "slope - alpha", "theta'" = "cos(2*alpha)*theta'"}
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 60});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  double before = 0, after = 0;
  for (std::size_t row = 1; row < path.size(); ++row)
    if (path.time[row] == path.time[row - 1]) before = path.v[0][row - 1], after = path.v[0][row];
  EXPECT_NEAR(before, 1.54921840490546, 1e-8);
  EXPECT_NEAR(after, 1.09546283964766, 1e-8);
}

// Events of one instant set together, from the state before; two that set one velocity to two values contradict each other.
TEST(Events, OfOneInstantActTogether) {
  const auto pair = [](const std::string& first, const std::string& second) {
    return event_system(fmt::format(R"toml(name = "two balls"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
[initial]
position = {{x = 0, y = 1}}
velocity = {{x = 1, y = -2}}
[[event]]
name = "first"
when = "x - 0.25"
set = {}
[[event]]
name = "second"
when = "y - 0.5"
set = {}
)toml",
                                    first, second));
  };
  const System swap = pair("{\"x'\" = \"y'\"}", "{\"y'\" = \"x'\"}");
  const Trajectory path = integrate(swap.dynamics, swap.start(), {.until = 1});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_EQ(path.events.size(), 2U);
  EXPECT_EQ(path.v[0].back(), -2);
  EXPECT_EQ(path.v[1].back(), 1);
  const System both = pair("{\"x'\" = \"1\"}", "{\"x'\" = \"2\"}");
  const Trajectory failed = integrate(both.dynamics, both.start(), {.until = 1});
  EXPECT_EQ(failed.status, RunStatus::kFailed);
  EXPECT_THAT(failed.reason, HasSubstr("two events set `x'`"));
}

// Bounces without end come to an end: t = t₁ + 2 e/(1 − e) √(2gh)/g. The run says so, and does not fall through the floor.
TEST(Events, ThatAccumulateEndTheRunWithAReason) {
  const System system = event_system(kBall + kBounce);
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 10});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("`bounce` happens ever faster"));
  EXPECT_THAT(path.reason, HasSubstr("t = 4.0637128 s"));
  ASSERT_FALSE(path.time.empty());
  EXPECT_NEAR(path.time.back(), 4.06371276887158, 1e-5);
  EXPECT_NEAR(path.q[0].back(), 0, 1e-12);
}

// So do those that lose nearly everything at once, where the motion between two is below round-off after three of them.
TEST(Events, ThatFollowEachOtherAtOnceEndTheRun) {
  for (const char* e : {"0.01", "1e-4"}) {
    std::string text = kBall + kBounce;
    text.replace(text.find("e = 0.8"), 7, std::string("e = ") + e);
    const System system = event_system(text);
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 10});
    EXPECT_EQ(path.status, RunStatus::kFailed) << e;
    EXPECT_THAT(path.reason, HasSubstr("the event `bounce` happens")) << e;
    ASSERT_FALSE(path.time.empty());
    EXPECT_NEAR(path.time.back(), std::sqrt(2 / kFieldStrength), 0.02) << e;
    EXPECT_NEAR(path.q[0].back(), 0, 1e-9) << e;
  }
}

// Jumps with friction and conditions: a sliding block is thrown back, and slides the other way until it stops. v₀ = 3 at x = 1, μ g = 2:
// v² = 9 − 4, then −v/2 back: it goes v²/4/(2·2) = 5/16.
TEST(Events, WithFriction) {
  const System system = event_system(R"toml(name = "thrown back"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[initial]
velocity = {x = 3}
[[friction]]
name = "floor"
normal = 10
velocity = "x'"
coefficient = 0.2
[[event]]
name = "wall"
when = "x - 1"
direction = "up"
set = {"x'" = "-x'/2"}
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 5});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_NEAR(path.q[0].back(), 1 - 5.0 / 16, 1e-12);
  EXPECT_EQ(path.v[0].back(), 0);
}

// An event on the gap of a contact that closes without a bounce: from there on the gap is 0 but for round-off, whatever the tolerance. The block lands at
// t₁ with the speed g t₁, loses μ g t₁ along the floor, and slides on with −μ g.
TEST(Events, OnAGapThatStaysClosed) {
  const System system = event_system(R"toml(name = "lands"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[initial]
position = {x = 0, y = 0.2}
velocity = {x = 4, y = 0}
[[constraint]]
name = "floor"
holonomic = "y"
unilateral = true
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x'"
coefficient = 0.3
[[event]]
name = "lands"
when = "gap(floor)"
direction = "down"
)toml");
  const double g = 9.81, first = std::sqrt(2 * 0.2 / g), left = 1 - first;
  for (const double rtol : {1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1, .rtol = rtol});
    ASSERT_EQ(path.status, RunStatus::kOk) << rtol << ": " << path.reason;
    EXPECT_EQ(std::ranges::count(path.events, "lands", &RunEvent::name), 1) << rtol;
    EXPECT_NEAR(path.q[0].back(), 4 * first + (4 - 0.3 * g * first) * left - 0.3 * g * left * left / 2, 1e-11) << rtol;
  }
}

// An event on a speed that is round-off once the bounces have ended, at √(2/g) (1 + e)/(1 − e). The ball has a top after each bounce but the last.
TEST(Events, OnASpeedThatComesToRest) {
  const System system = event_system(R"toml(name = "tops"
coordinates = ["y", "x"]
[energy]
kinetic = "(y'^2 + x'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = 0.7
[[event]]
name = "top"
when = "y'"
direction = "down"
[initial]
position = {y = 1, x = 0}
velocity = {y = 0, x = -0.5}
)toml");
  for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau})
    for (const double atol : {1e-12, 1e-13, 3e-14, 1e-14}) {
      const Trajectory path =
          integrate(system.dynamics, system.start(), {.until = 3, .rtol = 1e-11, .atol = atol, .method = method});
      ASSERT_EQ(path.status, RunStatus::kOk) << atol << ": " << path.reason;
      EXPECT_EQ(path.events.back().kind, RunEventKind::kRest);
      EXPECT_NEAR(path.events.back().t, std::sqrt(2 / 9.81) * 1.7 / 0.3, 1e-9);
      EXPECT_EQ(static_cast<std::size_t>(path.verdict.impacts), times_of(path, "top").size() + 1) << atol;
      EXPECT_NEAR(path.q[1].back(), -1.5, 1e-13);
    }
}

// A rotor at 20 rad/s. What jumps passes 0 where it goes through 0 and where it jumps over it; a step ends where the function bends or jumps, and none is missed in a long one.
TEST(Events, AreFoundWhereTheirFunctionsJump) {
  struct Case {
    std::string when, direction;
    std::vector<double> times;
  };
  const auto each = [](double first, double period) {
    std::vector<double> times;
    for (double t = first; t < 2; t += period) times.push_back(t);
    return times;
  };
  const double turn = std::numbers::pi / 10;
  std::vector<double> both = each(turn, turn), halves = each(turn / 2, turn);
  both.insert(both.end(), halves.begin(), halves.end());
  std::ranges::sort(both);
  const std::vector<Case> cases{{"mod(th, 2*pi) - pi", "up", each(turn / 2, turn)},
                                {"mod(th, 2*pi) - pi", "down", each(turn, turn)},
                                {"mod(th, 2*pi) - pi", "any", both},
                                {"if(mod(th, 2*pi) < pi, 1, -1)", "down", halves},
                                {"mod(t, 0.3) - 0.15", "up", each(0.15, 0.3)},
                                {"floor(th/7) - 2.5", "any", {21. / 20}},
                                {"if(th > 1, th - 2, -1)", "up", {0.1}}};
  for (const auto& [when, direction, times] : cases)
    for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau}) {
      const System system =
          event_system("coordinates = [\"th\"]\n[energy]\nkinetic = \"th'^2/2\"\n[[event]]\n" +
                       fmt::format("name = \"e\"\nwhen = \"{}\"\ndirection = \"{}\"\n", when, direction) +
                       "[initial]\nposition = {th = 0}\nvelocity = {th = 20}\n");
      const Trajectory path = integrate(system.dynamics, system.start(), {.until = 2, .method = method});
      EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_THAT(times_of(path, "e"), testing::Pointwise(testing::DoubleNear(1e-12), times)) << when << direction;
    }
}

// With damping the continuous extension has an error of its own: th = th'_0/d (1 − exp(−d t)). Each is met once, however near to its jump a step ends; an event that is 0 for a while happens
// where it leaves 0.
TEST(Events, ThatJumpAreMetOnce) {
  for (const double speed : {20.0, 20.000001, 21.0, 22.7, 25.9})
    for (const auto& [when, at] :
         {std::pair("if(th > 6, 1, -1)", 6.), std::pair("mod(th, 12) - 6", 6.), std::pair("floor(th/4) - 1", 8.)}) {
      const System system = event_system(fmt::format(
          "coordinates = [\"th\"]\nparameters = {{d = 0.3}}\n[energy]\nkinetic = \"th'^2/2\"\ndissipation = "
          "\"d*th'^2/2\"\n[[event]]\nname = \"e\"\nwhen = \"{}\"\ndirection = \"up\"\n[initial]\nposition = "
          "{{th = 0}}\nvelocity = {{th = {}}}\n",
          when, speed));
      const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.55, .rtol = 1e-8});
      EXPECT_THAT(times_of(path, "e"),
                  testing::ElementsAre(testing::DoubleNear(-std::log1p(-at * 0.3 / speed) / 0.3, 1e-7)))
          << when << speed;
    }
}

// An input jumps at 0.5 s over the limit of an event, and at 1 s to another value above it: the event happens once, and neither what the impacts of a ball nor what another
// event sets meets it again. The ball falls from 0.3 m and keeps half of its speed; a mass of 1 kg that the input pushes from rest is stopped at 0.1 m.
TEST(Events, ThatJumpAtAKnownTimeAreNotMetAgain) {
  const std::string input = "inputs = {f = \"if(t < 0.5, 0.2, if(t < 1, 1, 0.8))\"}\n";
  const System ball = event_system(input + R"toml(coordinates = ["y"]
energy = {kinetic = "y'^2/2", potential = "9.81*y"}
constraint = [{name = "floor", holonomic = "y", unilateral = true, restitution = 0.5}]
event = [{name = "n", when = "f - 0.5"}]
initial = {position = {y = 0.3}, velocity = {y = 0}}
)toml");
  const Trajectory path = integrate(ball.dynamics, ball.start(), {.until = 3});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_THAT(times_of(path, "n"), testing::ElementsAre(testing::DoubleNear(0.5, 1e-14)));
  EXPECT_EQ(path.events.back().kind, RunEventKind::kRest);
  EXPECT_NEAR(path.events.back().t, 3 * std::sqrt(2 * 0.3 / kFieldStrength), 1e-9);
  for (const std::string when : {"x'' - 0.5", "f - 0.5"}) {
    const System mass = event_system(input + R"toml(coordinates = ["x"]
energy = {kinetic = "x'^2/2"}
force = [{coordinate = "x", value = "f"}]
initial = {position = {x = 0}, velocity = {x = 0}}
event = [{name = "n", when = ")toml" +
                                     when +
                                     R"toml("}, {name = "stops", when = "x - 0.1", set = {"x'" = "0"}}]
)toml");
    const Trajectory pushed = integrate(mass.dynamics, mass.start(), {.until = 2});
    ASSERT_EQ(pushed.status, RunStatus::kOk) << when << ": " << pushed.reason;
    EXPECT_THAT(times_of(pushed, "n"), testing::ElementsAre(testing::DoubleNear(0.5, 1e-12))) << when;
    // x = 0.025 and x' = 0.1 at 0.5 s: x = 0.1 after 0.3 s more. Then 0.2 s with 1 N and 1 s with 0.8 N from rest.
    EXPECT_THAT(times_of(pushed, "stops"), testing::ElementsAre(testing::DoubleNear(0.8, 1e-12))) << when;
    EXPECT_NEAR(pushed.q[0].back(), 0.1 + 0.02 + 0.2 + 0.4, 1e-11) << when;
  }
}

}  // namespace
}  // namespace dalembert

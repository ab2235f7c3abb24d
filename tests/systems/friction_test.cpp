// SPDX-License-Identifier: Apache-2.0
// Dry friction that knows its load, and other forces that depend on multipliers (theory §8): closed forms, and motions
// whose equations are written here by hand.
#include "dalembert/dynamics/friction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

constexpr double pi = std::numbers::pi;

System friction_system(const std::string& text) {
  return System(derive_loaded(load_model(make_source("friction", text), {})));
}

std::vector<double> times(const Trajectory& path, const std::string& event) {
  std::vector<double> all;
  for (const RunEvent& e : path.events)
    if (e.name == event) all.push_back(e.t);
  return all;
}

// Two frictions hold one block of which no row knows: limits of 1.5 N and 0.3 N against 1.5 N. Each leaves the same of its limit, 0.15 N.
TEST(Rest, FrictionsShareALoadWithoutRows) {
  const System system = friction_system(R"toml(name = "shared"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[force]]
coordinate = "x"
value = 1.5
[[friction]]
name = "strong"
normal = 5
velocity = "x'"
coefficient = 0.3
[[friction]]
name = "weak"
normal = 1
velocity = "x'"
coefficient = 0.3
)toml");
  const KktSolution at = solve_kkt(system.dynamics, {0, {0}, {0}});
  ASSERT_EQ(at.status, KktStatus::kOk);
  ASSERT_EQ(at.friction_answer.solutions.size(), 1U);
  const std::vector<double>& found = at.friction_answer.solutions[0].multipliers;
  EXPECT_NEAR(found[0], 1.35, 1e-14);
  EXPECT_NEAR(found[1], 0.15, 1e-14);
}

// Three forces are open, none of which acts on another: of each friction that rests on what a row holds, and of a row stated twice. The
// first friction has no load, so its force is 0, and the second's is below its limit: both rest. The third slides without a load.
TEST(Rest, OpenForcesThatDoNotMixAreFoundOneByOne) {
  for (const double share : {1.0, 0.3, -2.0}) {
    const System system = friction_system(fmt::format(R"toml(name = "apart"
coordinates = ["a", "b", "c", "d"]
[energy]
kinetic = "a'^2/2 + b'^2/2 + c'^2/2 + d'^2/2"
[[constraint]]
name = "b"
holonomic = "b"
[[constraint]]
name = "a"
holonomic = "3*a"
[[constraint]]
name = "c"
holonomic = ["2*c - a/5", "{}*(2*c - a/5)"]
[[force]]
power = "2.6*a' + 1.9*b' + d'"
[[friction]]
name = "on_a"
normal = "lambda(c[2])"
velocity = "a'"
coefficient = 0.3
[[friction]]
name = "on_b"
normal = "lambda(a)"
velocity = "b'"
coefficient = 0.3
[[friction]]
name = "on_d"
normal = "lambda(c[2])"
velocity = "d'"
coefficient = 0.3
)toml",
                                                      share));
    const KktSolution at = solve_kkt(system.dynamics, {0, {0, 0, 0, 0}, {0, 0, 0, 0.5}});
    ASSERT_EQ(at.status, KktStatus::kOk) << share;
    EXPECT_NEAR(at.qdd[3], 1, 1e-14);
    ASSERT_EQ(at.friction_answer.solutions.size(), 1U);
    const std::vector<double>& found = at.friction_answer.solutions[0].multipliers;  // of four rows, then of frictions
    EXPECT_NEAR(found[4], 0, 1e-12);
    EXPECT_LE(std::abs(found[5]), 0.3 * std::abs(found[1]) + 1e-12);
  }
}

// A friction rests where a row lets nothing move, at a speed that is round-off: u = 0, u' = 1e-95, so that the row asks for
// u'' = -2/3 u'^2 and the friction for u'' = 0. Beside the force on x that is nothing: x'' = 1.
TEST(Rest, IsNotContradictedByRoundOff) {
  const System system = friction_system(R"toml(name = "held"
coordinates = ["u", "x"]
[energy]
kinetic = "u'^2/2 + x'^2/2"
[[constraint]]
name = "h"
holonomic = "3*u + u^2"
[[force]]
coordinate = "x"
value = 1
[[friction]]
name = "f"
normal = "lambda(h) + 5"
velocity = "u'"
coefficient = 0.3
)toml");
  const KktSolution solution = solve_kkt(system.dynamics, {0, {0, 0}, {1e-95, 0}});
  EXPECT_EQ(solution.status, KktStatus::kOk);
  EXPECT_NEAR(solution.qdd[0], 0, 1e-15);
  EXPECT_DOUBLE_EQ(solution.qdd[1], 1);
}

// --- the belt

// Carried along at 3 from x = 1 to 5, 4/3 s; then x − 3 = √13 cos on the way from (2, 3) to (−2, 3): 2π − 2 atan(2/3).
constexpr double kBeltPeriod = 6.44051343341778;

// Oracle: that closed form. The tolerance asked for is 1e-12 a step, of some 150 steps.
TEST(Belt, SticksAndSlidesWithThePeriodOfItsClosedForm) {
  EXPECT_NEAR(kBeltPeriod, 4.0 / 3 + 2 * pi - 2 * std::atan(2.0 / 3), 1e-14);
  const System belt = shipped("block-on-belt");
  const Trajectory path = integrate(belt.dynamics, belt.start(), {.until = 30, .rtol = 1e-12, .atol = 1e-13});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  for (const char* event : {"belt_friction sticks", "belt_friction slides"}) {
    const std::vector<double> at = times(path, event);
    ASSERT_GE(at.size(), 4u);
    for (std::size_t i = 1; i < at.size(); ++i) EXPECT_NEAR(at[i] - at[i - 1], kBeltPeriod, 1e-9) << event;
  }
  const auto [least, most] = std::minmax_element(path.q[0].begin(), path.q[0].end());
  // Rows are steps: the extremes lie between them.
  EXPECT_NEAR(*least, 3 - std::sqrt(13), 0.05);
  EXPECT_NEAR(*most, 3 + std::sqrt(13), 0.05);
  EXPECT_GE(*least, 3 - std::sqrt(13) - 1e-9);
  EXPECT_LE(*most, 3 + std::sqrt(13) + 1e-9);
  // Sliding, the force is μ N = 3; sticking, at most μ_s N = 5.
  for (std::size_t row = 0; row < path.size(); ++row) EXPECT_LE(std::abs(path.friction[0][row]), 5 + 1e-9);
  EXPECT_EQ(path.series("friction/belt_friction").data(), path.friction[0].data());
}

// The extremes themselves: x' = 0 is at the time where x − 3 = ±√13, atan(3/2) and that + π after the start.
TEST(Belt, GoesAsFarAsItsEnergyAllows) {
  const System belt = shipped("block-on-belt");
  const double up = std::atan(1.5);
  const Trajectory path =
      integrate(belt.dynamics, belt.start(), {.until = 6, .rtol = 1e-12, .atol = 1e-13, .output_times = {up, up + pi}});
  ASSERT_EQ(path.size(), 2u) << path.reason;
  EXPECT_NEAR(path.q[0][0], 3 + std::sqrt(13), 1e-9);
  EXPECT_NEAR(path.q[0][1], 3 - std::sqrt(13), 1e-9);
}

// Oracle: the power balance, which the belt's work is part of; 1,000 switches take 500 periods.
TEST(Belt, EnergyBalancesThroughAThousandSwitches) {
  const System belt = shipped("block-on-belt");
  const Trajectory path = integrate(belt.dynamics, belt.start(),
                                    {.until = 501 * kBeltPeriod, .rtol = 1e-9, .atol = 1e-12, .output_step = 10});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_GE(path.verdict.switches, 1000);
  EXPECT_LE(path.verdict.power_balance_error, path.verdict.drift_limit + path.verdict.work_error);
  // The work itself: each period the block gets back from friction what it lost to it.
  EXPECT_GT(std::abs(path.verdict.energy_drift), 0.1);
}

// --- the incline

// Oracle: statics, |f| = m g sin α <= μ m g cos α. Nothing moves, not by one bit.
TEST(Incline, ABlockDoesNotCreep) {
  const System block = shipped("block-on-incline", {"alpha=21.8 deg"});  // tan 21.8° = 0.39997 < 0.4
  const Trajectory path = integrate(block.dynamics, block.start(), {.until = 1e4});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds);
  EXPECT_TRUE(path.events.empty());
  for (std::size_t row = 0; row < path.size(); ++row) {
    EXPECT_EQ(path.q[0][row], 0);
    EXPECT_EQ(path.v[0][row], 0);
  }
  EXPECT_NEAR(path.friction[0].back(), 2 * 9.81 * std::sin(21.8 * pi / 180), 1e-12);
}

// Oracle: s = g (sin α − μ cos α) t²/2.
TEST(Incline, SlidesWhereItIsTooSteep) {
  const double alpha = 25 * pi / 180, acceleration = 9.81 * (std::sin(alpha) - 0.4 * std::cos(alpha));
  const System block = shipped("block-on-incline", {"alpha=25 deg"});
  const Trajectory path = integrate(block.dynamics, block.start(), {.until = 2});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_NEAR(path.q[0].back(), 2 * acceleration, 1e-9);
}

// Oracle: the same motion, with the friction written as a force that is linear in the multiplier.
TEST(Incline, AForceMayDependOnAMultiplier) {
  const double alpha = 25 * pi / 180, acceleration = 9.81 * (std::sin(alpha) - 0.4 * std::cos(alpha));
  const System block = friction_system(R"toml(
coordinates = ["s", "n"]
[parameters]
g = 9.81
m = 2
alpha = "25 deg"
mu = 0.4
[energy]
kinetic = "m/2*(s'^2 + n'^2)"
potential = "m*g*(n*cos(alpha) - s*sin(alpha))"
[[constraint]]
name = "plane"
holonomic = "n"
[[force]]
coordinate = "s"
value = "-mu*lambda(plane)"
)toml");
  ASSERT_EQ(block.equations.Phi.value.size(), 1u);
  const KktSolution now = solve_kkt(block.dynamics, block.start());
  EXPECT_NEAR(now.qdd[0], acceleration, 1e-14);
  EXPECT_NEAR(now.lambda[0], 2 * 9.81 * std::cos(alpha), 1e-13);
  const Trajectory path = integrate(block.dynamics, block.start(), {.until = 2});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_NEAR(path.q[0].back(), 2 * acceleration, 1e-9);
}

// --- Painlevé's rod

struct RodState {
  System rod = shipped("rod-on-rough-plane");

  // At rest in the angle or spinning, the lower end sliding forwards.
  FrictionAnswer answer(double theta, double rate) const {
    State state{0, {0, std::sin(theta), theta}, {2 + rate * std::sin(theta), rate * std::cos(theta), rate}};
    return solve_kkt(rod.dynamics, state).friction_answer;
  }
};

// Oracle: theory §8: 1 + 3 cos θ (cos θ − μ sin θ) < 0 where tan θ lies between the roots of t² − 3 μ t + 4, which for μ =
// 1.5 are 50.6415981605° and 73.0484693655°. The number of consistent states tells the boundary to the last digits.
TEST(PainlevesRod, ConsistentStatesEndAtTheBoundariesOfTheory) {
  const RodState rod;
  const double root = std::sqrt(81.0 / 4 - 16);
  const double lower = std::atan((4.5 - root) / 2), upper = std::atan((4.5 + root) / 2);
  EXPECT_NEAR(lower * 180 / pi, 50.6415981605, 1e-10);
  EXPECT_NEAR(upper * 180 / pi, 73.0484693655, 1e-10);
  // At rest in the angle the rod falls on the plane: none. Spinning fast, the end would lift off: two.
  for (const auto& [rate, inside] : {std::pair<double, std::size_t>{0, 0}, {8, 2}}) {
    for (const auto& [from, to, boundary] : {std::array{0.7, 1.0, lower}, {1.4, 1.1, upper}}) {
      double a = from, b = to;
      ASSERT_EQ(rod.answer(a, rate).solutions.size(), 1u);
      ASSERT_EQ(rod.answer(b, rate).solutions.size(), inside);
      for (int k = 0; k < 60; ++k) {
        const double middle = (a + b) / 2;
        (rod.answer(middle, rate).solutions.size() == 1 ? a : b) = middle;
      }
      EXPECT_NEAR(a, boundary, 1e-9);
    }
  }
}

// Oracle: in the frame of the plane 0 = ÿ_P = p N/m − g + l θ̇² sin θ, p = 1 + 3 cos θ (cos θ − s μ sin θ) with s the sign of N.
TEST(PainlevesRod, BothSolutionsAreGiven) {
  const RodState rod;
  const double theta = 1.1, rate = 8, mu = 1.5, pull = 9.81 - rate * rate * std::sin(theta);
  const FrictionAnswer answer = rod.answer(theta, rate);
  ASSERT_EQ(answer.solutions.size(), 2u);
  EXPECT_TRUE(answer.complete);
  for (const FrictionSolution& solution : answer.solutions) {
    const int s = solution.mode[0].load;
    const double p = 1 + 3 * std::cos(theta) * (std::cos(theta) - s * mu * std::sin(theta));
    EXPECT_NEAR(solution.multipliers[0], pull / p, 1e-9 * std::abs(pull / p));
    EXPECT_NEAR(solution.multipliers[1], mu * std::abs(pull / p), 1e-9 * std::abs(pull / p));
    EXPECT_GT(s * solution.multipliers[0], 0);
  }
  EXPECT_THAT(describe(answer, rod.rod.dynamics.names(), 1), HasSubstr("2 states that are consistent"));
}

// A run that comes to such a state ends there, with what it has and why.
TEST(PainlevesRod, ARunEndsWhereTheMotionIsNotTheOnlyOne) {
  RodState rod;
  const double theta = 1.35, rate = -8;  // turning into the angles of the paradox, N < 0
  const State start{0, {0, std::sin(theta), theta}, {8 + rate * std::sin(theta), rate * std::cos(theta), rate}};
  const Trajectory path = integrate(rod.rod.dynamics, start, {.until = 1, .rtol = 1e-10, .atol = 1e-12});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("2 states that are consistent"));
  ASSERT_GT(path.size(), 1u);
  // It ends at the boundary, which is one of the angle alone.
  EXPECT_NEAR(path.q[2].back(), std::atan((4.5 + std::sqrt(81.0 / 4 - 16)) / 2), 1e-8);
}

// --- the rod on a corner, against its equations written by Newton and Euler

struct Corner {
  double g = 9.81, m = 2, a = 0.8, h = 0.5, c = 1, mu = 0.3, mu_s = 0.4;
  double I = m * 4 * a * a / 12;
  std::function<double(double)> tau, push;

  struct Forces {
    double acceleration, N, f;
  };
  // The foot A is at x = c − h cot θ. Unknown: θ̈, the floor's R, the corner's N along (−sin θ, cos θ), and f along the rod,
  // which is given as f = k N or, where the rod sticks, found with θ̈ = 0.
  Forces solve(double at_time, double angle, double rate, bool sticks, double k) const {
    const double s = std::sin(angle), co = std::cos(angle), at = h / s - a;
    const double x_w = h / (s * s), x_0 = -2 * h * rate * rate * co / (s * s * s);  // ẍ = x_w θ̈ + x_0
    // Rows: m ẍ_c, m ÿ_c, I θ̈. Columns: θ̈ (or f), R, N.
    const double px = x_w - a * s, py = a * co;
    double A[3][4] = {
        {sticks ? co : m * px, 0, s + (sticks ? 0 : k * co), push(at_time) - m * (x_0 - a * rate * rate * co)},
        {sticks ? s : m * py, -1, -co + (sticks ? 0 : k * s), -m * g + m * a * rate * rate * s},
        {sticks ? 0 : I, a * co, -at, tau(at_time) + a * s * push(at_time)},
    };
    for (int i = 0; i < 3; ++i) {
      int pivot = i;
      for (int r = i + 1; r < 3; ++r)
        if (std::abs(A[r][i]) > std::abs(A[pivot][i])) pivot = r;
      std::swap(A[i], A[pivot]);
      for (int r = 0; r < 3; ++r) {
        if (r == i) continue;
        const double factor = A[r][i] / A[i][i];
        for (int j = i; j < 4; ++j) A[r][j] -= factor * A[i][j];
      }
    }
    const double first = A[0][3] / A[0][0], N = A[2][3] / A[2][2];
    return sticks ? Forces{0, N, first} : Forces{first, N, k * N};
  }
  Forces slide(double at_time, double angle, double rate) const {
    return solve(at_time, angle, rate, false, direction * load * mu);
  }

  double t = 0, theta = pi / 4, w = 0;
  int direction = 0, load = 1;  // signs of x' cos θ (0: sticks) and of N
  int switches = 0;

  void step(double dt) {
    const auto rate = [&](double at, double th, double om) { return slide(at, th, om).acceleration; };
    const double k1 = rate(t, theta, w), l1 = w;
    const double k2 = rate(t + dt / 2, theta + dt / 2 * l1, w + dt / 2 * k1), l2 = w + dt / 2 * k1;
    const double k3 = rate(t + dt / 2, theta + dt / 2 * l2, w + dt / 2 * k2), l3 = w + dt / 2 * k2;
    const double k4 = rate(t + dt, theta + dt * l3, w + dt * k3), l4 = w + dt * k3;
    theta += dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    w += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    t += dt;
  }
  double excess(double at) const {
    const Forces f = solve(at, theta, 0, true, 0);
    return std::abs(f.f) - mu_s * std::abs(f.N);
  }
  // At rest: sticks, or slides in the direction that f can no longer hold, with the sign of N that comes out.
  void decide(bool leaves) {
    ++switches;
    w = 0;
    direction = 0;
    if (!leaves && excess(t) <= 0) return;
    direction = solve(t, theta, 0, true, 0).f > 0 ? 1 : -1;
    load = 1;
    if (slide(t, theta, 0).N < 0) load = -1;
    EXPECT_GE(load * slide(t, theta, 0).N, 0);
  }
  // To `until` by steps of dt of the classical Runge–Kutta method; events are found by halving steps.
  void run(double until, double dt) {
    decide(false);
    while (until - t > 1e-15) {
      const double whole = std::min(dt, until - t);
      const Corner before = *this;
      enum { kNone, kTurns, kLeaves, kUnloads } what = kNone;
      const auto crosses = [&](double part) {
        *this = before;
        what = kNone;
        if (direction == 0) {
          t += part;
          if (excess(t) > 0) what = kLeaves;
        } else {
          step(part);
          if (direction * w * std::cos(theta) < 0)
            what = kTurns;
          else if (load * slide(t, theta, w).N < 0)
            what = kUnloads;
        }
        return what != kNone;
      };
      if (!crosses(whole)) continue;
      double low = 0, high = whole;
      while (high - low > 1e-16 + 1e-15 * t) (crosses((low + high) / 2) ? high : low) = (low + high) / 2;
      crosses(high);
      if (what == kUnloads) {
        load = -load;
        ++switches;
      } else {
        decide(what == kLeaves);
      }
    }
  }
};

// Oracle: the equations above; fourth order with steps of 1e-4 s leaves some 1e-12.
TEST(RodOnCorner, FollowsAnIndependentEventDrivenRun) {
  // With little friction it turns and its normal force changes sign; with much it sticks again and again.
  for (const auto& [mu, mu_s] : {std::pair(0.3, 0.4), {0.7, 0.8}}) {
    Corner truth;
    truth.mu = mu;
    truth.mu_s = mu_s;
    truth.tau = [](double t) { return 10 + 14 * std::sin(20 * t); };
    truth.push = [](double t) { return 10 * std::sin(7 * t); };
    truth.run(0.45, 1e-4);
    const System rod = shipped("rod-on-corner-friction", {"tau=10 + 14*sin(20*t)", "push=10*sin(7*t)",
                                                          fmt::format("mu={}", mu), fmt::format("mu_s={}", mu_s)});
    const Trajectory path = integrate(rod.dynamics, rod.start(), {.until = 0.45, .rtol = 1e-11, .atol = 1e-13});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_GE(truth.switches, 4);
    EXPECT_NEAR(path.q[1].back(), truth.theta, 1e-8) << mu;
    EXPECT_NEAR(path.v[1].back(), truth.w, 1e-7) << mu;
  }
}

// --- several at once

// Oracle: statics and Newton's second law for the three motions that two blocks one upon the other can have.
TEST(TwoBlocks, StickAndSlideAsTheForceOnTheLowerOneSays) {
  const double g = 10, m1 = 1, m2 = 2, mu1 = 0.4, mu2 = 0.2;
  const double to_move = mu2 * (m1 + m2) * g, to_slip = (mu1 + mu2) * (m1 + m2) * g;  // 6, 18
  for (const double force : {1.0, 5.99, 6.01, 12.0, 17.99, 18.01, 30.0, -12.0, -30.0}) {
    const System blocks = friction_system(fmt::format(R"toml(
coordinates = ["x1", "y1", "x2", "y2"]
[parameters]
g = 10
[energy]
kinetic = "(x1'^2 + y1'^2)/2 + x2'^2 + y2'^2"
potential = "g*y1 + 2*g*y2"
[[constraint]]
name = "below"
holonomic = "y2"
[[constraint]]
name = "between"
holonomic = "y1 - y2"
[[friction]]
name = "upper"
normal = "lambda(between)"
velocity = "x1' - x2'"
coefficient = 0.4
[[friction]]
name = "lower"
normal = "lambda(below)"
velocity = "x2'"
coefficient = 0.2
[[force]]
coordinate = "x2"
value = {}
)toml",
                                                      force));
    const KktSolution now = solve_kkt(blocks.dynamics, blocks.start());
    ASSERT_EQ(now.status, KktStatus::kOk) << describe(now.friction_answer, blocks.dynamics.names(), 2);
    const double size = std::abs(force), sign = force < 0 ? -1 : 1;
    double a1 = 0, a2 = 0;
    if (size > to_slip) {
      a1 = mu1 * g;
      a2 = (size - mu1 * m1 * g - to_move) / m2;
    } else if (size > to_move) {
      a1 = a2 = (size - to_move) / (m1 + m2);
    }
    EXPECT_NEAR(now.qdd[0], sign * a1, 1e-12) << force;
    EXPECT_NEAR(now.qdd[2], sign * a2, 1e-12) << force;
  }
}

// Oracle: m g y + m ẋ²/2 does not jump where a block comes to rest; the kinetic energy that is left there is round-off.
TEST(Incline, AJumpOfRoundOffIsNone) {
  const System block = friction_system(R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2 + y'^2"
potential = "19.62*y"
[[constraint]]
name = "g"
holonomic = "y"
[[friction]]
name = "f"
normal = "lambda(g)"
velocity = "x'"
coefficient = "0.3*(1 + 0.5*sin(40*x))"
[initial]
velocity = {x = 1}
)toml");
  const Trajectory path = integrate(block.dynamics, block.start(), {.until = 10});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_EQ(times(path, "f sticks").size(), 1u);
  EXPECT_THAT(path.verdict.warnings, testing::IsEmpty());
}

// --- chains of blocks on a belt

// n blocks, joined by springs, the first tied to the ground; each normal force is 10 all along.
std::string chain_on_belt(int n, double stiffness = 20, double belt = 0.5, double spread = 0.02) {
  std::string coordinates, kinetic, potential = "0.5*x0^2", parts, start;
  for (int i = 0; i < n; ++i) {
    coordinates += fmt::format("{0}\"x{1}\", \"y{1}\"", i > 0 ? ", " : "", i);
    kinetic += fmt::format("{0}(x{1}'^2 + y{1}'^2)/2", i > 0 ? " + " : "", i);
    potential += fmt::format(" + 10*y{}", i);
    if (i > 0) potential += fmt::format(" + {}*(x{} - x{} - 1)^2", stiffness, i, i - 1);
    parts += fmt::format(R"toml(
[[constraint]]
name = "g{0}"
holonomic = "y{0}"
[[friction]]
name = "f{0}"
normal = "lambda(g{0})"
velocity = "x{0}' - {1}"
coefficient = {2}
static = {3}
)toml",
                         i, belt, 0.2 + spread * i, 0.3 + 1.5 * spread * i);
    start += fmt::format("{}x{} = {}", i > 0 ? ", " : "", i, 1.01 * i);
  }
  return fmt::format(
      "coordinates = [{}]\n[energy]\nkinetic = \"{}\"\npotential = \"{}\"\n{}\n[initial]\nposition = {{{}}}\n",
      coordinates, kinetic, potential, parts, start);
}

Trajectory run_chain(const System& chain, Method method, double rtol) {
  IntegrateOptions options;
  options.method = method;
  options.until = 200;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  options.error_estimate = false;
  return integrate(chain.dynamics, chain.start(), options);
}

// Oracle: an event-driven run by a program of its own, with the two equations written by hand: 92 changes until 200 s, these
// the first after both blocks have come to rest on the belt, known to 1e-7. While both stick all is
// polynomial, so that steps are tried far ahead; the forces there must not count as those of the motion.
TEST(ChainOnBelt, TwoBlocksFollowAnIndependentEventDrivenRun) {
  const System chain = friction_system(chain_on_belt(2));
  for (const Method method : {Method::kDop853, Method::kDopri5})
    for (const double rtol : {1e-6, 1e-8, 1e-9}) {
      SCOPED_TRACE(fmt::format("rtol {}", rtol));
      const Trajectory path = run_chain(chain, method, rtol);
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_EQ(path.events.size(), 92U);
      const std::vector<double> slides = times(path, "f0 slides"), sticks = times(path, "f0 sticks");
      const std::vector<double> second = times(path, "f1 slides");
      ASSERT_GE(slides.size(), 2U);
      ASSERT_GE(sticks.size(), 2U);
      ASSERT_GE(second.size(), 1U);
      // Some 100 steps lead there, each with an error of rtol.
      const double allowed = std::max(1e-6, 100 * rtol);
      EXPECT_NEAR(slides[0], 6.0089058, allowed);
      EXPECT_NEAR(sticks[1], 6.5238810, allowed);
      EXPECT_NEAR(slides[1], 10.5238810, allowed);
      EXPECT_NEAR(second[0], 10.7882015, allowed);
      if (rtol > 1e-9 || method != Method::kDop853) continue;
      EXPECT_NEAR(path.q[0].back(), 3.765168, 2e-6);
      EXPECT_NEAR(path.q[2].back(), 4.785631, 2e-6);
    }
}

// Oracle: a block on a belt always has exactly one motion (its normal force does not depend on its friction), so that no
// run ends early.
TEST(ChainOnBelt, NoChainEndsBeforeItsTime) {
  const System six = friction_system(chain_on_belt(6));
  for (const double rtol : {1e-6, 1e-8, 1e-9}) {
    const Trajectory path = run_chain(six, Method::kDop853, rtol);
    EXPECT_EQ(path.status, RunStatus::kOk) << rtol << ": " << path.reason;
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 4; ++i) {
    const double stiffness = 5 + 40 * unit(random), belt = 0.1 + unit(random), spread = 0.05 * unit(random);
    const System chain = friction_system(chain_on_belt(2 + i % 3, stiffness, belt, spread));
    const Trajectory path = run_chain(chain, Method::kDop853, i % 2 == 0 ? 1e-6 : 1e-9);
    EXPECT_EQ(path.status, RunStatus::kOk)
        << fmt::format("stiffness {}, belt {}, spread {}: {}", stiffness, belt, spread, path.reason);
  }
}

// --- the ladder

// Oracle: with both contacts at their limits, tan φ = (1 − μ²)/(2μ), φ = 56.6014924°: above it some forces hold the ladder,
// although statics does not tell which.
TEST(Ladder, StandsUpToTheAngleOfStatics) {
  const double limit = std::atan((1 - 0.09) / 0.6) * 180 / pi;
  for (const double angle : {limit + 1e-6, 65.0, 80.0}) {
    const System ladder = shipped("ladder", {fmt::format("phi={:.12f} deg", angle)});
    const Trajectory path = integrate(ladder.dynamics, ladder.start(), {.until = 100});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_EQ(path.v[2].back(), 0) << angle;
    EXPECT_EQ(path.q[2].back(), path.q[2].front());
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_LE(std::abs(path.friction[j][0]), 0.3 * std::abs(path.lambda[j][0]) + 1e-9);
  }
  const System ladder = shipped("ladder", {fmt::format("phi={:.12f} deg", limit - 1e-6)});
  const KktSolution now = solve_kkt(ladder.dynamics, ladder.start());
  ASSERT_EQ(now.status, KktStatus::kOk);
  EXPECT_LT(now.qdd[2], 0);
}

// Oracle: Newton and Euler: with the wall's N_w and the floor's N_f, m ẍ = −N_w + … in φ alone,
//   (I + m a² (1 − μ²)/(1 + μ²)) φ̈ = … — solved here as three linear equations, and integrated by Runge–Kutta.
TEST(Ladder, SlidesDownAsNewtonAndEulerSay) {
  const double g = 9.81, m = 10, a = 2, mu = 0.3, I = m * 4 * a * a / 12;
  // Centre: x = a cos φ from the wall, y = a sin φ. Floor N, friction μN towards the wall; wall P, friction μP upwards.
  const auto acceleration = [&](double phi, double w) {
    const double s = std::sin(phi), c = std::cos(phi);
    // m ẍ = P − μN, m ÿ = N + μP − mg, I φ̈ = moments about the centre, for φ growing.
    // foot at (a c, −a s): N at lever −a c, μN at lever −a s (raises φ); top at (−a c, a s): μP lowers by a c, P by a s … .
    double A[3][4] = {
        {-m * a * s, mu, -1, m * a * w * w * c},
        {m * a * c, -1, -mu, -m * g + m * a * w * w * s},
        {I, a * c - mu * a * s, -a * s - mu * a * c, 0},
    };
    // Signs of the moments: N turns the foot up, which lowers φ; friction at the foot pushes it in, which raises φ; P pushes
    // the top out, which raises φ; friction at the top holds it up, which raises φ.
    for (int i = 0; i < 3; ++i)
      for (int r = 0; r < 3; ++r) {
        if (r == i) continue;
        const double factor = A[r][i] / A[i][i];
        for (int j = i; j < 4; ++j) A[r][j] -= factor * A[i][j];
      }
    return A[0][3] / A[0][0];
  };
  double phi = 50 * pi / 180, w = 0;
  const double dt = 1e-4, until = 0.5;
  for (int k = 0; k < 5000; ++k) {
    const double k1 = acceleration(phi, w), k2 = acceleration(phi + dt / 2 * w, w + dt / 2 * k1);
    const double k3 = acceleration(phi + dt / 2 * (w + dt / 2 * k1), w + dt / 2 * k2);
    const double k4 = acceleration(phi + dt * (w + dt / 2 * k2), w + dt * k3);
    phi += dt * (w + dt / 6 * (k1 + k2 + k3));
    w += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const System ladder = shipped("ladder");
  const Trajectory path = integrate(ladder.dynamics, ladder.start(), {.until = until, .rtol = 1e-11, .atol = 1e-13});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_NEAR(path.q[2].back(), phi, 1e-9);
  EXPECT_NEAR(path.v[2].back(), w, 1e-8);
}

// A coordinate without inertia that no friction reads, from the start or beyond y = 0.3, is no paradox of the friction beside it.
TEST(Friction, NamesWhatHasNoInertia) {
  const auto reason = [](const std::string& inertia) {
    const System blocks = friction_system(R"toml(coordinates = ["x", "y"]
energy = {kinetic = "x'^2/2 + y'^2*)toml" +
                                          inertia + R"toml(", potential = "y"}
[[friction]]
name = "f"
normal = "1"
velocity = "x'"
coefficient = 0.3
[initial]
position = {x = 0, y = 0}
velocity = {x = 1, y = 1}
)toml");
    return integrate(blocks.dynamics, blocks.start(), {.until = 3}).reason;
  };
  EXPECT_THAT(reason("0"), HasSubstr("no accelerations exist at t = 0 s: `y` has no inertia"));
  EXPECT_THAT(reason("if(y < 0.3, 1, 0)"), HasSubstr("s: `y` has no inertia, and the constraints do not determine it"));
}

}  // namespace
}  // namespace dalembert

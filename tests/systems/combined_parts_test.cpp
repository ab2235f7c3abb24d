// SPDX-License-Identifier: Apache-2.0
// Parts of theory in one model: prescribed coordinates with friction, with quasi-velocities, with quaternions.
#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/derive/reduce.h"
#include "dalembert/derive/reduced_motion.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/expr/print.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/report/equations_text.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;
using testing::Not;

System stated(const std::string& text) { return System(derive_loaded(load_model(make_source("combined", text), {}))); }

// --- friction on what is prescribed

constexpr double kMu = 0.3, kG = 9.81, kRate = 10;

const char* const kDrivenPlate = R"toml(
coordinates = ["x", "y", "s"]
[energy]
kinetic = "(x'^2 + y'^2)/2 + s'^2"
potential = "9.81*y"
[[constraint]]
name = "plane"
holonomic = "y"
[[friction]]
name = "rub"
normal = "lambda(plane)"
velocity = "x' - s'"
coefficient = 0.3
[prescribed]
s = "0.1*sin(10*t)"
[initial]
position = {x = 0}
velocity = {x = 0}
)toml";

// A block on a plate at s = 0.1 sin 10 t: it slides at ±μ g until its speed is the plate's, cos 10 t; then it sticks as
// long as |s̈| ≤ μ g.
struct Block {
  double t = 0, x = 0, v = 0;

  void slide(double to, double sign) {
    const double dt = to - t, a = -sign * kMu * kG;
    x += v * dt + a * dt * dt / 2;
    v += a * dt;
    t = to;
  }
  double slip_at(double to, double sign) const { return v - sign * kMu * kG * (to - t) - std::cos(kRate * to); }

  void run(double until) {
    double sign = v < 1 ? -1 : 1;
    while (t < until) {
      // The first root of the slip after it has left 0, to round-off.
      double low = t + 1e-6, high = low;
      while (high < until && slip_at(high, sign) * sign > 0) high = std::min(high + 1e-4, until);
      if (slip_at(high, sign) * sign > 0) return slide(until, sign);
      low = high - 1e-4;
      for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (slip_at(middle, sign) * sign > 0 ? low : high) = middle;
      }
      slide(high, sign);
      double pull = -kRate * std::sin(kRate * t);
      if (std::abs(pull) <= kMu * kG) {
        // Carried along to where |10 sin 10 t| grows to μ g.
        const double phase = std::asin(kMu * kG / kRate), turn = std::numbers::pi;
        const double ends = (std::ceil((kRate * t - phase) / turn) * turn + phase) / kRate;
        const double end = std::min(ends, until);
        x += (std::sin(kRate * end) - std::sin(kRate * t)) / kRate;
        v = std::cos(kRate * end);
        t = end;
        pull = -kRate * std::sin(kRate * t);
      }
      sign = pull > 0 ? -1 : 1;
    }
  }
};

// Oracle: that motion by hand. The run's own estimate of its error is above the true one.
TEST(DrivenPlate, ABlockSlidesAndSticksOnIt) {
  const System plate = stated(kDrivenPlate);
  const Trajectory path = integrate(plate.dynamics, plate.start(), {.until = 2, .rtol = 1e-11, .atol = 1e-13});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_GT(path.events.size(), 5u);
  Block block;
  block.run(2);
  EXPECT_NEAR(path.q[0].back(), block.x, path.verdict.error.q[0] + 1e-9);
  EXPECT_NEAR(path.v[0].back(), block.v, path.verdict.error.v[0] + 1e-9);
}

// Oracle: Newton's second law: the friction is the only force along the block's way, and what drives the plate moves
// both.
TEST(DrivenPlate, ItsForceMovesBoth) {
  const System plate = stated(kDrivenPlate);
  State state = plate.start();
  for (const double t : {0.1, 0.15, 0.4}) {
    state.t = t;
    state.q[2] = std::sin(kRate * t) / kRate;
    state.v[2] = std::cos(kRate * t);
    const KktSolution now = solve_kkt(plate.dynamics, state);
    ASSERT_EQ(now.status, KktStatus::kOk);
    const double sign = state.v[0] > state.v[2] ? -1 : 1, friction = sign * kMu * kG;
    EXPECT_NEAR(now.qdd[0], friction, 1e-12);
    EXPECT_NEAR(now.lambda[1], friction - 2 * kRate * std::sin(kRate * t), 1e-12);
  }
  const std::string text = print_equations(plate.equations, {});
  EXPECT_THAT(text, HasSubstr("x'' + friction(rub) = 0"));
  EXPECT_THAT(text, HasSubstr("-actuation(s) - friction(rub) = -2*s''"));
}

// --- quasi-velocities of what is prescribed

const char* const kSteeredSleigh = R"toml(
coordinates = ["x", "y", "theta"]
[parameters]
m = 1.3
I = 0.7
b = 0.4
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + I*theta'^2/2"
[[constraint]]
name = "knife"
pfaffian = "-x'*sin(theta) + y'*cos(theta) - b*theta'"
[quasi_velocities]
u = "x'*cos(theta) + y'*sin(theta)"
omega = "theta'"
[prescribed]
theta = "0.5*sin(t)"
[initial]
position = {x = 0, y = 0}
velocity = {u = 2}
)toml";

// Oracle: the sleigh's equations (theory §10) with the moment τ that turns it: m u' = m b ω², (I + m b²) ω' = τ − m b u ω.
TEST(SteeredSleigh, ItsEquationsContainTheActuation) {
  const System sleigh = stated(kSteeredSleigh);
  const std::string text = print_equations(sleigh.equations, {});
  EXPECT_THAT(text, HasSubstr("m*u' = m*b*omega^2"));
  EXPECT_THAT(text, HasSubstr("(m*b^2 + I)*omega' = -m*b*u*omega + actuation(theta)"));
}

// Oracles: u' = b ω² with ω = 0.5 cos t is u = 2 + b (t + sin t cos t)/8; the run with multipliers. What is prescribed
// leaves one of the two quasi-velocities.
TEST(SteeredSleigh, RunsReducedAndAsASystemOfItsOwn) {
  const System sleigh = stated(kSteeredSleigh);
  IntegrateOptions options{.until = 3, .rtol = 1e-11, .atol = 1e-13};
  const Assembly start = assemble_start(sleigh.equations, sleigh.dynamics);
  ASSERT_TRUE(start.ok());
  const Trajectory full = integrate(sleigh.dynamics, start.state, options);
  ASSERT_EQ(full.status, RunStatus::kOk) << full.reason;
  const double u = 2 + 0.4 * (3 + std::sin(3.0) * std::cos(3.0)) / 8;
  EXPECT_NEAR(full.series("v/u").back(), u, 1e-9);

  options.formulation = Formulation::kReduced;
  options.quasi_velocities = compile_quasi_velocities(sleigh.equations);
  const Trajectory reduced = integrate(sleigh.dynamics, start.state, options);
  ASSERT_EQ(reduced.status, RunStatus::kOk) << reduced.reason;
  EXPECT_TRUE(reduced.verdict.holds) << to_text(reduced.verdict);
  EXPECT_NEAR(reduced.series("v/u").back(), u, 1e-9);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(reduced.q[i].back(), full.q[i].back(), full.verdict.error.q[i] + reduced.verdict.error.q[i] + 1e-12);

  const Reduced equations = value_of(reduce(sleigh.equations));
  const Dynamics alone = compile(value_of(reduced_motion(sleigh.equations, equations)));
  ASSERT_EQ(alone.m(), 1);  // the row of what is prescribed
  const State begin{0, start.state.q, {2, 0.5}};
  const KktSolution by_itself = solve_kkt(alone, begin), whole = solve_kkt(sleigh.dynamics, start.state);
  ASSERT_EQ(by_itself.status, KktStatus::kOk);
  EXPECT_NEAR(by_itself.lambda[0], whole.lambda[1], 1e-12);
  EXPECT_NEAR(by_itself.qdd[0], 0.4 * 0.25, 1e-14);
}

// --- a quaternion's frame on a prescribed pivot

// Oracle: (2.16) in numbers: the closed form of every acceleration and of the actuation, evaluated where the KKT system is
// solved.
TEST(DrivenTop, ItsEquationsContainTheActuation) {
  const System top = stated(R"toml(
coordinates = ["x", "e0", "e1", "e2", "e3"]
[parameters]
m = 2
J = 0.3
[[frame]]
name = "ball"
origin = ["x", 0, 0]
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "ball"
mass = "m"
inertia = ["J", "2*J", "2.5*J"]
frame = "ball"
[prescribed]
x = "0.1*sin(3*t)"
[initial]
position = {e0 = 1}
velocity = {"ball.omega.x" = 1}
)toml");
  const std::string text = print_equations(top.equations, {});
  EXPECT_THAT(text, HasSubstr("m*x'' = actuation(x)"));
  EXPECT_THAT(text, HasSubstr("-actuation(x) = -m*x''"));
  const auto form = solve_closed_form(top.equations);
  ASSERT_TRUE(form);
  ASSERT_EQ(form->actuation.size(), 1u);
  EXPECT_EQ(to_text(form->actuation[0]), "m*x''");
  State state = top.start();
  state.t = 0.2;
  state.q[0] = 0.1 * std::sin(0.6);
  state.v[0] = 0.3 * std::cos(0.6);
  const KktSolution now = solve_kkt(top.dynamics, state);
  ASSERT_EQ(now.status, KktStatus::kOk);
  EXPECT_NEAR(now.lambda[0], -2 * 0.9 * std::sin(0.6), 1e-12);
}

}  // namespace
}  // namespace dalembert

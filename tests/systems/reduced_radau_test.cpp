// SPDX-License-Identifier: Apache-2.0
// Implicit steps of velocities without multipliers: radau in the formulation `reduced`. Oracles: the motion in the other formulation by an explicit method at
// 1e-12, the order of the method, stiff dampers that an explicit method resolves in short steps.
#include <cmath>

#include <gtest/gtest.h>

#include "dalembert/compile/compile.h"
#include "dalembert/derive/quasi_velocities.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

IntegrateOptions implicit_options(const System& system, double until) {
  IntegrateOptions options{.until = until, .rtol = 1e-9, .atol = 1e-12};
  options.method = Method::kRadau;
  options.formulation = Formulation::kReduced;
  if (!system.equations.model->quasi_velocities.empty())
    options.quasi_velocities = compile_quasi_velocities(system.equations);
  return options;
}

class ReducedRadau : public ::testing::TestWithParam<const char*> {};

// Both runs are the true motion within the errors that their verdicts name.
TEST_P(ReducedRadau, IsTheMotionWithMultipliers) {
  const System system = shipped(GetParam());
  const State start = system.start();
  const Trajectory reduced = integrate(system.dynamics, start, implicit_options(system, 1));
  ASSERT_EQ(reduced.status, RunStatus::kOk) << reduced.reason;
  EXPECT_TRUE(reduced.verdict.holds) << to_text(reduced.verdict);
  const Trajectory exact = integrate(system.dynamics, start, {.until = 1, .rtol = 1e-12, .atol = 1e-14});
  ASSERT_EQ(exact.status, RunStatus::kOk) << exact.reason;
  for (std::size_t i = 0; i < exact.q.size(); ++i)
    EXPECT_NEAR(reduced.q[i].back(), exact.q[i].back(), reduced.verdict.error.q[i] + exact.verdict.error.q[i] + 1e-12);
  EXPECT_EQ(reduced.events.size(), exact.events.size());
}

// Constraints of both kinds, redundant rows, quaternions, what is prescribed, friction that sticks and slides, stated quasi-velocities.
INSTANTIATE_TEST_SUITE_P(Shipped, ReducedRadau,
                         ::testing::Values("slider-crank", "four-bar", "chaplygin-sleigh", "rolling-sphere",
                                           "snakeboard", "block-on-belt", "delta-robot", "cart-pendulum", "car-axis",
                                           "one-way-clutch"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

// With fixed steps h and h/2 the error of order 5 falls by 32.
TEST(ReducedRadau, IsOfOrderFive) {
  const System system = shipped("slider-crank");
  const State start = system.start();
  const Trajectory exact = integrate(system.dynamics, start, {.until = 0.5, .rtol = 1e-13, .atol = 1e-15});
  const auto error = [&](double step) {
    IntegrateOptions options = implicit_options(system, 0.5);
    options.adaptive = false;
    options.initial_step = step;
    const Trajectory run = integrate(system.dynamics, start, options);
    EXPECT_EQ(run.status, RunStatus::kOk) << run.reason;
    return std::abs(run.q[0].back() - exact.q[0].back());
  };
  const double ratio = error(0.5 / 100) / error(0.5 / 200);
  EXPECT_GT(ratio, 24);
  EXPECT_LT(ratio, 42);
}

// A bob on a rod in honey creeps: c L theta' = -m g sin(theta) after 1e-5 s, to a part of (m/c)^2 g/L = 1e-9; from theta(0) after that
// tan(theta/2) = tan(theta0/2) exp(-m g t/(c L)). An explicit method needs more than c/m t/6 steps (stability 3 to 6), 1.6e6 here.
TEST(ReducedRadau, StepsOverWhatIsStiff) {
  const System system = loaded(R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = "1 kg"
L = "1 m"
c = "1e5 N*s/m"
g = "9.81 m/s^2"
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
dissipation = "c/2*(x'^2 + y'^2)"
[[constraint]]
name = "rod"
distance = {between = ["O", "bob"], value = "L"}
[[point]]
name = "O"
at = ["0", "0"]
[[point]]
name = "bob"
at = ["x", "y"]
[initial]
position = {x = "0.6 m"}
guess = {y = "-0.8 m"}
velocity = {x = "0 m/s"}
)toml");
  const Trajectory run = integrate(system.dynamics, system.start(), implicit_options(system, 100));
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_TRUE(run.verdict.holds) << to_text(run.verdict);
  EXPECT_LT(run.steps, 500);
  const double theta = 2 * std::atan(std::tan(std::asin(0.6) / 2) * std::exp(-9.81 * 100 / 1e5));
  // After the start theta' is reached within m/c = 1e-5 s, on which way theta lags by m/c times theta'.
  EXPECT_NEAR(run.q[0].back(), std::sin(theta), 1e-8);
}

// Derivatives by differences of 900 coordinates and 300 velocities would take too long: that is the reason that is given.
TEST(ReducedRadau, SaysThatASystemIsTooLarge) {
  const System chain = shipped("n-link-chain-maximal", {"N=300"});
  const Trajectory run = integrate(chain.dynamics, chain.start(), implicit_options(chain, 0.001));
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("at most 1000 coordinates and velocities, and there are 1200"), std::string::npos)
      << run.reason;
}

}  // namespace
}  // namespace dalembert

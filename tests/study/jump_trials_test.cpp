// SPDX-License-Identifier: Apache-2.0
// Jumps that are carried out beside a run, for its errors and derivatives: they leave nothing behind in the run, and read what the jumps of the run read.
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

BuiltModel tried_model(const std::string& text) {
  return value_of(build_model(std::make_shared<const Model>(value_of(load_model(make_source("tried", text)))), {},
                              {.machine_code = false}));
}

Trajectory tried_run(const BuiltModel& system, IntegrateOptions options, const std::vector<std::string>& names) {
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  EXPECT_TRUE(find_tangents(system, options).empty());
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

// A mass falls from 5 m to an event at t1 = √(10 m/(g − p)), which sets its velocity by that and by its acceleration before, −(g − p); after it
// the acceleration is 3 p − g. So v⁺ = e (g − p) t1 − τ (g − p) and x = v⁺ (t − t1) + (3 p − g) (t − t1)²/2: the derivatives are those of this formula.
TEST(JumpTrials, ReadForcesOfBeforeTheJump) {
  const BuiltModel system = tried_model(R"toml(coordinates = [{name = "x", unit = "m"}]
parameters = {m = "1 kg", g = "10 m/s^2", e = 0.5, p = "1 m/s^2", tau = "0.1 s"}
[energy]
kinetic = "m*x'^2/2"
potential = "m*g*x"
[[force]]
coordinate = "x"
value = "m*p*if(x' < 0, 1, 3)"
[[event]]
name = "down"
when = "x"
direction = "down"
set = {"x'" = "-e*x' + tau*x''"}
[initial]
position = {x = 5}
velocity = {x = 0}
)toml");
  const Trajectory run = tried_run(system, {.until = 1.3, .rtol = 1e-12, .atol = 1e-14}, {"p", "tau", "e"});
  const auto end = [](double p, double tau, double e) {
    const double fall = 10 - p, t1 = std::sqrt(10 / fall), later = 1.3 - t1, v = e * fall * t1 - tau * fall;
    return v * later + (3 * p - 10) * later * later / 2;
  };
  constexpr double h = 1e-5;
  EXPECT_NEAR(run.final_state().q[0], end(1, 0.1, 0.5), 1e-10);
  EXPECT_NEAR(run.series("sens/p/q/x").back(), (end(1 + h, 0.1, 0.5) - end(1 - h, 0.1, 0.5)) / (2 * h), 1e-8);
  EXPECT_NEAR(run.series("sens/tau/q/x").back(), (end(1, 0.1 + h, 0.5) - end(1, 0.1 - h, 0.5)) / (2 * h), 1e-8);
  EXPECT_NEAR(run.series("sens/e/q/x").back(), (end(1, 0.1, 0.5 + h) - end(1, 0.1, 0.5 - h)) / (2 * h), 1e-8);
}

// Two blocks stop at one instant, between bounces of a ball that nothing couples with them. What is displaced at the bounces, for the named error or for derivatives, is no part
// of the run: it has the same events and switches, and the same bits, as the run without either.
TEST(JumpTrials, LeaveNothingBehindInTheRun) {
  const BuiltModel system =
      tried_model(R"toml(coordinates = [{name = "x", unit = "m"}, {name = "w", unit = "m"}, {name = "z", unit = "m"}]
parameters = {m = "1 kg", g = "10 m/s^2", e = 0.9, c = "0.1 kg/s"}
[energy]
kinetic = "m/2*(x'^2 + w'^2 + z'^2)"
potential = "m*g*z"
[[constraint]]
name = "floor"
holonomic = "z"
unilateral = true
restitution = "e"
[[force]]
coordinate = "x"
value = "-c*x'"
[[force]]
coordinate = "w"
value = "-c*w'"
[[friction]]
name = "one"
normal = "m*g"
velocity = "x'"
coefficient = 30
[[friction]]
name = "two"
normal = "m*g"
velocity = "w'"
coefficient = 99
[initial]
position = {x = 0, w = 0, z = 20}
velocity = {x = 3130, w = 10329, z = 0}
)toml");
  const auto run = [&](bool error_estimate, const std::vector<std::string>& names) {
    return tried_run(system, {.until = 12, .error_estimate = error_estimate}, names);
  };
  const Trajectory plain = run(false, {});
  ASSERT_EQ(plain.events.size(), 6U);
  for (const Trajectory& other : {run(true, {}), run(false, {"e"}), run(true, {"e", "c"})}) {
    EXPECT_EQ(other.verdict.switches, plain.verdict.switches);
    EXPECT_EQ(other.steps, plain.steps);
    ASSERT_EQ(other.events.size(), plain.events.size());
    for (std::size_t i = 0; i < plain.events.size(); ++i) {
      EXPECT_EQ(other.events[i].name, plain.events[i].name);
      EXPECT_EQ(other.events[i].t, plain.events[i].t);
    }
    EXPECT_EQ(other.final_state().q, plain.final_state().q);
    EXPECT_EQ(other.final_state().v, plain.final_state().v);
  }
}

}  // namespace
}  // namespace dalembert

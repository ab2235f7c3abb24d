// SPDX-License-Identifier: Apache-2.0
// Closed contacts where something else jumps: an input at a known time, or what an event sets.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

constexpr double kWeight = 9.81;

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
    for (const std::string& input :
         {fmt::format("if(t < 0.5, 0, {})", f), fmt::format("{}*floor(2*t)", f), fmt::format("{}*(t >= 0.5)", f)}) {
      const System system = loaded(lifted("f", input));
      for (const Method method : {Method::kDop853, Method::kRadau}) {
        const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.999, .method = method});
        ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
        const double since = 0.999 - 0.5;
        EXPECT_NEAR(path.q[0].back(), f > kWeight ? (f - kWeight) / 2 * since * since : 0, 1e-9) << input;
        EXPECT_NEAR(path.lambda[0].back(), f > kWeight ? 0 : kWeight - f, 1e-9) << input;
        EXPECT_TRUE(path.verdict.holds);
      }
    }
}

// With f(1 + z/1000): y'' = 20 + 0.02 t − 9.81 from 0.5 s on, where 1 + z/1000 = 1 + t/1000.
TEST(ContactChanges, WhatTheInputIsMultipliedWithMayMove) {
  const System system = loaded(lifted("f*(1 + 0.001*z)", "if(t < 0.5, 0, 20)"));
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const double a = 20.01 - kWeight;  // at 0.5 s
  EXPECT_NEAR(path.q[0].back(), a * 0.125 + 0.02 * 0.125 / 6, 1e-9);
}

// An input that a controller holds is one that jumps between two steps.
TEST(ContactChanges, AHeldInputOpensAContact) {
  const System system = loaded(lifted("f", "0"));
  Stepper stepper(system.dynamics, system.start(), {.until = 1});
  ASSERT_TRUE(stepper.step_to(0.5));
  ASSERT_TRUE(stepper.hold_input("f", 20)) << stepper.why_not();
  ASSERT_TRUE(stepper.step_to(1)) << stepper.reason();
  EXPECT_NEAR(stepper.q()[0], (20 - kWeight) / 8, 1e-9);
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
    EXPECT_NEAR(path.q[0].back(), f > 0.3 * kWeight ? (f - 0.2 * kWeight) / 8 : 0, 1e-9) << f;
    EXPECT_EQ(path.q[1].back(), 0);
  }
}

}  // namespace
}  // namespace dalembert

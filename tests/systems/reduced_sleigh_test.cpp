// SPDX-License-Identifier: Apache-2.0
// Chaplygin's sleigh in forward speed and yaw rate: runs by formulas, with multipliers and without.
#include <cmath>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// Oracle: cases §12, from u0 = 0.3, w0 = 1.7 with m = 1.3, I = 0.7, a = 0.4: u = 1.4391417144554, w = 0.2314778783841,
// θ = 2.5679686218659 and the blade force 0.3338632361103 at t = 3. Steps of rtol 1e-12 leave errors of some 1e-12.
TEST(ReducedSleigh, RunsInItsQuasiVelocitiesAsPublished) {
  for (const std::string name : {"chaplygin-sleigh", "chaplygin-sleigh-contact"}) {
    // The contact point's constraint is singular at θ = 90°, where its S is not: but the KKT system is.
    const bool contact = name == "chaplygin-sleigh-contact";
    const System system = shipped(name);
    IntegrateOptions options{.until = contact ? 0.7 : 3.0, .rtol = 1e-12, .atol = 1e-13};
    options.formulation = Formulation::kReduced;
    options.quasi_velocities = compile_quasi_velocities(system.equations);
    ASSERT_TRUE(options.quasi_velocities);
    const Trajectory run = integrate(system.dynamics, system.start(), options);
    ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
    EXPECT_TRUE(run.verdict.holds) << to_text(run.verdict);
    ASSERT_FALSE(run.series("v/u").empty());
    EXPECT_NEAR(run.series("v/u").front(), 0.3, 1e-12);
    if (contact) continue;
    EXPECT_NEAR(run.series("v/u").back(), 1.4391417144554, 5e-12);
    EXPECT_NEAR(run.series("v/omega").back(), 0.2314778783841, 5e-12);
    EXPECT_NEAR(run.series("theta").back(), 2.5679686218659, 5e-12);
    EXPECT_NEAR(run.series("lambda/knife").back(), 0.3338632361103, 5e-12);
    // u' = b ω²
    EXPECT_NEAR(run.series("vdot/u").back(), 0.4 * std::pow(run.series("v/omega").back(), 2), 1e-12);
  }
}

// Oracle: det [W; Y] of u = ẋ and ω = θ̇ is cos θ: at θ = 90° they no longer determine ẏ, which the run says.
TEST(ReducedSleigh, QuasiVelocitiesThatBecomeSingularAreNamed) {
  const System system =
      modified("chaplygin-sleigh", {{"u = \"dot(x)*cos(theta) + dot(y)*sin(theta)\"", "u = \"dot(x)\""}});
  IntegrateOptions options{.until = 3.0, .rtol = 1e-9, .atol = 1e-12};
  options.formulation = Formulation::kReduced;
  options.quasi_velocities = compile_quasi_velocities(system.equations);
  const Trajectory run = integrate(system.dynamics, system.start(), options);
  EXPECT_EQ(run.status, RunStatus::kFailed);
  ASSERT_GT(run.size(), 0u);
  EXPECT_LT(run.series("theta").back(), std::acos(-1.0) / 2);
  EXPECT_GT(run.series("theta").back(), std::acos(-1.0) / 2 - 1e-3);
  EXPECT_NE(run.reason.find("no longer determine the velocities, near x = "), std::string::npos) << run.reason;
  // Left to itself the program picks others on the way.
  options.quasi_velocities = nullptr;
  EXPECT_EQ(integrate(system.dynamics, system.start(), options).status, RunStatus::kOk);
}

// Oracle: the same, at a start there: no step can be made, which takes few tries to find.
TEST(ReducedSleigh, QuasiVelocitiesThatAreSingularAtTheStartAreNamed) {
  const System system =
      modified("chaplygin-sleigh", {{"u = \"dot(x)*cos(theta) + dot(y)*sin(theta)\"", "u = \"dot(x)\""}});
  IntegrateOptions options{.until = 3.0, .rtol = 1e-9, .atol = 1e-12};
  options.formulation = Formulation::kReduced;
  options.quasi_velocities = compile_quasi_velocities(system.equations);
  // Round-off leaves cos θ = 6e-17.
  const State start{0, {0, 0, std::acos(-1.0) / 2}, {0, 2, 0}};
  const Trajectory run = integrate(system.dynamics, start, options);
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_EQ(run.steps, 0);
  EXPECT_LT(run.rejected, 1000);
  EXPECT_NE(run.reason.find("no longer determine the velocities, near x = "), std::string::npos) << run.reason;
}

Trajectory run_reduced(const System& system, double until) {
  IntegrateOptions options{.until = until, .rtol = 1e-12, .atol = 1e-13};
  options.formulation = Formulation::kReduced;
  options.quasi_velocities = compile_quasi_velocities(system.equations);
  return integrate(system.dynamics, system.start(), options);
}

// Oracle: cases §13, 13 digits after 2.5 s with m = 2, I = 0.5, w = 1.3, 30 degrees; λ there is of the same constraint,
// sin φ x' − cos φ y' = 0.
TEST(ReducedKnifeEdge, RunsAlongACycloid) {
  const Trajectory run = run_reduced(shipped("knife-edge-incline"), 2.5);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_TRUE(run.verdict.holds) << to_text(run.verdict);
  EXPECT_NEAR(run.series("x").back(), 0.0169878248231, 1e-11);
  EXPECT_NEAR(run.series("y").back(), 4.5602568725487, 1e-11);
  EXPECT_NEAR(run.series("lambda/blade").back(), 2.1227885394807, 1e-10);
}

// Oracle: cases §14, 13 digits after 4 s.
TEST(ReducedParticle, KeepsToItsPlane) {
  const Trajectory run = run_reduced(shipped("nonholonomic-particle"), 4);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_TRUE(run.verdict.holds) << to_text(run.verdict);
  EXPECT_NEAR(run.series("x").back(), 2.3974234613831, 1e-11);
  EXPECT_NEAR(run.series("y").back(), 3.5, 1e-11);
  EXPECT_NEAR(run.series("z").back(), 3.7267022830565, 1e-11);
  EXPECT_NEAR(run.series("v/u").back(), 0.3154990057694, 1e-11);
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Equilibria with friction, against the equation of a block on a belt:
//
//   m x'' + k x = μ(w) N,   w = belt − x' > 0:   x = μ N/k,   m s² + N (dμ/dw) s + k = 0
//
// and of a block on an incline, which rests anywhere while tan α < μ.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "dalembert/analyze/stability/equilibria.h"
#include "dalembert/analyze/stability/held_friction.h"
#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/stability.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

std::vector<Equilibrium> equilibria_of(const System& system, const FrictionMode& mode) {
  const Equations held = hold_frictions(system.equations, mode);
  const Dynamics dynamics = compile(held);
  const EquationDerivatives derivatives(held);
  return find_equilibria({&dynamics, &derivatives}, held, system.guess, {.accept = [&](const State& state) {
                           const Result<FrictionMode> there = find_friction_mode(system.dynamics, state);
                           return there && *there == mode;
                         }});
}

TEST(HeldFriction, ABlockOnABeltRestsWhereTheSpringHoldsTheFriction) {
  const System system = shipped("block-on-belt");
  const std::vector<Equilibrium> found = equilibria_of(system, {{-1, 1}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].motion.at.q[0], 0.3 * 10, 1e-12);
  ASSERT_EQ(found[0].stability.modes.size(), 2u);
  for (const Mode& mode : found[0].stability.modes) {
    EXPECT_NEAR(mode.eigenvalue.real(), 0, 1e-12);
    EXPECT_NEAR(std::abs(mode.eigenvalue.imag()), 1, 1e-12);
  }
  // The friction feeds what the spring gives back, so no energy says that it is stable.
  EXPECT_EQ(found[0].stability.verdict, StabilityVerdict::kMarginal);
  const FrictionMode this_one{{-1, 1}};
  for (const FrictionMode& other : list_friction_modes(system.equations, 5))
    EXPECT_EQ(equilibria_of(system, other).size(), other == this_one ? 1u : 0u);
}

// dμ/dw = −0.02/3: s² − (0.2/3) s + 1 = 0.
TEST(HeldFriction, FrictionThatFallsWithTheSpeedMakesItUnstable) {
  const System system =
      modified("block-on-belt", {{"coefficient = \"mu\"", "coefficient = \"mu - 0.02*(belt - x')/belt\""}});
  const std::vector<Equilibrium> found = equilibria_of(system, {{-1, 1}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].motion.at.q[0], (0.3 - 0.02) * 10, 1e-12);
  for (const Mode& mode : found[0].stability.modes) {
    EXPECT_NEAR(mode.eigenvalue.real(), 1.0 / 30, 1e-12);
    EXPECT_NEAR(std::abs(mode.eigenvalue.imag()), std::sqrt(1 - 1.0 / 900), 1e-12);
  }
  EXPECT_EQ(found[0].stability.verdict, StabilityVerdict::kUnstable);
}

TEST(HeldFriction, ABlockOnAnInclineRestsAnywhere) {
  const System system = shipped("block-on-incline");
  const std::vector<Equilibrium> found = equilibria_of(system, {{0, 1}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].stability.verdict, StabilityVerdict::kStable);
  ASSERT_EQ(found[0].motion.states.size(), 1u);
  EXPECT_EQ(found[0].motion.cyclic.size(), 1u);
}

// On the rod every place within the angle of friction is one of rest, which the multipliers follow.
TEST(HeldFriction, RestByFrictionIsAFamily) {
  const System system = modified("rod-on-corner-friction", {{"push = 0", "push = 10"}});
  const Assembly start = assemble_start(system.equations, system.dynamics);
  const Result<FrictionMode> mode = find_friction_mode(system.dynamics, start.state);
  ASSERT_TRUE(mode);
  ASSERT_EQ((*mode)[0].direction, 0);
  const Equations held = hold_frictions(system.equations, *mode);
  const Dynamics dynamics = compile(held);
  const EquationDerivatives derivatives(held);
  const SteadySystem steady{&dynamics, &derivatives};
  const Result<LinearMotion> motion = linearize(steady, start.state, {.prefer_position = {false, true}});
  ASSERT_TRUE(motion);
  EXPECT_EQ(motion->kind, MotionKind::kEquilibrium);
  const Stability stability = judge_stability(steady, held, *motion);
  EXPECT_EQ(stability.family, std::vector<std::string>{"theta"});
  EXPECT_EQ(stability.verdict, StabilityVerdict::kStable);
}

}  // namespace
}  // namespace dalembert

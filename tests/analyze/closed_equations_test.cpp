// SPDX-License-Identifier: Apache-2.0
// Quasi-velocities whose equations stand alone: linearisation, steady motions, formulas of the sleigh (theory §4).
#include "dalembert/derive/closed_equations.h"
#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/stability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/stability/equilibria.h"
#include "dalembert/analyze/stability/stability_formulas.h"
#include "dalembert/expr/visit.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// u' = b omega², omega' = −m b/(I + m b²) u omega. About (u, 0) the eigenvalues are 0 and −m b u/(I + m b²), whichever point the
// constraint was written at.
TEST(ClosedEquations, SleighIsTwoStates) {
  for (const char* name : {"chaplygin-sleigh", "chaplygin-sleigh-contact"}) {
    const System full = shipped(name);
    const auto closed = closed_equations(full.equations);
    ASSERT_TRUE(closed.has_value()) << name;
    const Dynamics dynamics = compile(closed->equations);
    const EquationDerivatives derivatives(closed->equations);
    const SteadySystem system{&dynamics, &derivatives, closed->left_out};
    const double m = full.parameter("m"), I = full.parameter("I"), b = full.parameter("b");
    for (const double u : {1.3, -0.4}) {
      const auto motion = linearize(system, {0, {0.1, 0.2, 0.7}, {u, 0}});
      ASSERT_TRUE(motion.ok());
      EXPECT_EQ(motion->kind, MotionKind::kSteadyMotion);
      ASSERT_EQ(motion->states.size(), 2U);
      EXPECT_EQ(motion->states[0].name, "u");
      EXPECT_EQ(motion->states[1].name, "omega");
      const Stability stability = judge_stability(system, closed->equations, *motion);
      EXPECT_EQ(stability.zeros, 1U);
      EXPECT_EQ(stability.family, std::vector<std::string>{"u"});
      const std::size_t other = u > 0 ? 1 : 0;
      EXPECT_NEAR(stability.modes[other].eigenvalue.real(), -m * b * u / (I + m * b * b), 1e-13);
      EXPECT_EQ(stability.verdict, u > 0 ? StabilityVerdict::kStable : StabilityVerdict::kUnstable);
      if (!has_rational_forms()) continue;  // without FLINT quotients stay that are 0
      // The condition of stability, as a formula: m b u/(I + m b²) > 0; the other root is 0 for all parameters.
      const StabilityFormulas formulas = derive_stability(closed->equations, *motion);
      ASSERT_EQ(formulas.none, "");
      EXPECT_EQ(formulas.zeros, 1U);
      ASSERT_EQ(formulas.conditions.size(), 1U);
      const double condition = evaluate(formulas.conditions[0], [&](SymbolId id) {
        const Symbol& symbol = formulas.graph->symbol_info(id);
        if (symbol.kind == SymbolKind::kParameter) return dynamics.parameters()[static_cast<std::size_t>(symbol.index)];
        return symbol.name == "u" ? u : std::nan("");
      });
      EXPECT_NEAR(condition, m * b * u / (I + m * b * b), 1e-14);
    }
  }
}

// The family of straight motions, one member for each verdict: at rest, forwards, backwards.
TEST(ClosedEquations, SteadyMotionsOfTheSleigh) {
  const System full = shipped("chaplygin-sleigh");
  const auto closed = closed_equations(full.equations);
  ASSERT_TRUE(closed.has_value());
  const Dynamics dynamics = compile(closed->equations);
  const EquationDerivatives derivatives(closed->equations);
  const auto found =
      find_equilibria({&dynamics, &derivatives, closed->left_out}, closed->equations, {0, {0, 0, 0}, {0.3, 1.7}});
  ASSERT_EQ(found.size(), 3U);
  for (const Equilibrium& equilibrium : found) {
    EXPECT_EQ(equilibrium.stability.family, std::vector<std::string>{"u"});
    const std::vector<double>& v = equilibrium.motion.at.v;
    EXPECT_NEAR(v[1], 0, 1e-10);
    EXPECT_EQ(equilibrium.stability.verdict, v[0] > 0   ? StabilityVerdict::kStable
                                             : v[0] < 0 ? StabilityVerdict::kUnstable
                                                        : StabilityVerdict::kMarginal);
  }
}

std::vector<Equilibrium> relative_equilibria(const System& full, const ClosedEquations& relative, const State& start) {
  const Dynamics dynamics = compile(relative.equations);
  const EquationDerivatives derivatives(relative.equations);
  EXPECT_EQ(dynamics.m(), 0);
  EXPECT_EQ(full.dynamics.nq(), dynamics.nq());
  return find_equilibria({&dynamics, &derivatives, relative.left_out}, relative.equations, start);
}

// A disk that rolls in a circle leans so that 5 psi'² sin β cos β + 6 psi' phi' cos β + 4 (g/r) sin β = 0: moments about the
// contact point, inertia m r²/4 across and m r²/2 about the axis (Routh, art. 244).
TEST(RelativeEquations, DiskRollsInCircles) {
  const System disk = shipped("rolling-disk");
  const auto relative = relative_equations(disk.equations);
  ASSERT_TRUE(relative.has_value());
  EXPECT_EQ(relative->left_out, (std::vector<bool>{true, true, true, false, true}));
  const double g = disk.parameter("g"), r = disk.parameter("r");
  std::size_t circles = 0;
  for (const Equilibrium& found : relative_equilibria(disk, *relative, {0, {0, 0, 0, 0.2, 0}, {0.2, 0, 6}})) {
    const double lean = found.motion.at.q[3], turning = found.motion.at.v[0], spin = found.motion.at.v[2];
    EXPECT_NEAR(found.motion.at.v[1], 0, 1e-9);
    EXPECT_NEAR(
        (5 * turning * turning * std::sin(lean) + 6 * turning * spin) * std::cos(lean) + 4 * g / r * std::sin(lean), 0,
        1e-7);
    circles += std::abs(turning) > 0.01 && std::abs(std::sin(lean)) > 0.01;
  }
  EXPECT_GE(circles, 1U);
}

// A top precesses steadily where (I + m L²) psi'² sin θ − J psi' (phi' + psi' sin θ) + m g L = 0 (Goldstein, 3rd ed., 5.7).
TEST(RelativeEquations, TopPrecesses) {
  const System top = shipped("heavy-top-euler");
  const auto relative = relative_equations(top.equations);
  ASSERT_TRUE(relative.has_value());
  EXPECT_EQ(relative->left_out, (std::vector<bool>{true, true, true, true, false, true}));
  const double m = top.parameter("m"), L = top.parameter("L"), g = top.parameter("g");
  const double across = top.parameter("I") + m * L * L, J = top.parameter("J");
  std::size_t precessions = 0;
  for (const Equilibrium& found : relative_equilibria(top, *relative, {0, {0, 0.94, 0.34, 0, 0.35, 0}, {1, 0, 150}})) {
    const double sine = std::sin(found.motion.at.q[4]), turning = found.motion.at.v[0], spin = found.motion.at.v[2];
    if (std::abs(std::cos(found.motion.at.q[4])) < 1e-6) continue;  // upright: any spin
    const double terms[] = {across * turning * turning * sine, J * turning * (spin + turning * sine), m * g * L};
    EXPECT_NEAR(terms[0] - terms[1] + terms[2], 0, 1e-9 * (std::abs(terms[0]) + std::abs(terms[1]) + terms[2]));
    ++precessions;
  }
  EXPECT_GE(precessions, 1U);
}

// Everything drops out of a blade's equations, also without stated quasi-velocities; from a four-bar linkage and a pendulum in
// x and y nothing does.
TEST(RelativeEquations, OnlyWhereMoreDropsOut) {
  const Equations blade = derive_loaded(load_model(make_source("model", R"toml(
name = "blade"
coordinates = ["x", "y", "theta"]
[parameters]
m = 2
I = 1
[energy]
kinetic = "m/2*(dot(x)^2 + dot(y)^2) + I/2*dot(theta)^2"
[[constraint]]
name = "knife"
pfaffian = "-sin(theta)*dot(x) + cos(theta)*dot(y)"
)toml")));
  const auto relative = relative_equations(blade);
  ASSERT_TRUE(relative.has_value());
  EXPECT_EQ(relative->left_out, std::vector<bool>(3, true));
  EXPECT_EQ(relative->equations.nv(), 2);
  for (const char* name : {"four-bar", "cartesian-pendulum", "slider-crank"})
    EXPECT_FALSE(relative_equations(derive_shipped(name)).has_value()) << name;
}

// Without quasi-velocities there is nothing to close, and a pendulum's equations contain its angle.
TEST(ClosedEquations, OnlyWhereNoCoordinateIsLeft) {
  EXPECT_FALSE(closed_equations(derive_shipped("four-bar")).has_value());
  const Equations pendulum = derive_loaded(load_model(make_source("model", R"toml(
name = "pendulum"
coordinates = ["theta"]
[energy]
kinetic = "dot(theta)^2/2"
potential = "-cos(theta)"
[quasi_velocities]
w = "dot(theta)"
)toml")));
  EXPECT_FALSE(closed_equations(pendulum).has_value());
}

}  // namespace
}  // namespace dalembert

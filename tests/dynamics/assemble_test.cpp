// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/assemble.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;
using testing::HasSubstr;

Dynamics slider_crank(bool redundant = false) {
  return redundant ? make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]", "again"}, true)
                   : make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
}

// Truth: the nearest point of a circle lies on the ray through the guess; the least change of velocity removes its
// radial part.
TEST(Assemble, MovesTheLeast) {
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"}, 1.3, 2.0);
  const Assembly assembly = assemble(dynamics, {0, {3, 4}, {1, 0}});
  ASSERT_TRUE(assembly.ok());
  EXPECT_NEAR(assembly.state.q[0], 1.2, 1e-14);
  EXPECT_NEAR(assembly.state.q[1], 1.6, 1e-14);
  EXPECT_NEAR(assembly.state.v[0], 1 - 0.36, 1e-14);
  EXPECT_NEAR(assembly.state.v[1], -0.48, 1e-14);
  EXPECT_NEAR(assembly.moved_q[0], -1.8, 1e-14);
  EXPECT_EQ(assembly.rank, 1);
  EXPECT_LT(assembly.position_residual, 1e-15);
}

// Truth: the coordinates in units of the rod's length. In a mechanism of micrometres every residual in m² is below an absolute tolerance, and starts were taken
// almost as they were guessed.
TEST(Assemble, MakesSmallMechanismsConsistent) {
  for (const double length : {1.0, 1e-3, 1e-5, 1e-6})
    for (const double guess : {-0.7, -0.01}) {
      const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"}, 1.3, length);
      const Assembly assembly =
          assemble(dynamics, {0, {0.6 * length, guess * length}, {0, 0}}, {.hold_position = {true, false}});
      ASSERT_TRUE(assembly.ok());
      EXPECT_EQ(assembly.rank, 1) << length;
      EXPECT_NEAR(assembly.state.q[1] / length, -0.8, 1e-14) << length << " " << guess;
    }
}

// Truth: first-order conditions of the least move in the mass metric at the guess: M(q − q_guess) = Wᵀμ for some μ,
// i.e. M(q − q_guess) is orthogonal to null(W). The loop stops at a step of 1e-9 of the distance.
TEST(Assemble, IsStationaryInTheMassMetric) {
  const Dynamics dynamics = slider_crank();
  State guess = SliderCrank::start(0.9, 4);
  guess.q[0] += 0.3;
  guess.q[1] -= 0.25;
  guess.q[2] += 0.1;
  const Assembly assembly = assemble(dynamics, guess);
  ASSERT_TRUE(assembly.ok());
  Workspace workspace(dynamics);
  evaluate_mass(dynamics, 0, guess.q.data(), guess.v.data(), workspace);
  evaluate_velocity(dynamics, 0, assembly.state.q.data(), workspace);
  const std::vector<double>&M = workspace.M, &W = workspace.W;
  const double free[] = {W[1] * W[5] - W[2] * W[4], W[2] * W[3] - W[0] * W[5],
                         W[0] * W[4] - W[1] * W[3]};  // spans null(W)
  double sum = 0, size = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      sum += free[i] * M[3 * i + j] * assembly.moved_q[j];
      size += std::abs(free[i] * M[3 * i + j] * assembly.moved_q[j]);
    }
  EXPECT_LT(std::abs(sum), 1e-7 * size);
  EXPECT_LT(assembly.position_residual, 4e-16);
}

// Truth: θ and θ̇ are held; φ and x follow from the closed form (tests/oracles/closed_forms.md, slider-crank).
TEST(Assemble, KeepsWhatIsHeld) {
  const Dynamics dynamics = slider_crank();
  AssembleOptions options;
  options.hold_position = options.hold_velocity = {true, false, false};
  const Assembly assembly = assemble(dynamics, {0, {1.05, 2.8, 0.8}, {4, 0, 0}}, options);
  ASSERT_TRUE(assembly.ok());
  const State exact = SliderCrank::start(1.05, 4);
  EXPECT_EQ(assembly.state.q[0], 1.05);
  EXPECT_EQ(assembly.state.v[0], 4);
  EXPECT_EQ(assembly.moved_q[0], 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(assembly.state.q[i], exact.q[i], 1e-14);
    EXPECT_NEAR(assembly.state.v[i], exact.v[i], 1e-13);
  }
}

// Truth: any point with residual at round-off is a success; from guesses all over the place there always is one.
TEST(Assemble, FindsAWayFromPoorGuesses) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> angle(-20, 20), place(-5, 5);
  for (bool redundant : {false, true}) {
    const Dynamics dynamics = slider_crank(redundant);
    for (int trial = 0; trial < 200; ++trial) {
      const State guess{0, {angle(random), angle(random), place(random)}, {1, 2, 3}};
      const Assembly assembly = assemble(dynamics, guess);
      EXPECT_TRUE(assembly.ok()) << redundant << " " << trial << " " << assembly.worst_residual;
      EXPECT_LT(assembly.position_residual, 1e-13) << trial;
      EXPECT_LT(assembly.velocity_residual, 1e-12) << trial;
      EXPECT_EQ(assembly.rank, 2) << trial;
    }
  }
}

// Truth: full turns of Andrews' angles change nothing, so that there is always an assembly within half a turn of the
// guess in each of them; any crank angle can be assembled (its crank of 7 mm turns fully). The shares are what 2000
// guesses gave (99.9 %), less four standard deviations of 250.
TEST(Assemble, ComesBackWithinHalfATurn) {
  std::vector<std::string> rows;
  for (int r = 1; r <= 6; ++r) rows.push_back("loop[" + std::to_string(r) + "]");
  const Dynamics dynamics =
      make_dynamics<Andrews>({"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"}, rows);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> angle(-M_PI, M_PI);
  for (const bool hold : {false, true}) {
    int found = 0;
    for (int trial = 0; trial < 250; ++trial) {
      State guess{0, std::vector<double>(7), std::vector<double>(7)};
      for (double& q : guess.q) q = angle(random);
      AssembleOptions options;
      if (hold) options.hold_position = {true, false, false, false, false, false, false};
      const Assembly assembly = assemble(dynamics, guess, options);
      if (!assembly.ok()) continue;
      ++found;
      EXPECT_LE(assembly.position_residual, 1e-12);
      for (const double moved : assembly.moved_q) EXPECT_LE(std::abs(moved), M_PI + 1e-9) << trial;
    }
    EXPECT_GE(found, 246);
  }
}

// Truth: h = θ − 10 s is no function of an angle: turns of θ are distances. θ = 10 x at x = 3 held is 30 rad away.
TEST(Assemble, KeepsTurnsThatCount) {
  class Rack : public HandKernel {
   public:
    Rack() : HandKernel(2, 1, {0}, true) {}
    void terms(const Point&, Terms& x) const override {
      x.M[0][0] = x.M[1][1] = 1;
      x.W[0] = {1, -10};
    }
    void h(double, const double* q, double* out) const override { out[0] = q[0] - 10 * q[1]; }
  };
  const Dynamics dynamics = make_dynamics<Rack>({"theta", "x"}, {"rack"});
  const Assembly assembly = assemble(dynamics, {0, {0, 3}, {0, 0}}, {.hold_position = {false, true}});
  ASSERT_TRUE(assembly.ok());
  EXPECT_NEAR(assembly.state.q[0], 30, 1e-12);
}

// Truth: at x = y = 0 the gradient of x² + y² − L² vanishes: Newton has no direction; a perturbed start must be found.
TEST(Assemble, LeavesASingularGuess) {
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"});
  const Assembly assembly = assemble(dynamics, {0, {0, 0}, {0, 0}});
  ASSERT_TRUE(assembly.ok());
  EXPECT_GT(assembly.attempts, 1);
  EXPECT_NEAR(std::hypot(assembly.state.q[0], assembly.state.q[1]), 1, 1e-15);
}

// Truth: with x = 1.31 held no y satisfies x² + y² = 1; best is y = 0 with h = (1.31² − 1)/2 = 0.35805.
TEST(Assemble, SaysWhatCannotBeReached) {
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"});
  AssembleOptions options;
  options.hold_position = {true, false};
  const Assembly assembly = assemble(dynamics, {0, {1.31, 0.4}, {0, 0}}, options);
  EXPECT_EQ(assembly.status, AssemblyStatus::kNoPosition);
  EXPECT_EQ(assembly.worst_row, 0);
  EXPECT_EQ(assembly.state.q[0], 1.31);
  EXPECT_NEAR(assembly.worst_residual, 0.35805, 1e-6);
  const Diagnostic diagnostic = explain_failure(dynamics, assembly, options);
  EXPECT_EQ(diagnostic.code, "E0302");
  EXPECT_EQ(diagnostic.message,
            "no consistent start: position constraint `rod` has a residual of 0.3581 m (tolerance 1e-10)");
  EXPECT_THAT(diagnostic.notes.at(0), HasSubstr("`x`"));
}

// Truth: W q̇ = −ẋ sin θ + ẏ cos θ: the sleigh at θ = 0.3 with ẋ = 1, ẏ = 0 held slips sideways by sin 0.3 = 0.2955 m/s.
TEST(Assemble, SaysWhichVelocityIsViolated) {
  const Dynamics dynamics = make_dynamics<ChaplyginSleigh>({"x", "y", "theta"}, {"knife"});
  const State state{0, {0, 0, 0.3}, {1, 0, 0}};
  AssembleOptions options;
  options.hold_velocity = {true, true, false};
  Assembly assembly = assemble(dynamics, state, options);
  EXPECT_EQ(assembly.status, AssemblyStatus::kNoVelocity);
  Names names = dynamics.names();
  EXPECT_EQ(explain_failure(dynamics, assembly, options).code, "E0301");
  EXPECT_THAT(explain_failure(dynamics, assembly, options).message,
              HasSubstr("initial state violates velocity constraint `knife` by 0.2955 m"));

  assembly = check_consistency(dynamics, state);
  EXPECT_EQ(assembly.status, AssemblyStatus::kNoVelocity);
  EXPECT_NEAR(assembly.worst_residual, -std::sin(0.3), 1e-15);

  // Truth: the nearest velocity in kinetic energy, by hand: the sleigh m = 2, I = 0.1, a = 0.2.
  const Dynamics sleigh = make_dynamics<ChaplyginSleigh>({"x", "y", "theta"}, {"knife"}, 2.0, 0.1, 0.2);
  const Assembly nearest = assemble(sleigh, state);
  ASSERT_TRUE(nearest.ok());
  EXPECT_NEAR(nearest.state.v[0], 0.9127, 5e-5);
  EXPECT_NEAR(nearest.state.v[1], 0.2823, 5e-5);
}

// Truth: contradictory lengths at t = 1 (1 and 1.25): no circle is both; the residuals end at ∓(1.25² − 1)/4 in the
// least-squares sense.
TEST(Assemble, ContradictoryRowsFail) {
  const Dynamics dynamics = make_dynamics<ContradictoryPendulum>({"x", "y"}, {"rod", "other"}, 0.5);
  const Assembly assembly = assemble(dynamics, {1, {0.6, -0.8}, {0, 0}});
  EXPECT_EQ(assembly.status, AssemblyStatus::kNoPosition);
  EXPECT_NEAR(std::abs(assembly.worst_residual), 0.5625 / 4, 1e-6);
}

TEST(Assemble, NotFinite) {
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"});
  const Assembly assembly = assemble(dynamics, {0, {NAN, 1}, {0, 0}});
  EXPECT_EQ(assembly.status, AssemblyStatus::kNotFinite);
  EXPECT_EQ(explain_failure(dynamics, assembly).code, "E0303");
}

// Truth: h = y cos Ωt − x sin Ωt and its rate at t = 0.7: the velocity takes the rod's own, Ωr, on.
TEST(Assemble, RheonomicVelocity) {
  const RotatingRod kernel;
  const Dynamics dynamics = make_dynamics<RotatingRod>({"x", "y"}, {"rod"});
  const Assembly assembly = assemble(dynamics, {0.7, {0.4, 0.5}, {0, 0}});
  ASSERT_TRUE(assembly.ok());
  const double r = std::hypot(assembly.state.q[0], assembly.state.q[1]), s = std::sin(0.84), c = std::cos(0.84);
  EXPECT_NEAR(assembly.state.v[0], -1.2 * r * s, 1e-14);
  EXPECT_NEAR(assembly.state.v[1], 1.2 * r * c, 1e-14);
}

// Truth: project() promises residuals of a few units of arithmetic, and the least move: radial, from 1e-6 off the
// circle.
TEST(Project, EndsAtRoundOff) {
  const Dynamics dynamics = slider_crank();
  std::mt19937 random(5);
  std::uniform_real_distribution<double> turn(0, 6.28), off(-1e-5, 1e-5);
  for (int trial = 0; trial < 100; ++trial) {
    State state = SliderCrank::start(turn(random), 10);
    for (double& x : state.q) x += off(random);
    for (double& x : state.v) x += off(random);
    const Projection projection = project(dynamics, state);
    EXPECT_TRUE(projection.ok);
    EXPECT_LE(projection.position_residual, 1e-15);
    EXPECT_LE(projection.velocity_residual, 1e-14);
    EXPECT_LE(projection.iterations, 5);
  }
  const Dynamics pendulum = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"});
  State state{0, {0.6 * (1 + 1e-6), -0.8 * (1 + 1e-6)}, {0.8, 0.6}};
  project(pendulum, state);
  EXPECT_NEAR(state.q[0], 0.6, 1e-15);
  EXPECT_NEAR(state.q[1], -0.8, 1e-15);
}

// Truth: the redundant row must not be taken for a third constraint because the state is off by 1e-5: with three
// independent rows the projected state would be one point, far along the motion; the answer must agree with that of the
// two rows to second order.
TEST(Project, RedundantRowsChangeNothing) {
  const Dynamics plain = slider_crank(), redundant = slider_crank(true);
  std::mt19937 random(6);
  std::uniform_real_distribution<double> turn(0.2, 1.3), off(-1e-5, 1e-5);
  for (int trial = 0; trial < 100; ++trial) {
    State a = SliderCrank::start(turn(random), 10);
    for (double& x : a.q) x += off(random);
    for (double& x : a.v) x += off(random);
    State b = a;
    project(plain, a);
    const Projection projection = project(redundant, b);
    EXPECT_LE(projection.position_residual, 1e-14) << trial;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(a.q[i], b.q[i], 3e-5) << trial;
  }
}

}  // namespace
}  // namespace dalembert

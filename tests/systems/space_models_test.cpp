// SPDX-License-Identifier: Apache-2.0
// Shipped models of bodies in space against their closed forms.
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// Truth: cases §17, thirteen digits, of a solid and of a hollow ball; the spin about the vertical is constant. What the
// verdict vouches for is the error allowed beside the digits.
TEST(SpaceModels, ABallOnATiltedTurntable) {
  struct Case {
    const char* k;
    double x, y, vx, vy;
  };
  for (const Case& c :
       {Case{"k=0.4", 0.2641349564781, 0.0985258206238, 0.2290042074524, 0.1706871055527},
        Case{"k=0.66666666666666667", 0.2188314284641, 0.1032646228015, 0.1425845777474, 0.1725977141569}}) {
    const System system(derive_shipped("ball-on-turntable", {c.k}));
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1.2, .rtol = 1e-12, .atol = 1e-14});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    const State end = path.final_state();
    const FinalError& error = path.verdict.error;
    EXPECT_NEAR(end.q[0], c.x, error.q[0] + 1e-13);
    EXPECT_NEAR(end.q[1], c.y, error.q[1] + 1e-13);
    EXPECT_NEAR(end.v[0], c.vx, error.v[0] + 1e-13);
    EXPECT_NEAR(end.v[1], c.vy, error.v[1] + 1e-13);
    for (const double spin : path.outputs[0]) ASSERT_NEAR(spin, 0.5, 1e-11);
  }
}

// Truth: cases §17 on a level table: v̇ = κ Ω e_z × v with κ = k/(1 + k): a circle at 2/7 of the table's rate for a solid ball,
// at 2/5 for a hollow one. Wherever it is.
TEST(SpaceModels, ABallOnALevelTurntableRunsInCircles) {
  for (const auto& [k, rate] : {std::pair("k=0.4", 2. / 7), {"k=0.66666666666666667", 2. / 5}}) {
    const System system(derive_shipped("ball-on-turntable", {k, "tilt=0 deg"}));
    State state = system.start();
    const KktSolution now = solve_kkt(system.dynamics, state);
    ASSERT_EQ(now.status, KktStatus::kOk);
    EXPECT_NEAR(now.qdd[0], -rate * 3 * state.v[1], 1e-15);
    EXPECT_NEAR(now.qdd[1], rate * 3 * state.v[0], 1e-15);
  }
}

// Truth: theory §10: on a level plane that rests a sphere rolls straight on, and both multipliers are 0.
TEST(SpaceModels, ABallOnAPlaneRollsStraightOn) {
  const System system(derive_shipped("ball-on-turntable", {"rate=0 rad/s", "tilt=0 deg"}));
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 3, .rtol = 1e-12, .atol = 1e-14});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_NEAR(path.final_state().q[0], 0.1 + 3 * 0.02, 1e-13);
  EXPECT_NEAR(path.final_state().q[1], 3 * 0.03, 1e-13);
  for (std::size_t row = 0; row < path.size(); ++row)
    for (std::size_t j = 0; j < 2; ++j) ASSERT_NEAR(path.lambda[j][row], 0, 1e-13);
}

// Truth: the equations of Cazzolato & Prime with moments of inertia about the long axes left out:
//   M = [J₁ + m₁l₁² + m₂L₁² + Ĵ sin²θ, m₂L₁l₂ cos θ; ·, Ĵ],  B = (2 Ĵ sin θ cos θ φ̇ θ̇ − m₂L₁l₂ sin θ θ̇², −Ĵ sin θ cos θ φ̇²),
//   G = (0, m₂ g l₂ sin θ),  Ĵ = J₂ + m₂l₂².
TEST(SpaceModels, TheFurutaPendulum) {
  const System system(derive_shipped("furuta-pendulum"));
  const double g = system.parameter("g"), L1 = system.parameter("L1"), l1 = system.parameter("l1"),
               l2 = system.parameter("l2"), m1 = system.parameter("m1"), m2 = system.parameter("m2"),
               J1 = system.parameter("J1"), J = system.parameter("J2") + m2 * l2 * l2;
  for (const double theta : {0.4, 2.2, -1.3}) {
    const double rate = 1.7, turn = -0.6, s = std::sin(theta), c = std::cos(theta);
    const Terms terms = evaluate_terms(system.dynamics, {0, {0.3, theta}, {rate, turn}});
    ASSERT_EQ(terms.M.size(), 4u);
    EXPECT_NEAR(terms.M[0], J1 + m1 * l1 * l1 + m2 * L1 * L1 + J * s * s, 1e-16);
    EXPECT_NEAR(terms.M[1], m2 * L1 * l2 * c, 1e-17);
    EXPECT_NEAR(terms.M[3], J, 1e-17);
    EXPECT_NEAR(terms.B[0], 2 * J * s * c * rate * turn - m2 * L1 * l2 * s * turn * turn, 1e-16);
    EXPECT_NEAR(terms.B[1], -J * s * c * rate * rate, 1e-16);
    EXPECT_NEAR(terms.G[0], 0, 1e-16);
    EXPECT_NEAR(terms.G[1], m2 * g * l2 * s, 1e-15);
  }
}

// Truth: Newton's and Euler's equations of the two bodies: m ẍ = thrust R e₃ − m g e_z − λ n, M Ẍ = λ n − M g e_z with n from
// the middle to the hook, J ω̇ + ω × J ω = τ. Numbers up to 10 leave 1e-14.
TEST(SpaceModels, AQuadrotorWithASlungLoad) {
  const System system(derive_shipped("quadrotor-slung-load", {"roll=0.02", "pitch=-0.01", "yaw=0.005"}));
  const double e[4] = {0.5, -0.1, 0.7, 0.5}, m = system.parameter("m"), load = system.parameter("load"),
               g = system.parameter("g"), rod = system.parameter("rod");
  State state{0, {0, 0, 0, e[0], e[1], e[2], e[3], 0.48, -0.36, -0.8}, {0.1, 0.2, 0.3, 1.5, -2, 0.7, 0, 0, 0}};
  // The load swings about the middle: its velocity differs from that of the middle at right angles to the rod.
  state.v[6] = 0.1 + 0.6, state.v[7] = 0.2 + 0.8, state.v[8] = 0.3;
  const KktSolution now = solve_kkt(system.dynamics, state);
  ASSERT_EQ(now.status, KktStatus::kOk);
  const double axis[3] = {2 * (e[1] * e[3] + e[0] * e[2]), 2 * (e[2] * e[3] - e[0] * e[1]),
                          e[0] * e[0] - e[1] * e[1] - e[2] * e[2] + e[3] * e[3]};
  const double lambda = now.lambda[0], thrust = 5.9;
  for (std::size_t i = 0; i < 3; ++i) {
    const double n = state.q[7 + i] / rod, weight = i == 2 ? g : 0;
    EXPECT_NEAR(m * now.qdd[i], thrust * axis[i] - m * weight - lambda * n, 1e-14);
    EXPECT_NEAR(load * now.qdd[6 + i], lambda * n - load * weight, 1e-14);
  }
  const double J[3] = {system.parameter("Jxx"), system.parameter("Jyy"), system.parameter("Jzz")};
  const double torque[3] = {0.02, -0.01, 0.005};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
    EXPECT_NEAR(J[i] * now.qdd[3 + i] + (J[b] - J[a]) * state.v[3 + a] * state.v[3 + b], torque[i], 1e-15);
  }
}

// Truth: with ν² = k/(1 + k) α̇², of a ball that starts level and without spin about the radius: α̇ is constant and
// (1 + k) z̈ = −g − k α̇² z, so z = −g/(k α̇²) (1 − cos νt) (Neimark, ch. III, by eliminating both friction forces).
TEST(SpaceModels, ABallInACylinderGoesUpAndDown) {
  const System system(derive_shipped("ball-in-cylinder"));
  const double k = system.parameter("k"), g = system.parameter("g"), turn = 30;
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 2, .rtol = 1e-11, .atol = 1e-13});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  const double allowed = path.verdict.error.q[1] + 1e-14;
  EXPECT_LT(allowed, 1e-7);
  for (std::size_t row = 0; row < path.size(); ++row) {
    const double t = path.time[row];
    ASSERT_NEAR(path.q[1][row], -g / (k * turn * turn) * (1 - std::cos(turn * std::sqrt(k / (1 + k)) * t)), allowed);
    ASSERT_NEAR(path.v[0][row], turn, 1e-9);
  }
}

// Truth: steady precession (Goldstein, §5.7): ψ̇ and θ are constant, for (I + m L² − J) cos θ ψ̇² − J φ̇ ψ̇ + m g L = 0. The
// spin's angle is in no energy, and its momentum and that about the vertical are conserved.
TEST(SpaceModels, AGyroscopePrecesses) {
  const System system(derive_shipped("gyroscope"));
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 10, .rtol = 1e-11, .atol = 1e-13});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_EQ(path.verdict.conserved.size(), 3u);
  for (std::size_t row = 0; row < path.size(); ++row) {
    ASSERT_NEAR(path.q[1][row], M_PI / 3, 1e-10);
    ASSERT_NEAR(path.v[0][row], 1.5, 1e-9);
  }
}

}  // namespace
}  // namespace dalembert

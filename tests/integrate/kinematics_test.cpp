// SPDX-License-Identifier: Apache-2.0
// Motions whose velocities are not the rates of their coordinates: q̇ = N(q,t) v + n₀(q,t).
#include "dalembert/dynamics/kinematics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/dynamics/assemble.h"
#include "dalembert/integrate/integrate.h"
#include "oracles/kinematic_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;

constexpr double kEps = std::numeric_limits<double>::epsilon();

Dynamics named(Dynamics dynamics, std::vector<std::string> velocities) {
  Names names = dynamics.names();
  names.velocity_units.assign(velocities.size(), "1/s");
  names.velocities = std::move(velocities);
  return Dynamics(dynamics.shared_kernel(), names, {});
}

Dynamics quaternion_top() {
  return named(make_dynamics<QuaternionTop>({"x", "y", "z", "e0", "e1", "e2", "e3"}, {"tip[1]", "tip[2]", "tip[3]"}),
               {"vx", "vy", "vz", "w1", "w2", "w3"});
}

State start_of_top(const double* angles, const double* rates) {
  const auto e = EulerTop::quaternion(angles);
  const auto w = EulerTop::spin(angles, rates);
  const auto d = QuaternionTop::axis(e.data());
  const auto turning = QuaternionTop::turn(e.data(), {w[1], -w[0], 0});
  const double s = Top{}.s;
  return {0,
          {s * d[0], s * d[1], s * d[2], e[0], e[1], e[2], e[3]},
          {s * turning[0], s * turning[1], s * turning[2], w[0], w[1], w[2]}};
}

double norm(const Trajectory& path, std::size_t row) {
  return std::sqrt(std::pow(path.q[3][row], 2) + std::pow(path.q[4][row], 2) + std::pow(path.q[5][row], 2) +
                   std::pow(path.q[6][row], 2));
}

IntegrateOptions options_of(Method method, double until) {
  return {.until = until, .rtol = 1e-9, .atol = 1e-11, .method = method};
}

// Truth: the closed form of the sleigh (hand_kernels.h). The error allowed: what the verdict vouches for.
TEST(Kinematics, TheReducedSleighFollowsItsClosedForm) {
  const ChaplyginSleigh sleigh;
  const Dynamics dynamics = named(make_dynamics<ReducedSleigh>({"x", "y", "theta"}, {}), {"u", "omega"});
  for (const Method method : kMethods) {
    const Trajectory path = integrate(dynamics, {0, {0, 0, 0.3}, {0.2, 1.1}}, options_of(method, 4));
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    const ChaplyginSleigh::Exact exact = sleigh.exact(4, 0.2, 1.1, 0.3);
    const State end = path.final_state();
    EXPECT_NEAR(end.v[0], exact.u, path.verdict.error.v[0] + 4 * kEps) << to_text(method);
    EXPECT_NEAR(end.v[1], exact.w, path.verdict.error.v[1] + 4 * kEps);
    EXPECT_NEAR(end.q[2], exact.theta, path.verdict.error.q[2] + 4 * kEps);
    EXPECT_LT(path.verdict.error.relative, 1e-4);
    EXPECT_EQ(path.series("v/omega").size(), path.size());
    EXPECT_EQ(path.series("omega").data(), path.v[1].data());
    EXPECT_EQ(path.series("omega'").data(), path.a[1].data());
    EXPECT_TRUE(path.series("v/x").empty());
  }
}

// Truth: r = r₀ cosh Ωt + (v₀/Ω) sinh Ωt.
TEST(Kinematics, RatesMayDependOnTime) {
  const Dynamics dynamics = make_dynamics<BeadOnRod>({"x", "y"}, {});
  for (const Method method : kMethods) {
    const Trajectory path = integrate(dynamics, {0, {0.5, 0}, {0.1}}, options_of(method, 2));
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    const double turned = 1.2 * 2, r = 0.5 * std::cosh(turned) + 0.1 / 1.2 * std::sinh(turned);
    EXPECT_NEAR(path.final_state().q[0], r * std::cos(turned), path.verdict.error.q[0]) << to_text(method);
    EXPECT_NEAR(path.final_state().q[1], r * std::sin(turned), path.verdict.error.q[1]);
    EXPECT_LT(path.verdict.error.relative, 1e-4);
  }
}

// Truth: the same top by Euler's angles at tighter tolerances; λ = m(r̈ + g e_z) with r̈ = v̇ of the solution, whose row
// W v̇ + γ = 0 is checked by the angles. The quaternion and its negative are the same attitude.
TEST(Kinematics, AQuaternionTopIsTheTopOfEulersAngles) {
  const double angles[3] = {0.2, 0.6, -0.4}, rates[3] = {1, 0.5, 60};
  const Dynamics euler = make_dynamics<EulerTop>({"phi", "theta", "psi"}, {}), dynamics = quaternion_top();
  IntegrateOptions tight = options_of(Method::kDop853, 2);
  tight.rtol = 1e-13, tight.atol = 1e-15;
  const Trajectory truth =
      integrate(euler, {0, {angles[0], angles[1], angles[2]}, {rates[0], rates[1], rates[2]}}, tight);
  ASSERT_TRUE(truth.verdict.holds) << to_text(truth.verdict);
  const State end = truth.final_state();
  const auto e = EulerTop::quaternion(end.q.data());
  const auto w = EulerTop::spin(end.q.data(), end.v.data());

  for (const Method method : kMethods) {
    IntegrateOptions options = options_of(method, 2);
    options.output_step = 0.01;
    const Trajectory path = integrate(dynamics, start_of_top(angles, rates), options);
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    const State found = path.final_state();
    const double sign = found.q[3] * e[0] + found.q[4] * e[1] + found.q[5] * e[2] + found.q[6] * e[3] < 0 ? -1 : 1;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(sign * found.q[3 + i], e[i], path.verdict.error.q[3 + i] + 1e-11) << to_text(method);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.v[3 + i], w[i], path.verdict.error.v[3 + i] + 1e-9);
    EXPECT_LT(path.verdict.error.relative, 1e-3) << to_text(method);
    const Top top;
    for (std::size_t row = 0; row < path.size(); ++row) {
      ASSERT_NEAR(norm(path, row), 1, 2 * kEps);
      for (std::size_t i = 0; i < 3; ++i)
        ASSERT_NEAR(path.lambda[i][row], top.m * (path.a[i][row] + (i == 2 ? top.g : 0)), 1e-9);
    }
    EXPECT_LT(path.verdict.max_position_residual, 4 * kEps);
    EXPECT_LT(path.verdict.max_velocity_residual, 100 * kEps);
  }
}

// Truth: without spin the top is a pendulum in the plane x = 0, and swings through θ = π, where Euler's angles have no
// rates.
TEST(Kinematics, ATopPassesThroughItsPoles) {
  const Top top;
  const double angles[3] = {0, M_PI - 0.3, 0}, rates[3] = {0, 4, 0};
  const Trajectory path = integrate(quaternion_top(), start_of_top(angles, rates), options_of(Method::kDop853, 3));
  ASSERT_TRUE(path.verdict.holds) << to_text(path.verdict);
  double lowest = 1;
  for (std::size_t row = 0; row < path.size(); ++row) {
    EXPECT_NEAR(path.q[0][row], 0, 1e-12);
    lowest = std::min(lowest, path.q[2][row]);
  }
  EXPECT_LT(lowest, -0.99 * top.s);
}

// Truth: the same digits, step by step.
TEST(Kinematics, StepsByHandAreThoseOfARun) {
  const double angles[3] = {0.2, 0.6, -0.4}, rates[3] = {1, 0.5, 60};
  const IntegrateOptions options = options_of(Method::kDop853, 0.3);
  const Trajectory path = integrate(quaternion_top(), start_of_top(angles, rates), options);
  Stepper stepper(quaternion_top(), start_of_top(angles, rates), options);
  while (stepper.step()) {
  }
  ASSERT_EQ(stepper.q().size(), 7u);
  ASSERT_EQ(stepper.v().size(), 6u);
  ASSERT_EQ(stepper.qdd().size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(stepper.v()[i], path.v[i].back());
    EXPECT_EQ(stepper.qdd()[i], path.a[i].back());
  }
}

// Truth: a start with the attitude held is r = s R e₃, ṙ = s R(ω × e₃); one with the place held turns the body to it.
TEST(Kinematics, StartsAreAssembledAlongTheVelocities) {
  const double angles[3] = {0.2, 0.6, -0.4}, rates[3] = {1, 0.5, 60};
  const State truth = start_of_top(angles, rates);
  State guess = truth;
  for (std::size_t i = 0; i < 3; ++i) guess.q[i] += 0.1, guess.v[i] = 0;
  for (std::size_t i = 3; i < 7; ++i) guess.q[i] *= 3;  // of any length
  AssembleOptions options;
  options.hold_position = {false, false, false, true, true, true, true};
  options.hold_velocity = {false, false, false, true, true, true};
  const Assembly held = assemble(quaternion_top(), guess, options);
  ASSERT_TRUE(held.ok());
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(held.state.q[i], truth.q[i], 4 * kEps);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(held.state.v[i], truth.v[i], 1e-13);

  options.hold_position = {true, true, true, false, false, false, false};
  State turned = truth;
  turned.q[3] = 1, turned.q[4] = turned.q[5] = turned.q[6] = 0;
  const Assembly found = assemble(quaternion_top(), turned, options);
  ASSERT_TRUE(found.ok());
  const auto axis = QuaternionTop::axis(found.state.q.data() + 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(Top{}.s * axis[i], truth.q[i], 1e-15);
  // The shortest way: about the axis that is normal to both.
  EXPECT_NEAR(found.state.q[6], 0, 1e-9);
}

// Truth: N of quaternions has NᵀN = 1/4: a displacement is found again from the change of coordinates that it makes.
TEST(Kinematics, DisplacementsAreFoundFromChangesOfCoordinates) {
  const double angles[3] = {0.2, 0.6, -0.4}, rates[3] = {1, 0.5, 60};
  const Dynamics dynamics = quaternion_top();
  Workspace workspace(dynamics);
  const State at = start_of_top(angles, rates);
  const std::vector<double> step{0.1, -0.2, 0.3, 0.5, -0.7, 0.2};
  std::vector<double> change(7), found(6);
  multiply_kinematics(dynamics, 0, at.q.data(), step.data(), workspace, change.data());
  find_displacement(dynamics, 0, at.q.data(), change.data(), workspace, found.data());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], step[i], 4 * kEps);
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The delta robot whose forearms have mass, in twelve coordinates, against six coordinates and closed forms.
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

constexpr double g = 9.81, m = 0.5, M = 0.3, M_f = 0.1, l = 0.2, L = 0.5, R = 0.16, r = 0.04;

// The angles that hold the platform at p, with the elbows outside: in arm k's plane the wrist is X from the hip, v beside it,
// w above it, and X cos α − w sin α = (X² + v² + w² + l² − L²)/(2 l).
struct Arm {
  double alpha, beta, gamma;
};
Arm inverse_kinematics(const std::array<double, 3>& p, int k) {
  const double phi = 2 * M_PI * k / 3;
  const double X = p[0] * std::cos(phi) + p[1] * std::sin(phi) + r - R,
               v = -p[0] * std::sin(phi) + p[1] * std::cos(phi), w = p[2];
  const double along = (X * X + v * v + w * w + l * l - L * L) / (2 * l * std::hypot(X, w));
  // Of the two solutions the one whose arm points outwards more.
  const double centre = -std::atan2(w, X), spread = std::acos(along);
  const double alpha = std::cos(centre - spread) > std::cos(centre + spread) ? centre - spread : centre + spread;
  const double beta = std::atan2(-(w + l * std::sin(alpha)), X - l * std::cos(alpha));
  return {alpha, beta, std::asin(v / L)};
}

std::vector<double> positions(const std::array<double, 3>& p) {
  std::vector<double> q(p.begin(), p.end());
  q.resize(12);
  for (std::size_t k = 0; k < 3; ++k) {
    const Arm arm = inverse_kinematics(p, static_cast<int>(k));
    q[3 + k] = arm.alpha, q[6 + k] = arm.beta, q[9 + k] = arm.gamma;
  }
  return q;
}

// With the platform's place and velocity held.
State assembled(const System& system, State state) {
  std::vector<bool> held(state.q.size(), false);
  for (std::size_t i = 0; i < 3; ++i) held[i] = true;
  Assembly assembly = assemble(system.dynamics, state, {.hold_position = held, .hold_velocity = held});
  EXPECT_TRUE(assembly.ok()) << to_text(assembly.status);
  EXPECT_TRUE(project(system.dynamics, assembly.state).ok);
  return assembly.state;
}

// Truth: closed-form inverse kinematics: all nine rows vanish.
TEST(DeltaRobot, IsWhereInverseKinematicsSays) {
  const System system(derive_shipped("delta-robot-rigid"));
  for (const std::array<double, 3>& p : {std::array{0., 0., -0.5}, {0.08, -0.05, -0.45}, {-0.1, 0.12, -0.52}}) {
    State state = system.guess;
    state.q = positions(p);
    EXPECT_GT(state.q[3], -M_PI / 2);
    const State found = assembled(system, state);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(found.q[i], state.q[i], 1e-15) << i;
  }
}

// delta-robot.toml, whose forearms are massless distances, with the energies of thin rods between elbow and wrist:
// M_f (vₐ·vₐ + vₐ·v_b + v_b·v_b)/6 for the velocities of its ends, and half its weight at each.
System with_rods_as_energies() {
  return modified(
      "delta-robot",
      {{"M*l^2/6*dot(alpha{k})^2)\"",
        "M*l^2/6*dot(alpha{k})^2) + sum(k in 1..3, M_f/6*(l^2*dot(alpha{k})^2 + dot(p1)^2 + dot(p2)^2 + dot(p3)^2"
        " + l*dot(alpha{k})*(-sin(alpha{k})*(dot(p1)*cos(2*pi*({k}-1)/3) + dot(p2)*sin(2*pi*({k}-1)/3))"
        " - cos(alpha{k})*dot(p3))))\""},
       {"M*g*l/2*sin(alpha{k}))\"", "M*g*l/2*sin(alpha{k})) + sum(k in 1..3, M_f*g/2*(p3 - l*sin(alpha{k})))\""},
       {"M = \"0.3 kg\"           # each arm\n", "M = \"0.3 kg\"\nM_f = \"0.1 kg\"\n"},
       {"tau0 = \"-0.656 N*m\"", "tau0 = \"-0.862 N*m\""}});
}

// Truth: the same robot in six coordinates, without forearms' angles and inertia tensors. Condition numbers below 1e4 leave
// 1e-11 of the accelerations.
TEST(DeltaRobot, AcceleratesAsInSixCoordinates) {
  const System rigid(derive_shipped("delta-robot-rigid")), six = with_rods_as_energies();
  std::minstd_rand random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int n = 0; n < 6; ++n) {
    const std::array<double, 3> p{0.1 * any(random), 0.1 * any(random), -0.48 + 0.05 * any(random)};
    State state{0.2 * n, positions(p), std::vector<double>(12)};
    for (std::size_t i = 0; i < 3; ++i) state.v[i] = any(random);
    state = assembled(rigid, state);
    const State same{state.t, {state.q.begin(), state.q.begin() + 6}, {state.v.begin(), state.v.begin() + 6}};
    const KktSolution a = solve_kkt(rigid.dynamics, state), b = solve_kkt(six.dynamics, same);
    ASSERT_EQ(a.status, KktStatus::kOk);
    ASSERT_EQ(b.status, KktStatus::kOk);
    double size = 1;
    for (const double x : b.qdd) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.qdd[i], b.qdd[i], 1e-11 * size) << n << " " << i;
  }
}

// Truth: the same; both runs at rtol 1e-10 for 1 s without fast motion.
TEST(DeltaRobot, RunsAsInSixCoordinates) {
  const System rigid(derive_shipped("delta-robot-rigid")), six = with_rods_as_energies();
  const IntegrateOptions options{.until = 1, .rtol = 1e-10, .atol = 1e-12, .output_step = 0.2};
  const Trajectory a = integrate(rigid.dynamics, rigid.start(), options),
                   b = integrate(six.dynamics, six.start(), options);
  for (const Trajectory* path : {&a, &b}) {
    ASSERT_EQ(path->status, RunStatus::kOk) << path->reason;
    EXPECT_TRUE(path->verdict.holds) << to_text(path->verdict);
  }
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t row = 0; row < a.size(); ++row)
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.q[i][row], b.q[i][row], 1e-8);
  EXPECT_GT(std::abs(a.q[0].back()), 0.01) << "it moves";
}

// Truth: virtual work as all three arms turn alike: 3 τ = dV/dα with p₃ = −l sin α − √(L² − (R − r + l cos α)²).
TEST(DeltaRobot, TorquesThatHoldIt) {
  const double alpha = M_PI / 6, s = std::sin(alpha), c = std::cos(alpha), across = R - r + l * c;
  const double slope = -l * c - across * l * s / std::sqrt(L * L - across * across);  // dp₃/dα
  const double torque = g * (m * slope - 3 * M * l / 2 * c + 3 * M_f / 2 * (slope - l * c)) / 3;
  EXPECT_NEAR(torque, -0.862, 5e-4);  // what the file says
  const System held(derive_shipped("delta-robot-rigid", {"tau_s=0 N*m", fmt::format("tau0={:.17g} N*m", torque)}));
  const KktSolution now = solve_kkt(held.dynamics, held.start());
  ASSERT_EQ(now.status, KktStatus::kOk);
  // A torque of 1 N m accelerates by some 50 rad/s², and a place off by 1e-15 as little.
  for (const double acceleration : now.qdd) EXPECT_NEAR(acceleration, 0, 1e-12);
}

}  // namespace
}  // namespace dalembert

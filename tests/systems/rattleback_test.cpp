// SPDX-License-Identifier: Apache-2.0
// The rattleback of models/ against Newton's and Euler's equations in the stone's axes.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/analyze/stability/relative.h"
#include "dalembert/analyze/stability/stability.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using V3 = std::array<double, 3>;

V3 operator+(const V3& a, const V3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
V3 operator-(const V3& a, const V3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
V3 operator*(double s, const V3& a) { return {s * a[0], s * a[1], s * a[2]}; }
V3 cross(const V3& a, const V3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const V3& a, const V3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

constexpr double g = 9.81, m = 1, A = 2e-4, B = 1.6e-3, C = 1.7e-3, D = -2e-5, h = 0.01;
constexpr V3 kSquares{0.2 * 0.2, 0.03 * 0.03, 0.02 * 0.02};  // of the half axes
V3 inertia_times(const V3& w) { return {A * w[0] + D * w[1], D * w[0] + B * w[1], C * w[2]}; }

// Along the stone's axes: μ the upward normal, ω the angular velocity, ρ from the centre of mass to the contact.
struct Stone {
  V3 mu, w, rho, rho_rate, velocity;

  Stone(const V3& normal, const V3& turning) : mu(normal), w(turning) {
    const V3 mu_rate = cross(mu, w);
    double square = 0, half_rate = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      square += kSquares[i] * mu[i] * mu[i];
      half_rate += kSquares[i] * mu[i] * mu_rate[i];
    }
    const double height = std::sqrt(square), rate = half_rate / height;
    for (std::size_t i = 0; i < 3; ++i) {
      rho[i] = -kSquares[i] * mu[i] / height;
      rho_rate[i] = -kSquares[i] * (mu_rate[i] / height - mu[i] * rate / square);
    }
    rho[2] += h;
    velocity = cross(rho, w);  // the stone's material at the contact is at rest
  }
  // The ground's force, from Newton's law.
  V3 force(const V3& wd) const { return m * (cross(rho, wd) + cross(rho_rate, w) + cross(w, velocity) + g * mu); }
  // Euler's equation: zero for the right ω̇.
  V3 imbalance(const V3& wd) const { return inertia_times(wd) + cross(w, inertia_times(w)) - cross(rho, force(wd)); }
  // It is affine in ω̇: three columns, solved by Cramer's rule.
  V3 acceleration() const {
    const V3 rest = imbalance({0, 0, 0});
    const V3 x = imbalance({1, 0, 0}) - rest, y = imbalance({0, 1, 0}) - rest, z = imbalance({0, 0, 1}) - rest;
    const double det = dot(x, cross(y, z));
    const V3 b = -1. * rest;
    return {dot(b, cross(y, z)) / det, dot(x, cross(b, z)) / det, dot(x, cross(y, b)) / det};
  }
};

// Angles yaw, roll, pitch about z, x, y.
V3 normal(double roll, double pitch) {
  return {-std::cos(roll) * std::sin(pitch), std::sin(roll), std::cos(roll) * std::cos(pitch)};
}
V3 turning(double roll, double pitch, const V3& rates) {
  const V3 w{rates[1], rates[2] + rates[0] * std::sin(roll), rates[0] * std::cos(roll)};
  const double c = std::cos(pitch), s = std::sin(pitch);
  return {c * w[0] - s * w[2], w[1], s * w[0] + c * w[2]};
}

const std::vector<bool> kHeld{true, true, false, true, true, true}, kAngles{false, false, false, true, true, true};

// Truth: Newton's and Euler's equations above; ω̇ from the angles' accelerations by the chain rule. Torques are up to 10,
// forces up to 100, of which round-off leaves 1e-13.
TEST(Rattleback, ObeysNewtonAndEuler) {
  const System system(derive_shipped("rattleback"));
  ASSERT_EQ(system.dynamics.names().rows, (std::vector<std::string>{"up", "ahead", "aside"}));
  for (const double k : {0.1, 0.35, -0.6}) {
    const double yaw = 2 * k, roll = k, pitch = 0.3 - k;
    const V3 rates{5 * k, -2, 3 + k};
    const State state{0, {0.3, 0.2, 0.01, yaw, roll, pitch}, {0, 0, 0, rates[0], rates[1], rates[2]}};
    const Assembly assembly =
        assemble(system.dynamics, state, {.hold_position = kHeld, .hold_velocity = kAngles, .tolerance = 1e-14});
    ASSERT_TRUE(assembly.ok());
    const KktSolution now = solve_kkt(system.dynamics, assembly.state);
    ASSERT_EQ(now.status, KktStatus::kOk);
    const Stone stone(normal(roll, pitch), turning(roll, pitch, rates));
    // ω = E(roll, pitch) rates, so ω̇ = E rates' + E' rates; E' by the product rule.
    const double cr = std::cos(roll), sr = std::sin(roll), cp = std::cos(pitch), sp = std::sin(pitch);
    const V3 second{now.qdd[3], now.qdd[4], now.qdd[5]};
    const V3 wd =
        turning(roll, pitch, second) +
        V3{-rates[2] * (sp * rates[1] + cp * cr * rates[0]) + rates[0] * rates[1] * sr * sp, rates[0] * rates[1] * cr,
           rates[2] * (cp * rates[1] - sp * cr * rates[0]) - rates[0] * rates[1] * sr * cp};
    for (const double left : stone.imbalance(wd)) EXPECT_NEAR(left, 0, 1e-12);
    // Multipliers are the ground's force ahead and aside of the heading, and up over the height of the ellipsoid's centre.
    const V3 force = stone.force(wd);
    const double ahead = cp * force[0] + sp * force[2], up = -sp * force[0] + cp * force[2];
    EXPECT_NEAR(now.lambda[0] * (assembly.state.q[2] + h * stone.mu[2]), dot(force, stone.mu), 1e-11);
    EXPECT_NEAR(now.lambda[1], ahead, 1e-11);
    EXPECT_NEAR(now.lambda[2], cr * force[1] - sr * up, 1e-11);
  }
}

// Truth: the same equations in (ω, μ), μ̇ = μ × ω, by extrapolation. That a stone spun against its sense turns back within
// seconds, and along it keeps on much longer: Kane & Levinson, figures 5 and 6; Garcia & Hubbard, §6.
TEST(Rattleback, TurnsBackFromOneSide) {
  for (const double spin : {-5., 5.}) {
    const System system(derive_shipped("rattleback", {"yaw'=" + std::to_string(spin) + " rad/s"}));
    const State start = system.start();
    const Trajectory path =
        integrate(system.dynamics, start, {.until = 4, .rtol = 1e-11, .atol = 1e-13, .output_step = 0.5});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    const auto state_of = [&](std::size_t row) {
      const V3 w = turning(path.q[4][row], path.q[5][row], {path.v[3][row], path.v[4][row], path.v[5][row]});
      const V3 mu = normal(path.q[4][row], path.q[5][row]);
      return oracles::Vector{w[0], w[1], w[2], mu[0], mu[1], mu[2]};
    };
    oracles::Vector y = state_of(0);
    for (std::size_t row = 1; row < path.size(); ++row) {
      y = oracles::extrapolate(
          [](double, const oracles::Vector& at) -> oracles::Vector {
            const Stone stone({at[3], at[4], at[5]}, {at[0], at[1], at[2]});
            const V3 wd = stone.acceleration(), mud = cross(stone.mu, stone.w);
            return {wd[0], wd[1], wd[2], mud[0], mud[1], mud[2]};
          },
          y, path.time[row - 1], path.time[row], 1000);
      const oracles::Vector now = state_of(row);
      // 17 Hz for 4 s at rtol 1e-11, and neighbours part by exp(1.2 t) at most.
      for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(now[i], y[i], 1e-7) << spin << " " << path.time[row];
      EXPECT_GT(path.lambda[0][row], 0) << "it stays on the ground";
    }
    if (spin < 0) {
      EXPECT_GT(path.v[3].back(), 1);
    } else {
      EXPECT_GT(path.v[3].back(), 4);
    }
  }
}

// Truth: cases §25: with the friction of Kane & Levinson, a torque −σ ω, energy is lost, and only the stone that turns against
// its sense turns back.
TEST(Rattleback, FrictionLeavesOneSense) {
  for (const double spin : {-5., 5.}) {
    const System system(derive_shipped("rattleback", {"yaw'=" + std::to_string(spin) + " rad/s", "sigma=1e-4 N*m*s"}));
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 20, .rtol = 1e-7, .output_step = 1});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_LT(path.total.back(), path.total.front());
    bool turned_back = false;
    for (const double rate : path.v[3]) turned_back = turned_back || rate * spin < 0;
    EXPECT_EQ(turned_back, spin < 0);
  }
}

// Truth: differences of Newton's and Euler's equations about steady spin: ω̇ and μ̇ by ω₁, ω₂, μ₁, μ₂, with ω₃ and μ₃ of
// second order. Central differences with steps of 1e-5 leave 1e-8 of numbers up to 1e4.
TEST(Rattleback, SteadySpinHasTheModesOfEulersEquations) {
  const System system(derive_shipped("rattleback"));
  const EquationDerivatives derivatives(system.equations);
  const auto relative = find_relative_coordinates({&system.dynamics, &derivatives}, system.start());
  ASSERT_TRUE(relative.has_value());
  std::vector<double> growth_of, decay_of;
  for (const double spin : {-5., 5.}) {
    const State steady{0, {0, 0, 0.01, 0, 0, 0}, {0, 0, 0, spin, 0, 0}};
    const SteadySystem spinning{&system.dynamics, &derivatives, relative->left_out, relative->follows};
    const Result<LinearMotion> motion = linearize(spinning, steady);
    ASSERT_TRUE(motion.ok()) << render(motion.diagnostics());
    // Four states of rattling, and the spin itself, which may be any.
    ASSERT_EQ(motion->states.size(), 5U);
    const Stability stability = judge_stability(spinning, system.equations, *motion);
    EXPECT_EQ(stability.zeros, 1U);
    EXPECT_EQ(stability.family, std::vector<std::string>{"yaw'"});
    EXPECT_EQ(stability.verdict, StabilityVerdict::kUnstable);
    Matrix by_hand(4, 4);
    const double e = 1e-5;
    for (std::size_t j = 0; j < 4; ++j) {
      const auto rates = [&](double change) {
        V3 w{0, 0, spin}, mu{0, 0, 1};
        (j < 2 ? w[j] : mu[j - 2]) += change;
        const Stone stone(mu, w);
        const V3 wd = stone.acceleration(), mud = cross(mu, w);
        return std::array{wd[0], wd[1], mud[0], mud[1]};
      };
      const auto ahead = rates(e), behind = rates(-e);
      for (std::size_t i = 0; i < 4; ++i) by_hand(i, j) = (ahead[i] - behind[i]) / (2 * e);
    }
    double growth = -1e9;
    for (const std::complex<double>& expected : eigenpairs(by_hand).value) {
      double nearest = 1e9;
      for (const std::complex<double>& value : eigenpairs(motion->A).value)
        nearest = std::min(nearest, std::abs(value - expected));
      EXPECT_LT(nearest, 1e-5 * std::abs(expected)) << spin;
      growth = std::max(growth, expected.real());
    }
    // One mode grows either way: the fast pitching against the stone's sense, the slow rolling along it. Backwards in time
    // each is the other, so that what grows at 2.1 1/s one way grows at 0.2 1/s the other.
    EXPECT_GT(growth, 0);
    EXPECT_NEAR(stability.modes.front().eigenvalue.real(), growth, 1e-5);
    EXPECT_EQ(stability.modes.front().eigenvalue.imag() > 100, spin < 0);
    growth_of.push_back(growth);
    decay_of.push_back(stability.modes.back().eigenvalue.real());
  }
  EXPECT_NEAR(growth_of[0], -decay_of[1], 1e-5);
  EXPECT_NEAR(growth_of[1], -decay_of[0], 1e-5);
}

}  // namespace
}  // namespace dalembert

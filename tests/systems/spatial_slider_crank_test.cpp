// SPDX-License-Identifier: Apache-2.0
// The spatial slider-crank of models/: closed forms, reduced to its crank's angle, and published figures.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using oracles::angle;
using oracles::asin;
using oracles::constant;
using oracles::cos;
using oracles::Jet;
using oracles::sin;
using oracles::sqrt;
using oracles::variable;

// models/spatial-slider-crank.toml as functions of the crank's angle: the pin is at (0, y, z), the rod's centre half way
// between it and the slider. T = a(θ) θ̇²/2, so a θ̈ + a' θ̇²/2 + V' = τ.
struct ReducedCrank {
  static constexpr double g = 9.81, y_A = 0.1, z_A = 0.12, r = 0.08, L = 0.3;
  static constexpr double m1 = 0.12, I1 = 1e-4, m2 = 0.5, I2 = 4e-3, J2 = 4e-4, m3 = 2;
  static constexpr double crank = I1 + m1 * r * r / 4;  // about the crank's axis
  Jet y, z, s, roll, tilt;
  double inertia = crank, change = 0, weight = 0;

  explicit ReducedCrank(double theta) {
    const Jet th = variable(theta);
    y = constant(y_A) - r * sin(th);
    z = constant(z_A) + r * cos(th);
    const Jet across = sqrt(y * y + z * z);
    s = sqrt(constant(L * L) - across * across);
    roll = angle(y, z);
    tilt = asin((1 / L) * across);
    // Each velocity is u(θ) θ̇ and adds k u² to a.
    const auto add = [&](double k, double u, double du) {
      inertia += k * u * u;
      change += k * u * du;
    };
    for (const Jet& x : {0.5 * s, 0.5 * y, 0.5 * z}) add(m2, x.d, x.dd);
    add(m3, s.d, s.dd);
    add(I2, tilt.d, tilt.dd);
    const double c = std::cos(tilt.f), d = std::sin(tilt.f);
    add(J2, roll.d * c, roll.dd * c - roll.d * tilt.d * d);
    add(I2, roll.d * d, roll.dd * d + roll.d * tilt.d * c);
    weight = -m1 * g * r / 2 * std::sin(theta) + m2 * g * z.d / 2;
  }
  double acceleration(double rate, double tau) const { return (tau - change * rate * rate - weight) / inertia; }
};

// Truth: geometry gives s, roll and tilt, the reduced equation θ̈. By hand the force on the rod's end: Newton's law of rod
// and slider along x; the moment about the crank's axis; that of the rod about the line of the slider, along which its
// angular momentum is (J₂ cos² + (I₂ + m₂ L²/4) sin²) roll'. Numbers up to 1e3 leave 1e-12 of them.
TEST(SpatialSliderCrank, ClosedForms) {
  const System system(derive_shipped("spatial-slider-crank", {"tau=0.3"}));
  const std::size_t theta = system.coordinate("theta");
  for (const double at : {0.0, 0.9, 2.5, 3.9, 5.8}) {
    const double rate = 7, tau = 0.3;
    State state = system.guess;
    state.q[theta] = at;
    state.v[theta] = rate;
    const std::vector<bool> held{true, false, false, false};
    const Assembly assembly = assemble(system.dynamics, state, {.hold_position = held, .hold_velocity = held});
    ASSERT_TRUE(assembly.ok()) << at;
    const ReducedCrank by_hand(at);
    const std::array<Jet, 4> q{variable(at), by_hand.s, by_hand.roll, by_hand.tilt};
    const KktSolution now = solve_kkt(system.dynamics, assembly.state);
    ASSERT_EQ(now.status, KktStatus::kOk);
    const double accelerated = by_hand.acceleration(rate, tau);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(assembly.state.q[i], q[i].f, 1e-13);
      EXPECT_NEAR(assembly.state.v[i], q[i].rate(rate), 1e-12);
      EXPECT_NEAR(now.qdd[i], q[i].acceleration(rate, accelerated), 1e-9);
    }
    const auto second = [&](const Jet& x) { return x.acceleration(rate, accelerated); };
    const ReducedCrank& b = by_hand;
    const double x = now.lambda[0], y = now.lambda[1], z = now.lambda[2];
    EXPECT_NEAR(x, (b.m3 + b.m2 / 2) * second(b.s), 1e-10);
    EXPECT_NEAR(y * b.y.d + z * b.z.d, tau - b.crank * accelerated + b.m1 * b.g * b.r / 2 * std::sin(at), 1e-11);
    const double c = std::cos(b.tilt.f), d = std::sin(b.tilt.f), across = b.I2 + b.m2 * b.L * b.L / 4;
    const double momentum_rate = (b.J2 * c * c + across * d * d) * second(b.roll) +
                                 2 * (across - b.J2) * c * d * b.tilt.rate(rate) * b.roll.rate(rate);
    EXPECT_NEAR(b.y.f * z - b.z.f * y - b.m2 * b.g * b.y.f / 2, momentum_rate, 1e-11);
  }
}

// Truth: the reduced equation, by extrapolation; and cases §24, the slider's places of the benchmark library, to 6e-5, and its
// start: 0.24 m/s, the rod's angular velocity (1.92, −0.96, 0.48) = roll' e_x + tilt' (0, 2, −1)/√5.
TEST(SpatialSliderCrank, RunsAsItsReducedEquation) {
  const System system(derive_shipped("spatial-slider-crank"));
  const State start = system.start();
  EXPECT_NEAR(start.v[1], 0.24, 1e-15);
  EXPECT_NEAR(start.v[2], 1.92, 1e-14);
  EXPECT_NEAR(start.v[3], -0.48 * std::sqrt(5), 1e-14);
  const Trajectory path =
      integrate(system.dynamics, start, {.until = 5, .rtol = 1e-11, .atol = 1e-13, .output_step = 0.5});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  ASSERT_EQ(path.size(), 11u);
  const double published[11] = {0.2,         0.184952803, 0.211754668, 0.25696554,  0.289063554, 0.256509783,
                                0.228450093, 0.206512886, 0.188208161, 0.199295373, 0.240761815};
  oracles::Vector y{0, 6};
  for (std::size_t row = 0; row < path.size(); ++row) {
    if (row > 0)
      y = oracles::extrapolate(
          [](double, const oracles::Vector& at) -> oracles::Vector {
            return {at[1], ReducedCrank(at[0]).acceleration(at[1], 0)};
          },
          y, path.time[row - 1], path.time[row], 60);
    const ReducedCrank at(y[0]);
    // Errors of rtol per step, 600 steps: below 1e-8.
    EXPECT_NEAR(path.q[0][row], y[0], 1e-8 * (1 + y[0]));
    EXPECT_NEAR(path.q[1][row], at.s.f, 1e-8);
    EXPECT_NEAR(path.v[1][row], at.s.rate(y[1]), 1e-7);
    EXPECT_NEAR(path.q[2][row], at.roll.f, 1e-8);
    EXPECT_NEAR(path.q[3][row], at.tilt.f, 1e-8);
    EXPECT_NEAR(path.q[1][row], published[row], 6e-5);
  }
}

}  // namespace
}  // namespace dalembert

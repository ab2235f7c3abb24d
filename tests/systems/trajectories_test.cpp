// SPDX-License-Identifier: Apache-2.0
// Runs of the shipped models, model file → derive → compile → assemble → integrate, against published figures and exact
// solutions (tests/oracles/closed_forms.md, with their sources).
//
// Tolerances: error control allows rtol in each step, and none of these motions amplifies errors faster than linearly
// in time (Andrews' mechanism and the car axis: by a factor of about 10 and 100). So steps · rtol · amplitude is asked
// for, or the number of digits that the source deserves, whichever is larger.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "dalembert/integrate/integrate.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

Trajectory motion_of(const System& system, const IntegrateOptions& options) {
  const Trajectory path = integrate(system.dynamics, system.start(), options);
  EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  return path;
}

// Residuals at round-off (coordinates of size 1 m and 130 rad), energy drift as stated for the shipped settings: rtol =
// 1e-9 over some hundred steps.
TEST(Trajectories, SliderCrankFromItsShippedStart) {
  const System system = shipped("slider-crank");
  const SimulationSettings& settings = system.equations.model->simulation;
  ASSERT_EQ(settings.until, 10);
  ASSERT_EQ(settings.rtol, 1e-9);
  for (const Method method : kMethods) {
    const Trajectory path = motion_of(system, {.until = 10, .rtol = 1e-9, .method = method, .output_step = 0.05});
    ASSERT_EQ(path.size(), 201u);
    EXPECT_LE(path.verdict.max_position_residual, 1e-12);
    EXPECT_LE(path.verdict.max_velocity_residual, 1e-12);
    EXPECT_LE(path.verdict.energy_drift, 1e-7);
    EXPECT_TRUE(path.verdict.conservative);
    EXPECT_EQ(path.verdict.min_rank, 2);
    for (std::size_t row = 0; row < path.size(); ++row)
      for (std::size_t r = 0; r < 2; ++r) EXPECT_LE(std::abs(path.residual[r][row]), 1e-12);
  }
}

// Oracle: θ(10 s) = 132.93240949566545 from θ = π/4, θ̇ = 10 rad/s: an independent computation in minimal coordinates,
// made again here by extrapolation (12 digits).
TEST(Trajectories, SliderCrankTurnsTwentyTimes) {
  const double reference = 132.93240949566545;
  const oracles::Vector reduced = oracles::extrapolate(
      [](double, const oracles::Vector& y) -> oracles::Vector {
        return {y[1], oracles::ReducedSliderCrank(y[0]).acceleration(y[1])};
      },
      {M_PI / 4, 10}, 0, 10, 3200);
  EXPECT_NEAR(reduced[0], reference, 1e-10);

  const System system = shipped("slider-crank", {"theta=45 deg", "theta'=10 rad/s"});
  for (const auto& [rtol, error] : {std::pair(1e-9, 1e-6), std::pair(1e-12, 1e-9)}) {
    const Trajectory path = motion_of(system, {.until = 10, .rtol = rtol, .atol = 1e-3 * rtol});
    EXPECT_NEAR(path.q[0].back(), reference, error) << rtol;
    EXPECT_LE(path.verdict.max_position_residual, 1e-12);
    EXPECT_LE(path.verdict.energy_drift, 100 * rtol);
  }
}

// A run that is over soon is the interpreter's to the last bit; a long one switches to code on its way. Oracle there:
// the interpreter; along 80 s the errors of both grow in phase only, in proportion to the 80·13 radians and the steps'
// 1e-11.
TEST(Trajectories, BeginInterpretedAndSwitchToCode) {
  const System system = shipped("slider-crank", {"theta'=10 rad/s"});
  const Dynamics machine = compile(system.equations), interpreted = compile(system.equations, {.machine_code = false});
  const auto has_code = [&] { return machine.kernel().code(KernelFunction::kAccelerations) != nullptr; };
  const auto end = [&](const Dynamics& dynamics, double until) {
    return integrate(dynamics, system.start(), {.until = until, .rtol = 1e-11, .atol = 1e-11}).final_state();
  };
  EXPECT_EQ(end(machine, 1).q, end(interpreted, 1).q);
  EXPECT_FALSE(has_code());
  const State by_code = end(machine, 80), by_interpreter = end(interpreted, 80);
  EXPECT_EQ(has_code(), system.dynamics.kernel().code(KernelFunction::kAccelerations) != nullptr);  // where it can be
  for (std::size_t i = 0; i < by_code.q.size(); ++i) EXPECT_NEAR(by_code.q[i], by_interpreter.q[i], 1e-6) << i;
}

// Oracle: Test Set for IVP Solvers, andrews.F v1.2 (PSIDE, 1e-14); cases §01 says what the digits deserve: q to 1e-9, v
// to 1e-7, λ to 3e-6 of their values. Its recomputation to 20 digits allows 1e-9 of the largest entry in all of them.
TEST(Trajectories, AndrewsMechanism) {
  const System system = shipped("andrews-squeezer");
  const Trajectory path = motion_of(system, {.until = 0.03, .rtol = 1e-13, .atol = 1e-15});
  const double q[] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                      0.5244099658805304, 0.5347301163226948, 1.048080741042263};
  const double v[] = {1139.920302151208,  -1424.379294994111, 11.03291221937134, 19.29337464421385,
                      0.5735699284790808, -19.29337464421385, 0.3231791658026955};
  const double lambda[] = {199.1753333731910, -29.75531228015052, 23.06654119098399,
                           31.45271365475927, 22.64249232082739,  11.61740700019673};
  const double exact_q[] = {15.810771195153707097,   -15.75637105841183947,  0.040822240119645804858,
                            -0.53473011634207959377, 0.52440996587995406937, 0.53473011634207959377,
                            1.0480807410419378731};
  const double exact_v[] = {1139.9203022591060642, -1424.3792951775400732, 11.032911910618593745,
                            19.293374105032040832, 0.57356991482950245382, -19.293374105032040832,
                            0.32317914924913087499};
  const double exact_lambda[] = {199.17534810453862819, -29.755309974971763324, 23.066543611622151129,
                                 31.452725275771137075, 22.642494786394378578,  11.617392352611255907};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(path.q[i].back(), q[i], 1e-9 * std::abs(q[i])) << i;
    EXPECT_NEAR(path.v[i].back(), v[i], 1e-7 * std::abs(v[i])) << i;
    EXPECT_NEAR(path.q[i].back(), exact_q[i], 1e-9 * 16) << i;
    EXPECT_NEAR(path.v[i].back(), exact_v[i], 1e-9 * 1424) << i;
  }
  for (std::size_t r = 0; r < 6; ++r) {
    EXPECT_NEAR(path.lambda[r].back(), lambda[r], 3e-6 * std::abs(lambda[r])) << r;
    EXPECT_NEAR(path.lambda[r].back(), exact_lambda[r], 1e-9 * 199) << r;
  }
}

// After 0.4 s the crank has turned by 1,000 rad, whose round-off turns the rows of W by more than the tolerance lets velocities be wrong
// where those of the slow bodies are near 0. The run was given up there.
TEST(Trajectories, AndrewsMechanismAfterManyTurns) {
  const System system = shipped("andrews-squeezer");
  const Trajectory fine = motion_of(system, {.until = 0.4, .rtol = 1e-12, .atol = 1e-12}),
                   coarse = motion_of(system, {.until = 0.4, .rtol = 1e-10, .atol = 1e-12});
  ASSERT_EQ(fine.status, RunStatus::kOk) << fine.reason;
  EXPECT_GT(fine.q[0].back(), 900);
  for (std::size_t i = 0; i < fine.q.size(); ++i) EXPECT_NEAR(fine.q[i].back(), coarse.q[i].back(), 1e-3) << i;
}

// Oracle: Test Set for IVP Solvers, caraxis (GAMD in quadruple precision); cases §02: q to 1e-11, v to 2e-9 of its
// values, λ to 1e-11.
TEST(Trajectories, CarAxis) {
  const System system = shipped("car-axis");
  const Trajectory path = motion_of(system, {.until = 3, .rtol = 1e-13, .atol = 1e-15});
  const double q[] = {0.493455784275402809122e-1, 0.496989460230171153861, 1.04174252488542151681,
                      0.373911027265361256927};
  const double v[] = {-0.770583684040972357970e-1, 0.744686658723778553466e-2, 0.175568157537232222276e-1,
                      0.770341043779251976443};
  const double lambda[] = {-0.473688659084893324729e-2, -0.110468033125734368808e-2};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(path.q[i].back(), q[i], 1e-11) << i;
    EXPECT_NEAR(path.v[i].back(), v[i], 2e-9 * std::abs(v[i])) << i;
  }
  for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(path.lambda[r].back(), lambda[r], 1e-11) << r;
  EXPECT_GT(path.verdict.energy_drift, 1e-3) << "the road does work";
  EXPECT_LE(path.verdict.power_balance_error, 1e-10);
}

// Oracle: Chaplygin 1911, Bloch §1.7 (cases §12): u = U tanh s, ω = W sech s, s = kt + s₀ in both forms; thirteen digits
// at t = 3. The run is asked for rtol = 1e-12.
TEST(Trajectories, ChaplyginSleigh) {
  const double m = 1.3, I = 0.7, b = 0.4, u0 = 0.3, w0 = 1.7, J = I + m * b * b;
  const double U = std::sqrt(u0 * u0 + J * w0 * w0 / m), W = U * std::sqrt(m / J), k = m * b * U / J;
  const double s0 = std::atanh(u0 / U);
  const auto gd = [](double s) { return 2 * std::atan(std::tanh(s / 2)); };
  const System system = shipped("chaplygin-sleigh");
  const Trajectory path = motion_of(system, {.until = 3, .rtol = 1e-12, .atol = 1e-14, .output_step = 0.1});
  ASSERT_EQ(path.size(), 31u);
  for (std::size_t row = 0; row < path.size(); ++row) {
    const double s = k * path.time[row] + s0, u = U * std::tanh(s), w = W / std::cosh(s);
    EXPECT_NEAR(path.series("speed")[row], u, 1e-11);
    EXPECT_NEAR(path.v[2][row], w, 1e-11);
    EXPECT_NEAR(path.q[2][row], W / k * (gd(s) - gd(s0)), 1e-11);
    EXPECT_NEAR(path.lambda[0][row], m * u * w * I / J, 1e-11);
  }
  EXPECT_NEAR(path.series("speed").back(), 1.4391417144554, 1e-11);
  EXPECT_NEAR(path.v[2].back(), 0.2314778783841, 1e-11);
  EXPECT_NEAR(path.q[2].back(), 2.5679686218659, 1e-11);
  EXPECT_NEAR(path.series("blade_force").back(), 0.3338632361103, 1e-11);
}

// Truth: cases §12: from running backwards to running forwards it turns by π √(J/(m b²)) in all, whatever its energy; here from s = −16
// to 16, which leaves out 2 e^−16 at either end. With the centre of mass behind the blade the motion is the mirrored one.
TEST(Trajectories, ChaplyginSleighTurnsRound) {
  const double m = 1.3, I = 0.7;
  for (const double b : {0.4, -0.4}) {
    const double J = I + m * b * b, k = m * 0.4 / J, ratio = std::sqrt(m / J), turn = ratio / k;  // U = 1
    System system = shipped("chaplygin-sleigh", {"b=" + std::to_string(b) + " m"});
    const double forward = b > 0 ? 1 : -1, w = ratio / std::cosh(16.);
    const State start{0, {0, 0, 0}, {-forward * std::tanh(16.), b * w, w}};
    const Trajectory path = integrate(system.dynamics, start, {.until = 32 / k, .rtol = 1e-11, .atol = 1e-15});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_NEAR(path.q[2].back(), turn * (M_PI - 4 * std::exp(-16.)), 1e-8);
    EXPECT_NEAR(turn * M_PI, M_PI * std::sqrt(J / (m * b * b)), 1e-14);
    const double theta = path.q[2].back(), u = path.v[0].back() * std::cos(theta) + path.v[1].back() * std::sin(theta);
    EXPECT_NEAR(u, forward, 1e-8);
  }
}

// Oracle: IFToMM A01 by Jacobi's elliptic functions (cases §05), 15 digits and more. Errors of a periodic motion grow
// with t at most quadratically; 42 periods at rtol = 1e-12 leave less than 1e-8. From rest at y = 0: λ = 3 m g y.
TEST(Trajectories, PendulumA01) {
  const System system = shipped("cartesian-pendulum");
  const Trajectory path =
      motion_of(system, {.until = 100, .rtol = 1e-12, .atol = 1e-14, .output_times = {1, 2, 5, 10, 100}});
  const double x[] = {0.986291751131875319, -0.793566195343321747, -0.942305435043757335, -0.27508746257611686,
                      -0.181513351427031385};
  const double y[] = {-0.165010853125541169, -0.608483930443791515, -0.334754338414000581, -0.961419205099125064,
                      -0.983388480334057505};
  ASSERT_EQ(path.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    const double allowed = k < 4 ? 1e-10 : 1e-8;
    EXPECT_NEAR(path.q[0][k], x[k], allowed) << path.time[k];
    EXPECT_NEAR(path.q[1][k], y[k], allowed) << path.time[k];
    EXPECT_NEAR(path.lambda[0][k], 3 * 9.81 * y[k], 30 * allowed) << path.time[k];
  }
  EXPECT_LE(path.verdict.max_position_residual, 1e-14);
}

// Oracle: Jacobi (cases §23): p₃ = z₁ + (z₂ − z₁) sn²; it runs between the roots z₁ = −1.14593808 and z₂ = −0.702393,
// with period 1.2250633166696336 s, and p₃(3) = −1.133464057567 (12 decimals).
TEST(Trajectories, SphericalPendulum) {
  const System system = shipped("point-pendulum-3d");
  const double period = 1.2250633166696336;
  const Trajectory path = motion_of(
      system, {.until = 3, .rtol = 1e-12, .atol = 1e-14, .output_times = {0, period / 2, period, 2 * period, 3}});
  const auto& p3 = path.q[2];
  EXPECT_NEAR(p3[0], -1.3 * std::cos(1.0), 1e-15);
  EXPECT_NEAR(p3[1], -1.14593808, 5e-9);
  EXPECT_NEAR(p3[2], p3[0], 1e-11);
  EXPECT_NEAR(p3[3], p3[0], 1e-11);
  EXPECT_NEAR(p3[4], -1.133464057567, 2e-12 + 1e-11);
  for (std::size_t row = 0; row < path.size(); ++row) {
    const auto momentum = path.q[0][row] * path.v[1][row] - path.q[1][row] * path.v[0][row];
    EXPECT_NEAR(momentum, 1.0939122802502654 * 2, 1e-11);
  }
}

// Oracle: a sphere that rolls without friction moves straight on, and turns at a constant angular velocity ω: its
// orientation R_z(ψ)R_x(θ)R_z(φ) is the start's, turned about ω by |ω|t.
TEST(Trajectories, RollingSphere) {
  const System system = shipped("rolling-sphere");
  const State start = system.start();
  const Trajectory path = motion_of(system, {.until = 5, .rtol = 1e-11, .atol = 1e-13, .output_step = 0.5});
  using Eigen::AngleAxisd;
  using Eigen::Vector3d;
  const Vector3d X(1, 0, 0), Z(0, 0, 1);
  const auto orientation = [&](double psi, double theta, double phi) {
    return Eigen::Matrix3d(AngleAxisd(psi, Z) * AngleAxisd(theta, X) * AngleAxisd(phi, Z));
  };
  // Rolling: v = ω × r e₃; ψ̇ + φ̇ cos θ is the spin about the vertical, here ψ̇ = 2 at θ = 90°.
  const Vector3d omega(-0.2 / 0.12, 0.3 / 0.12, 2);
  for (std::size_t row = 0; row < path.size(); ++row) {
    const double t = path.time[row];
    EXPECT_NEAR(path.q[0][row], 0.3 * t, 1e-10);
    EXPECT_NEAR(path.q[1][row], 0.2 * t, 1e-10);
    for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(path.lambda[r][row], 0, 1e-9) << t;
    const Eigen::Matrix3d expected =
        AngleAxisd(omega.norm() * t, omega.normalized()) * orientation(start.q[2], start.q[3], start.q[4]);
    EXPECT_LT((orientation(path.q[2][row], path.q[3][row], path.q[4][row]) - expected).norm(), 1e-9) << t;
  }
}

// Oracle: closed_forms.md: the corner's and the floor's forces stay positive until 0.5 s; θ reduced by hand and
// integrated by extrapolation, x = c − h cot θ.
TEST(Trajectories, RodOnCorner) {
  const System system = shipped("rod-on-corner");
  const Trajectory path = motion_of(system, {.until = 0.5, .rtol = 1e-11, .atol = 1e-13, .output_step = 0.1});
  const double m = 2, a = 0.8, h = 0.5;
  for (std::size_t row = 1; row < path.size(); ++row) {
    const oracles::Vector y = oracles::extrapolate(
        [&](double, const oracles::Vector& at) -> oracles::Vector {
          const oracles::Jet th = oracles::variable(at[0]);
          const oracles::Jet x = oracles::constant(1) - h * (cos(th) * inverse(sin(th)));
          return {at[1], oracles::reduced_acceleration({{m, m * a * a / 3, x + a * cos(th), a * sin(th), th}}, 9.81,
                                                       at[1], 0)};
        },
        {M_PI / 4, 0}, 0, path.time[row], 20);
    EXPECT_NEAR(path.q[1][row], y[0], 1e-10);
    EXPECT_NEAR(path.v[1][row], y[1], 1e-10);
    EXPECT_NEAR(path.q[0][row], 1 - h / std::tan(y[0]), 1e-10);
    EXPECT_GT(path.series("normal_Q")[row], 0);
  }
}

// A body that hangs at rest: of the energy that moves, which is round-off, its drift is a third; of the energy it is round-off.
TEST(Trajectories, WhatHangsAtRestKeepsItsEnergy) {
  const System system(derive_loaded(load_model(make_source("ropes", R"toml(gravity = ["0", "-9.81"]
coordinates = ["x", "y"]
[[body]]
name = "b"
mass = 1
position = ["x", "y"]
[[constraint]]
name = "left"
holonomic = "sqrt((x + 0.5)^2 + y^2) - 1"
[[constraint]]
name = "right"
holonomic = "sqrt((x - 0.5)^2 + y^2) - 1"
[initial]
position = {x = 0, y = -0.866025403784439}
)toml"),
                                               {})));
  const Trajectory path = motion_of(system, {.until = 3});
  EXPECT_LT(path.verdict.energy_drift, 1e-14);
  EXPECT_LT(path.verdict.power_balance_error, 1e-14);
  EXPECT_NEAR(path.verdict.energy_scale, 9.81 * 0.866025403784439, 1e-9);
}

}  // namespace
}  // namespace dalembert

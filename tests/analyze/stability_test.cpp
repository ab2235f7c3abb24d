// SPDX-License-Identifier: Apache-2.0
// Eigenvalues, zeros and verdicts of systems whose small motions are known in closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "dalembert/analyze/stability/follow.h"
#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/stability.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

struct Judged {
  Result<LinearMotion> motion;
  Stability stability;
};

Judged judge(const System& system, const State& state) {
  const EquationDerivatives derivatives(system.equations);
  const SteadySystem steady{&system.dynamics, &derivatives};
  Judged judged{linearize(steady, state), {}};
  EXPECT_TRUE(judged.motion.ok()) << render(judged.motion.diagnostics());
  if (judged.motion) judged.stability = judge_stability(steady, system.equations, *judged.motion);
  return judged;
}

System system_of(const std::string& text) { return System(derive_loaded(load_model(make_source("model", text)))); }

std::string pair_text(const std::complex<double>& z) {
  return std::to_string(z.real()) + " " + std::to_string(z.imag());
}

void expect_spectrum(const Stability& stability, std::vector<std::complex<double>> expected, double tolerance) {
  ASSERT_EQ(stability.modes.size(), expected.size());
  for (const Mode& mode : stability.modes) {
    const auto at =
        std::ranges::min_element(expected, {}, [&](const auto& z) { return std::abs(z - mode.eigenvalue); });
    EXPECT_LE(std::abs(*at - mode.eigenvalue), tolerance) << pair_text(mode.eigenvalue);
    expected.erase(at);
  }
}

// theta'' = −g/L sin theta: ±i sqrt(g/L) hanging, ±sqrt(g/L) upright, whatever the coordinates. The energy is least when
// it hangs.
TEST(Stability, PendulumInCartesianPolarAndMinimalCoordinates) {
  const double rate = std::sqrt(9.81);
  const System cartesian = shipped("cartesian-pendulum");
  const Judged hanging = judge(cartesian, {0, {0, -1}, {0, 0}}), upright = judge(cartesian, {0, {0, 1}, {0, 0}});
  EXPECT_EQ(hanging.motion->kind, MotionKind::kEquilibrium);
  ASSERT_EQ(hanging.motion->states.size(), 2U);
  EXPECT_EQ(hanging.motion->states[0].name, "x");
  EXPECT_EQ(hanging.motion->states[1].name, "x'");
  expect_spectrum(hanging.stability, {{0, rate}, {0, -rate}}, 1e-12);
  EXPECT_EQ(hanging.stability.verdict, StabilityVerdict::kStable);
  expect_spectrum(upright.stability, {{rate, 0}, {-rate, 0}}, 1e-12);
  EXPECT_EQ(upright.stability.verdict, StabilityVerdict::kUnstable);
  const System polar = shipped("polar-pendulum");
  const double L = polar.parameter("L"), g = polar.parameter("g");
  State state{0, {0, 0}, {0, 0}};
  state.q[polar.coordinate("r")] = L;
  const Judged of_polar = judge(polar, state);
  EXPECT_EQ(of_polar.motion->states.front().name, "theta");
  const double of_L = std::sqrt(g / L);
  expect_spectrum(of_polar.stability, {{0, of_L}, {0, -of_L}}, 1e-12);
}

// The sleigh of theory §10 has the eigenvalues 0 and −m b u/(I + m b²) of u, omega; the line (u, 0) and the headings are families, x and y
// nothing depends on. The same with the constraint written at the contact point.
TEST(Stability, SleighRunsStraightForwardsNotBackwards) {
  for (const char* name : {"chaplygin-sleigh", "chaplygin-sleigh-contact"})
    for (const double u : {0.7, -0.7}) {
      const System sleigh = shipped(name);
      const double m = sleigh.parameter("m"), I = sleigh.parameter("I"), b = sleigh.parameter("b");
      const double heading = 0.4;
      State state{0, {0.3, -0.2, 0}, {0, 0, 0}};
      state.q[sleigh.coordinate("theta")] = heading;
      state.v[0] = u * std::cos(heading);
      state.v[1] = u * std::sin(heading);
      const Judged judged = judge(sleigh, state);
      EXPECT_EQ(judged.motion->kind, MotionKind::kSteadyMotion) << name;
      const double decay = -m * b * u / (I + m * b * b);
      expect_spectrum(judged.stability, {0, 0, 0, 0, decay}, 1e-10);
      EXPECT_EQ(judged.stability.zeros, 4U);
      EXPECT_EQ(judged.stability.because.size(), 4U);
      EXPECT_EQ(judged.stability.verdict, u > 0 ? StabilityVerdict::kStable : StabilityVerdict::kUnstable);
    }
}

// The angle pendulum damped at its pivot: s² + c s + g/L = 0. Critically damped at c = 2 sqrt(g/L), unstable for c < 0:
// the pair crosses at c = 0 with ±i sqrt(g/L), and with k for g/L a real eigenvalue crosses at k = 0.
constexpr const char* kOscillator = R"(
name = "oscillator"
coordinates = ["x"]
[parameters]
c = 0.3
k = 4
[energy]
kinetic = "dot(x)^2/2"
potential = "k*x^2/2"
[[force]]
coordinate = "x"
value = "-c*dot(x) - c*dot(x)^3"
)";

TEST(Stability, CriticalValuesOfAnOscillator) {
  const System system = system_of(kOscillator);
  const EquationDerivatives derivatives(system.equations);
  const auto vary = [&](std::size_t parameter, std::vector<double> values) {
    return follow(values, [&](double value) -> std::optional<Spectrum> {
      std::vector<double> parameters(system.dynamics.parameters().begin(), system.dynamics.parameters().end());
      parameters[parameter] = value;
      const Dynamics dynamics = system.dynamics.with_parameters(parameters);
      const auto motion = linearize({&dynamics, &derivatives}, {0, {0}, {0}});
      return eigenvalues_of(*motion, 0);
    });
  };
  const Followed by_c = vary(0, {-1.05, -0.35, 0.35, 1.05, 5.05});
  ASSERT_EQ(by_c.critical.size(), 1U);
  EXPECT_NEAR(by_c.critical[0].value, 0, 1e-14);
  EXPECT_NEAR(by_c.critical[0].eigenvalue.imag(), 2, 1e-12);
  EXPECT_FALSE(by_c.critical[0].to_unstable);
  const Followed by_k = vary(1, {-1, 0.13, 1, 4});
  ASSERT_EQ(by_k.critical.size(), 1U);
  EXPECT_NEAR(by_k.critical[0].value, 0, 1e-14);
  EXPECT_EQ(by_k.critical[0].eigenvalue.imag(), 0);
  // Without damping: ±i sqrt(k) meet at 0.
  std::vector<double> undamped;
  for (double k = -1.03; k < 1; k += 0.25) undamped.push_back(k);
  const System free = system_of(std::string(kOscillator).substr(0, std::string(kOscillator).find("[[force]]")));
  const EquationDerivatives of_free(free.equations);
  const Followed path = follow(undamped, [&](double value) -> std::optional<Spectrum> {
    const Dynamics dynamics = free.dynamics.with_parameters({0.3, value});
    return eigenvalues_of(*linearize({&dynamics, &of_free}, {0, {0}, {0}}), 0);
  });
  ASSERT_EQ(path.critical.size(), 1U);
  EXPECT_NEAR(path.critical[0].value, 0, 1e-13);
}

// The hanging chain in angles and in maximal coordinates, ten rods: the same twenty eigenvalues.
TEST(Stability, HangingChainInMinimalAndMaximalCoordinates) {
  const System minimal = shipped("n-link-chain"), maximal = shipped("n-link-chain-maximal");
  const std::size_t n = 10;
  const double down = -std::numbers::pi / 2, l = minimal.parameter("l");
  State angles{0, std::vector<double>(n, down), std::vector<double>(n)},
      all{0, std::vector<double>(3 * n), std::vector<double>(3 * n)};
  for (std::size_t i = 0; i < n; ++i) {
    all.q[n + i] = -l * (static_cast<double>(i) + 0.5);
    all.q[2 * n + i] = down;
  }
  const Judged of_angles = judge(minimal, angles), of_all = judge(maximal, all);
  ASSERT_EQ(of_all.motion->states.size(), 2 * n);
  std::vector<std::complex<double>> expected;
  for (const Mode& mode : of_angles.stability.modes) expected.push_back(mode.eigenvalue);
  expect_spectrum(of_all.stability, expected, 1e-9);
  EXPECT_EQ(of_angles.stability.verdict, StabilityVerdict::kStable);
  EXPECT_EQ(of_all.stability.verdict, StabilityVerdict::kStable);
}

// V = x⁴: the linearisation sees a zero, but there is only one equilibrium.
TEST(Stability, AFlatSpotIsNoFamily) {
  const System system = system_of(R"(
name = "flat"
coordinates = ["x"]
[energy]
kinetic = "dot(x)^2/2"
potential = "x^4"
)");
  const Judged judged = judge(system, {0, {0}, {0}});
  EXPECT_EQ(judged.stability.zeros, 2U);
  EXPECT_TRUE(judged.stability.family.empty());
  EXPECT_EQ(judged.stability.verdict, StabilityVerdict::kStable);
}

// A slow oscillator beside one 3e8 times as fast, between which there is nothing, has its own eigenvalues and its own size, by which they count as 0.
TEST(Stability, WhatIsSlowBesideSomethingMuchFasterIsJudgedByItself) {
  const auto judged = [](const std::string& stiffness, const std::string& damping) {
    const System system =
        system_of("coordinates = [\"x\", \"y\"]\nparameters = {k = " + stiffness + ", c = " + damping + R"(}
[energy]
kinetic = "(dot(x)^2 + dot(y)^2)/2"
potential = "1e10*y^2/2 + k*x^2/2"
dissipation = "c*(dot(x)^2 + 1e6*dot(y)^2)/2"
)");
    return judge(system, {0, {0, 0}, {0, 0}}).stability;
  };
  const Stability falls = judged("-1e-7", "0"), swings = judged("1e-7", "0"), rests = judged("1e-7", "1e-5");
  EXPECT_EQ(falls.zeros, 0U);
  EXPECT_EQ(falls.verdict, StabilityVerdict::kUnstable);
  expect_spectrum(falls, {std::sqrt(1e-7), -std::sqrt(1e-7), {0, 1e5}, {0, -1e5}}, 1e-10);
  EXPECT_EQ(swings.verdict, StabilityVerdict::kStable);
  EXPECT_EQ(rests.verdict, StabilityVerdict::kAsymptoticallyStable);
  EXPECT_EQ(judged("0", "0").zeros, 2U);
}

// Two masses in the plane on a spring of rest length 1, at rest: x and y of both move together without force (a family of
// equilibria and one of steady motions each), the pair turns (a family whose momentum is conserved) and breathes at
// sqrt(k (1/m1 + 1/m2)).
TEST(Stability, ADumbbellDriftsAndBreathes) {
  const System system = system_of(R"(
name = "dumbbell"
coordinates = ["x1", "y1", "x2", "y2"]
[parameters]
k = 6
[energy]
kinetic = "dot(x1)^2/2 + dot(y1)^2/2 + dot(x2)^2 + dot(y2)^2"
potential = "k/2*(hypot(x1 - x2, y1 - y2) - 1)^2"
)");
  const Judged judged = judge(system, {0, {0, 0, 0.6, 0.8}, {0, 0, 0, 0}});
  expect_spectrum(judged.stability, {0, 0, 0, 0, 0, 0, {0, 3}, {0, -3}}, 1e-11);
  EXPECT_EQ(judged.stability.zeros, 6U);
  EXPECT_EQ(judged.stability.verdict, StabilityVerdict::kStable);
}

// y is an equilibrium for all y < 1, and drifts at any small speed to where u falls: p[z], whose zero is that of the motions along z, says nothing of y'.
TEST(Stability, AMomentumExplainsOneZeroAlone) {
  const auto judged = [](const std::string& coordinates, const std::string& more) {
    const System system = system_of("coordinates = [" + coordinates + R"(]
[energy]
kinetic = "(y'^2 + u'^2)/2)" + more +
                                    R"("
potential = "(1 - y)*u^2/2"
)");
    const std::vector<double> zero(static_cast<std::size_t>(system.dynamics.nq()));
    return judge(system, {0, zero, zero}).stability;
  };
  for (const auto& [coordinates, more] : {std::pair("\"y\", \"u\"", ""), std::pair("\"y\", \"u\", \"z\"", " + z'^2/2"),
                                          std::pair("\"z\", \"y\", \"u\", \"w\"", " + (z'^2 + w'^2)/2")}) {
    const Stability stability = judged(coordinates, more);
    EXPECT_EQ(stability.verdict, StabilityVerdict::kMarginal) << coordinates;
    EXPECT_EQ(stability.unexplained, 1U) << coordinates;
  }
}

// A cart that coasts with a pendulum: its steady motions are those of all speeds of the cart, on both sides of the drag of the pendulum, which is at rest in them. Where the
// drag is of the cart's speed too they are not.
TEST(Stability, FamiliesGoOnWhereAConditionHasNoPartInThem) {
  const auto judged = [](const std::string& drag) {
    const System system = system_of(R"toml(coordinates = ["x", "q"]
[energy]
kinetic = "x'^2 + q'^2/2 + x'*q'*cos(q)"
potential = "-9.81*cos(q)"
dissipation = "0.1*q'^2"
[[force]]
coordinate = "q"
value = ")toml" + drag + "\"\n");
    return judge(system, {0, {0, 0}, {0, 0}}).stability;
  };
  EXPECT_EQ(judged("-0.1*abs(q')*q'").verdict, StabilityVerdict::kStable);
  EXPECT_THAT(judged("-0.1*abs(q')*q'").family, testing::ElementsAre("x'"));
  EXPECT_EQ(judged("if(q' > 0, x'^2, 0)").verdict, StabilityVerdict::kMarginal);
}

// The eigenvalues and critical speeds of cases §03 (Meijaard et al., table 2):
// M q'' + v C1 q' + (g K0 + v² K2) q = 0 with its matrices. M is in the energy; the rest is forces.
TEST(Stability, LinearBicycleHasItsPublishedEigenvalues) {
  const System system = system_of(R"(
name = "bicycle"
coordinates = ["phi", "delta"]
[parameters]
v = 5
g = 9.81
[energy]
kinetic = "80.81722/2*dot(phi)^2 + 2.3194133220870913477*dot(phi)*dot(delta) + 0.29784188199685552999/2*dot(delta)^2"
[[force]]
coordinate = "phi"
value = "-v*33.866413914924943883*dot(delta) + g*(80.95*phi + 2.5995168524987164073*delta) - v^2*76.597345895732221519*delta"
[[force]]
coordinate = "delta"
value = "v*0.85035641456978437036*dot(phi) - v*1.6854039739755967411*dot(delta) + g*(2.5995168524987164073*phi + 0.80329488458617688081*delta) - v^2*2.6543152379460402523*delta"
)");
  const EquationDerivatives derivatives(system.equations);
  const auto at = [&](double v) -> std::optional<Spectrum> {
    const Dynamics dynamics = system.dynamics.with_parameters({v, 9.81});
    return eigenvalues_of(*linearize({&dynamics, &derivatives}, {0, {0, 0}, {0, 0}}), 0);
  };
  // Recomputed there with 30 digits: castering, capsize, weave.
  const Spectrum expected{-14.078389692798247,
                          -0.32286642900408708,
                          {-0.77534188219584193, 4.4648677137882251},
                          {-0.77534188219584193, -4.4648677137882251}};
  const Spectrum found = matched(expected, *at(5));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_LE(std::abs(found[k] - expected[k]), 1e-12) << k;
  std::vector<double> speeds;
  for (int k = 0; k <= 20; ++k) speeds.push_back(k * 0.5);
  const Followed path = follow(speeds, at);
  ASSERT_EQ(path.critical.size(), 2U);
  // Fourteen decimals are published.
  EXPECT_NEAR(path.critical[0].value, 4.29238253634111, 5e-14);
  EXPECT_NEAR(path.critical[0].eigenvalue.imag(), 3.43503384866144, 1e-13);
  EXPECT_FALSE(path.critical[0].to_unstable);
  EXPECT_NEAR(path.critical[1].value, 6.02426201538837, 5e-14);
  EXPECT_TRUE(path.critical[1].to_unstable);
}

// The nonlinear bicycle of models/whipple-bicycle from its frames, running straight at v: nine coordinates, two holonomic
// rows and four of velocity. Its linearisation has the published eigenvalues of lean and steer (cases §03), and zeros for
// place, heading, the wheels' angles and the speed. The model's numbers are the benchmark's, so what is published with 14
// decimals is met but for the round-off of a matrix of norm 1e2.
TEST(Stability, NonlinearBicycleHasThePublishedEigenvalues) {
  const System bicycle = shipped("whipple-bicycle", {"lean'=0"});
  const EquationDerivatives derivatives(bicycle.equations);
  const SteadySystem system{&bicycle.dynamics, &derivatives};
  State state = bicycle.start();
  const std::size_t rear = bicycle.coordinate("rear");
  const double old_rate = state.v[rear];
  for (double& rate : state.v) rate *= -5 / 0.3 / old_rate;
  const auto motion = linearize(system, state);
  ASSERT_TRUE(motion.ok());
  EXPECT_EQ(motion->kind, MotionKind::kSteadyMotion);
  const Stability stability = judge_stability(system, bicycle.equations, *motion);
  std::vector<std::complex<double>> expected{-14.078389692798247,
                                             -0.32286642900408708,
                                             {-0.77534188219584193, 4.4648677137882251},
                                             {-0.77534188219584193, -4.4648677137882251}};
  expected.resize(motion->states.size(), 0.0);
  expect_spectrum(stability, expected, 1e-11);
  // Between the weave and the capsize speed it runs by itself.
  EXPECT_EQ(stability.verdict, StabilityVerdict::kStable);
  // Round-off of 1e-14 of the eigenvalues' size 1e1, by the slopes of their real parts by v, which are 0.1 and more.
  std::vector<double> speeds;
  for (int k = 1; k <= 10; ++k) speeds.push_back(k);
  const Followed path = follow(speeds, [&](double v) -> std::optional<Spectrum> {
    State at = state;
    for (double& rate : at.v) rate *= v / 5;
    return eigenvalues_of(*linearize(system, at), stability.zeros);
  });
  ASSERT_EQ(path.critical.size(), 2U);
  EXPECT_NEAR(path.critical[0].value, 4.29238253634111, 1e-11);
  EXPECT_NEAR(path.critical[0].eigenvalue.imag(), 3.43503384866144, 1e-11);
  EXPECT_NEAR(path.critical[1].value, 6.02426201538837, 1e-11);
}

}  // namespace
}  // namespace dalembert

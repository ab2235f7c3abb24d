// SPDX-License-Identifier: Apache-2.0
// Frames whose attitude is a unit quaternion: model file → derive → compile → assemble → integrate.
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

System loaded(const std::string& text, const std::vector<std::string>& set = {}) {
  return System(derive_loaded(load_model(make_source("model.toml", text), load_options(set))));
}

double norm_of(const std::vector<double>& q, std::size_t first) {
  return std::sqrt(q[first] * q[first] + q[first + 1] * q[first + 1] + q[first + 2] * q[first + 2] +
                   q[first + 3] * q[first + 3]);
}

// Truth: cases §10: published to 5e-7, recomputed to some 17 digits; the spin is constant. What the verdict vouches for is
// the error allowed beside them.
TEST(Quaternion, TheHeavyTopOfTheBenchmark) {
  const System system(derive_shipped("heavy-top"));
  ASSERT_EQ(system.dynamics.nv(), 6);
  ASSERT_EQ(system.dynamics.nq(), 7);
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 2, .rtol = 1e-11, .atol = 1e-12});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  const State end = path.final_state();
  const double published[7] = {-0.1504168894608856, -0.7241654846852867, -0.6730223697288009, 0.1229471344095339,
                               -0.4910798717314375, 0.3504301068655838,  -0.7879868865928781};
  const double recomputed[7] = {-0.15041682274564176, -0.72416559163689565, -0.6730222695604441, 0.12294713504153347,
                                -0.49107989255002701, 0.35043003034362096,  -0.78798688755048567};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(end.q[i], recomputed[i], path.verdict.error.q[i] + 1e-14) << i;
    EXPECT_NEAR(end.q[i], published[i], 5e-7) << i;
  }
  const double rates[3] = {0.12223321949739424, 150, -5.8556245892054577};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(end.v[3 + i], rates[i], path.verdict.error.v[3 + i] + 1e-12);
  for (std::size_t row = 0; row < path.size(); ++row) {
    double squares = 0;
    for (std::size_t k = 3; k < 7; ++k) squares += path.q[k][row] * path.q[k][row];
    ASSERT_NEAR(squares, 1, 1e-15);
  }
  // The joint's force: m (r̈ + g e_z) along the ground's axes, and as long along the top's, where it makes the moment of
  // Euler's equations about the centre of mass, I ω̇ + ω × I ω = −L e_y × f.
  const double m = 15, I = 0.234375, J = 0.46875;
  for (std::size_t row = 0; row < path.size(); row += 100) {
    double ground = 0, own = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double force = m * (path.a[i][row] + (i == 2 ? 9.81 : 0));
      ASSERT_NEAR(path.lambda[i][row], force, 1e-9);
      ground += path.lambda[i][row] * path.lambda[i][row];
      own += path.outputs[i][row] * path.outputs[i][row];
    }
    ASSERT_NEAR(own, ground, 1e-11 * ground);
    ASSERT_NEAR(I * path.a[3][row] + (I - J) * path.v[4][row] * path.v[5][row], -path.outputs[2][row], 1e-9);
    ASSERT_NEAR(I * path.a[5][row] + (J - I) * path.v[3][row] * path.v[4][row], path.outputs[0][row], 1e-9);
  }
  // Energy, spin and the angular momentum about the vertical are found and watched.
  std::string conserved;
  for (const ConservedDrift& quantity : path.verdict.conserved) conserved += quantity.name + ";";
  EXPECT_EQ(conserved, "energy;p[top.omega.y];angular momentum of top about z;");
}

// Bodies on a ball joint that hardly turn about the vertical: their momentum about it is a difference of what the other turns
// contribute, and no run is blamed for what is lost of those.
TEST(Quaternion, AMomentumNearZeroIsNoFalseAlarm) {
  const System system = loaded(R"(name = "swing"
coordinates = ["e0", "e1", "e2", "e3"]
gravity = ["0", "0", "-9.81"]
[[frame]]
name = "b"
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "b"
mass = 1.0
frame = "b"
inertia = [0.37, 0.35, 0.3]
com = [0, 0, -0.2]
[initial.position]
e0 = 1
)");
  std::mt19937 random(5);
  std::uniform_real_distribution<double> rate(-3, 3);
  for (const Method method : {Method::kRadau, Method::kDopri5})
    for (int i = 0; i < 10; ++i) {
      const State start{0, {1, 0, 0, 0}, {rate(random), rate(random), 1e-6 * rate(random)}};
      const Trajectory path = integrate(system.dynamics, start, {.until = 3, .rtol = 1e-8, .method = method});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    }
}

// Truth: cases §10, at 1 s published to 5e-7 and recomputed, at 0.2 s and the rates at 1 s recomputed.
TEST(Quaternion, TheHeavyTopOnItsWay) {
  const System system(derive_shipped("heavy-top"));
  const Trajectory path =
      integrate(system.dynamics, system.start(), {.until = 1, .rtol = 1e-11, .atol = 1e-12, .output_step = 0.2});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(path.size(), 6u);
  const double early[4] = {-0.70827915297431256, 0.4387810881265819, 0.54572839614541767, 0.08939975282400501};
  const double published[7] = {0.1733440435722807,  1 - 0.3599112987333657, -0.7484906793466106, 0.7329439942283007,
                               -0.2782856278135421, 0.5318246439927058,     -0.3201761370231893};
  const double recomputed[7] = {0.17334396408398604, 1 - 0.35991140792943122, -0.74849079113358131,
                                0.73294398067966372, -0.27828571933761268,    0.53182461133416262,
                                -0.32017614273624927};
  const double rates[3] = {-0.82207810168270446, 150, -5.9232913481173362};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(path.q[3 + i][1], early[i], path.verdict.error.q[3 + i] + 1e-14);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(path.q[i].back(), recomputed[i], path.verdict.error.q[i] + 1e-14) << i;
    EXPECT_NEAR(path.q[i].back(), published[i], 5e-7) << i;
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(path.v[3 + i].back(), rates[i], path.verdict.error.v[3 + i] + 1e-12);
}

// heavy-top-euler: psi about z, theta about x, phi about y.
std::array<double, 4> attitude(double psi, double theta, double phi) {
  const double a = std::cos(psi / 2), b = std::sin(psi / 2), c = std::cos(theta / 2), d = std::sin(theta / 2),
               e = std::cos(phi / 2), f = std::sin(phi / 2);
  // (a, 0, 0, b)(c, d, 0, 0) = (ac, ad, bd, bc), and that times (e, 0, f, 0).
  return {a * c * e - b * d * f, a * d * e - b * c * f, b * d * e + a * c * f, b * c * e + a * d * f};
}

// ω along the top's axes: (theta', psi' sin theta, psi' cos theta) turned by phi about y, and phi'.
std::array<double, 3> turning(const State& s) {
  const double c = std::cos(s.q[5]), d = std::sin(s.q[5]), up = s.v[3] * std::cos(s.q[4]);
  return {c * s.v[4] - d * up, s.v[5] + s.v[3] * std::sin(s.q[4]), d * s.v[4] + c * up};
}

State by_quaternion(const State& s) {
  const std::array<double, 4> e = attitude(s.q[3], s.q[4], s.q[5]);
  const std::array<double, 3> w = turning(s);
  return {s.t, {s.q[0], s.q[1], s.q[2], e[0], e[1], e[2], e[3]}, {s.v[0], s.v[1], s.v[2], w[0], w[1], w[2]}};
}

// With the angles and their rates held.
State by_angles(const System& system, const std::array<double, 3>& angles, const std::array<double, 3>& rates) {
  State state{0, {0, 1, 0, angles[0], angles[1], angles[2]}, {0, 0, 0, rates[0], rates[1], rates[2]}};
  const std::vector<bool> held{false, false, false, true, true, true};
  Assembly assembly = assemble(system.dynamics, state, {.hold_position = held, .hold_velocity = held});
  EXPECT_TRUE(assembly.ok());
  EXPECT_TRUE(project(system.dynamics, assembly.state).ok);
  return assembly.state;
}

// Truth: the same top by two sets of coordinates: the acceleration of the centre of mass, the joint's force, and ω̇, which
// the chain rule makes of the angles' accelerations. The angles' equations have 1/cos² theta < 10 and rates up to 10.
TEST(Quaternion, TheHeavyTopOfEulersAngles) {
  const System angles(derive_shipped("heavy-top-euler")), quaternion(derive_shipped("heavy-top"));
  std::minstd_rand random(11);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int k = 0; k < 8; ++k) {
    const State state = by_angles(angles, {3 * any(random), 1.2 * any(random), 3 * any(random)},
                                  {5 * any(random), 5 * any(random), 10 * any(random)});
    const KktSolution a = solve_kkt(angles.dynamics, state), q = solve_kkt(quaternion.dynamics, by_quaternion(state));
    ASSERT_EQ(a.status, KktStatus::kOk);
    ASSERT_EQ(q.status, KktStatus::kOk);
    const double c = std::cos(state.q[4]), s = std::sin(state.q[4]), cf = std::cos(state.q[5]),
                 sf = std::sin(state.q[5]);
    const double psi = state.v[3], theta = state.v[4], phi = state.v[5];
    const std::array<double, 3> w = turning(state);
    const double across = a.qdd[4], along = a.qdd[3] * c - psi * theta * s;
    const double wd[3] = {cf * across - sf * along - phi * w[2], a.qdd[5] + a.qdd[3] * s + psi * theta * c,
                          sf * across + cf * along + phi * w[0]};
    double size = 1;
    for (const double x : q.lambda) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(a.qdd[i], q.qdd[i], 1e-11 * size);
      EXPECT_NEAR(a.lambda[i], q.lambda[i], 1e-11 * size);
      EXPECT_NEAR(wd[i], q.qdd[3 + i], 1e-11 * size);
    }
  }
}

// Truth: the same motion from the same start, to what both verdicts vouch for; by angles too the benchmark, cases §10, before
// it comes near the vertical.
TEST(Quaternion, TheHeavyTopRunsAsByEulersAngles) {
  const System angles(derive_shipped("heavy-top-euler")), quaternion(derive_shipped("heavy-top"));
  const State start = angles.start();
  const auto run = [](const System& system, const State& from, double until) {
    Trajectory path =
        integrate(system.dynamics, from, {.until = until, .rtol = 1e-11, .atol = 1e-12, .output_step = 0.2});
    EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    return path;
  };
  const Trajectory a = run(angles, start, 2), q = run(quaternion, by_quaternion(start), 2);
  ASSERT_EQ(a.size(), q.size());
  // Half an angle's error in the quaternion; 3 of three angles'.
  double allowed = 1e-13;
  for (std::size_t i = 0; i < 6; ++i) allowed += a.verdict.error.q[i];
  for (const double error : q.verdict.error.q) allowed += error;
  EXPECT_LT(allowed, 1e-7);
  for (std::size_t row = 0; row < a.size(); ++row) {
    const std::array<double, 4> e = attitude(a.q[3][row], a.q[4][row], a.q[5][row]);
    double sign = 0;  // the two of one attitude
    for (std::size_t i = 0; i < 4; ++i) sign += e[i] * q.q[3 + i][row];
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(q.q[3 + i][row], std::copysign(1, sign) * e[i], allowed);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.q[i][row], q.q[i][row], allowed);
  }
  const Trajectory benchmark = run(angles, by_angles(angles, {0, 0, 0}, {-4.61538, 0, 150}), 0.2);
  const std::array<double, 4> e = attitude(benchmark.q[3].back(), benchmark.q[4].back(), benchmark.q[5].back());
  const double recomputed[4] = {-0.70827915297431256, 0.4387810881265819, 0.54572839614541767, 0.08939975282400501};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(std::abs(e[i]), std::abs(recomputed[i]), allowed);
}

// A base that a joint a tilts, on it a body with a tensor of its own whose attitude against the base is q, on that a
// hinged arm b; gravity, a spring to the ground, a torque, a force and a distance to the ground.
const char* const kChain = R"toml(name = "chain"
gravity = [0.3, 0.2, -9.81]
[[frame]]
name = "base"
origin = [0, 0.2, 1]
rotate = [["x", "a"]]
[[body]]
name = "base"
mass = 2
inertia = [0.4, 0.5, 0.6]
frame = "base"
com = [0.1, 0, 0.2]
[[body]]
name = "middle"
mass = 1.5
inertia = [[0.3, 0.02, -0.03], [0.02, 0.4, 0.01], [-0.03, 0.01, 0.5]]
frame = "middle"
com = [0.1, -0.2, 0.3]
[[frame]]
name = "arm"
parent = "middle"
origin = [0, 0.4, 0.1]
rotate = [[[1, 2, 0], "b"]]
[[body]]
name = "arm"
mass = 0.7
inertia = [0.1, 0.2, 0.2]
frame = "arm"
com = [0.5, 0, 0]
[[point]]
name = "end"
frame = "arm"
at = [1, 0, 0]
[[point]]
name = "anchor"
at = [2, 1, 0]
[[point]]
name = "corner"
frame = "middle"
at = [0.2, 0.3, -0.4]
[[spring]]
between = ["corner", "anchor"]
stiffness = 30
rest = 0.5
[[damper]]
between = ["corner", "anchor"]
damping = 2
[[force]]
body = "middle"
torque = [1, -2, 0.5]
[[force]]
at = "corner"
vector = ["3*a'", 1, "-b'"]
[[constraint]]
name = "rod"
distance = {between = ["end", "anchor"], value = 1.7}
[[constraint]]
name = "skate"
no_skid = {point = "corner", direction = [1, 0, 0]}
frame = "middle"
)toml";

// Truth: the same bodies by three angles, whose equations need no quaternion: ä, b̈, both multipliers, and the energy, at
// random states. The KKT systems have condition numbers below 1e3, so 1e-11.
TEST(Quaternion, EquationsAreThoseOfEulersAngles) {
  const std::string frame = "[[frame]]\nname = \"middle\"\nparent = \"base\"\norigin = [0, \"0.3*a\", 0.5]\n";
  const std::string text(kChain);
  const std::size_t cut = text.find('\n') + 1;
  const std::string top = text.substr(0, cut), rest = text.substr(cut);
  const System by_angles = loaded(top + "coordinates = [\"a\", \"x\", \"y\", \"z\", \"b\"]\n" + rest + frame +
                                  "rotate = [[\"z\", \"x\"], [\"x\", \"y\"], [\"y\", \"z\"]]\n");
  const System by_quaternion = loaded(top + "coordinates = [\"a\", \"e0\", \"e1\", \"e2\", \"e3\", \"b\"]\n" + rest +
                                      frame + "quaternion = [\"e0\", \"e1\", \"e2\", \"e3\"]\n");
  ASSERT_EQ(by_quaternion.dynamics.nv(), 5);
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int k = 0; k < 8; ++k) {
    State angles{0, std::vector<double>(5), std::vector<double>(5)};
    for (double& x : angles.q) x = any(random);
    for (double& x : angles.v) x = 2 * any(random);
    const double x = angles.q[1], y = angles.q[2], z = angles.q[3];
    const double cx = std::cos(x / 2), sx = std::sin(x / 2), cy = std::cos(y / 2), sy = std::sin(y / 2),
                 cz = std::cos(z / 2), sz = std::sin(z / 2);
    // (cx, 0, 0, sx)(cy, sy, 0, 0) = (cx cy, cx sy, sx sy, sx cy), and that times (cz, 0, sz, 0).
    const double p0 = cx * cy, p1 = cx * sy, p2 = sx * sy, p3 = sx * cy;
    const std::array<double, 4> e{p0 * cz - p2 * sz, p1 * cz - p3 * sz, p2 * cz + p0 * sz, p3 * cz + p1 * sz};
    // ω along the body's axes: (ẏ, ẋ sin y, ẋ cos y) turned by z about y, and ż.
    const double wx = angles.v[2], wy = angles.v[1] * std::sin(y), wz = angles.v[1] * std::cos(y);
    const State quaternion{0,
                           {angles.q[0], e[0], e[1], e[2], e[3], angles.q[4]},
                           {angles.v[0], std::cos(z) * wx - std::sin(z) * wz, wy + angles.v[3],
                            std::sin(z) * wx + std::cos(z) * wz, angles.v[4]}};
    const KktSolution a = solve_kkt(by_angles.dynamics, angles), q = solve_kkt(by_quaternion.dynamics, quaternion);
    ASSERT_EQ(a.status, KktStatus::kOk);
    ASSERT_EQ(q.status, KktStatus::kOk);
    const double size = 1 + std::abs(a.qdd[0]) + std::abs(a.qdd[4]) + std::abs(a.lambda[0]) + std::abs(a.lambda[1]);
    EXPECT_NEAR(q.qdd[0], a.qdd[0], 1e-11 * size);
    EXPECT_NEAR(q.qdd[4], a.qdd[4], 1e-11 * size);
    EXPECT_NEAR(q.lambda[0], a.lambda[0], 1e-11 * size);
    EXPECT_NEAR(q.lambda[1], a.lambda[1], 1e-11 * size);
  }
}

constexpr const char* kTop = R"toml(name = "top"
coordinates = ["e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[[frame]]
name = "top"
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "top"
mass = 2
inertia = [0.1, 0.1, 0.2]
frame = "top"
com = [0, 0, 0.3]
[outputs]
height = "top.R[3,3]"
[initial]
position = {e0 = 0.6, e1 = 0.8}
)toml";

// Truth: without spin the top is a pendulum in the plane x = 0, and swings through the lowest point, where Euler's angles
// have no rates: 3 of its period later ω is what the energy says, ½ (I + m s²) ω² + m g s cos θ.
TEST(Quaternion, NoAttitudeIsSingular) {
  const System system = loaded(kTop);
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 3, .rtol = 1e-10});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  double lowest = 1;
  for (std::size_t row = 0; row < path.size(); ++row) {
    const double c = 1 - 2 * path.q[1][row] * path.q[1][row], w = path.v[0][row];
    lowest = std::min(lowest, c);
    EXPECT_NEAR((0.1 + 2 * 0.09) * w * w / 2, 2 * 9.81 * 0.3 * (1 - 2 * 0.64 - c), 1e-8);
    EXPECT_EQ(path.q[2][row], 0);
  }
  EXPECT_LT(lowest, -0.99);
  EXPECT_EQ(path.series("v/top.omega.x").size(), path.size());
}

// Truth: Euler's equations. A top that is stated by its energy, in angular velocities, moves as the same top that is a body, and its
// outputs are the velocities of the motion; a gear that couples its spin to a sliding mass is a Pfaffian constraint in them.
TEST(Quaternion, AngularVelocitiesStandInFormulas) {
  const std::string head = R"toml(
coordinates = [{name = "x", unit = "m"}, "e0", "e1", "e2", "e3"]
[parameters]
m = "2 kg"
J = "0.2 kg*m^2"
K = "0.3 kg*m^2"
r = "0.1 m"
[[frame]]
name = "top"
quaternion = ["e0", "e1", "e2", "e3"]
[[constraint]]
name = "gear"
pfaffian = "x' - r*top.omega.z"
[initial]
velocity = {"top.omega.x" = 1, "top.omega.z" = 2}
guess = {"top.omega.y" = 0.5}
[outputs]
a = "top.omega.x"
b = "top.omega.y"
c = "top.omega.z"
work = "dot(top.omega.x)"
[energy]
)toml";
  const System by_energy =
      loaded(head + "kinetic = \"m*x'^2/2 + J/2*(top.omega.x^2 + top.omega.y^2) + K/2*top.omega.z^2\"\n");
  const System by_body = loaded(head + R"toml(kinetic = "m*x'^2/2"
[[body]]
name = "top"
frame = "top"
mass = 0
inertia = ["J", "J", "K"]
)toml");
  const IntegrateOptions options{.until = 2, .rtol = 1e-11};
  const Trajectory path = integrate(by_energy.dynamics, by_energy.start(), options),
                   other = integrate(by_body.dynamics, by_body.start(), options);
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(other.status, RunStatus::kOk) << other.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  for (std::size_t row = 0; row < path.size(); ++row) {
    EXPECT_NEAR(path.v[0][row], 0.1 * path.v[3][row], 1e-14);
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(path.outputs[axis][row], path.v[1 + axis][row], 1e-14) << row << " " << axis;
    EXPECT_NEAR(path.outputs[3][row], path.a[1][row], 1e-13) << row;
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(path.final_state().v[i], other.final_state().v[i], 1e-10);
}

// Truth: explain E0251 and W0105.
TEST(Quaternion, StartsAreOfNormOne) {
  const auto start = [](const std::string& position) {
    std::string text = kTop;
    text.replace(text.find("{e0 = 0.6, e1 = 0.8}"), 20, position);
    return load_model(make_source("top.toml", text));
  };
  const Result<Model> zero = start("{e0 = 0, e1 = 0}");
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.diagnostics()[0].code, "E0251");
  const Result<Model> doubled = start("{e1 = 1.2, e0 = 1.6}");
  ASSERT_TRUE(doubled) << render(doubled.diagnostics());
  ASSERT_EQ(doubled.diagnostics().size(), 1u);
  EXPECT_EQ(doubled.diagnostics()[0].code, "W0105");
  const State state = initial_state(*doubled);
  EXPECT_NEAR(norm_of(state.q, 0), 1, 1e-15);
  EXPECT_NEAR(state.q[1], 0.6, 1e-15);
  // A norm that differs from 1 is not shown as 1: √(0.64 + 0.36 + 2e-10) = 1 + 1e-10.
  const Result<Model> nearly = start("{e0 = 0.8, e1 = 0.600000000166667}");
  ASSERT_TRUE(nearly) << render(nearly.diagnostics());
  EXPECT_THAT(nearly.diagnostics()[0].message, testing::HasSubstr("initial norm 1.0000000001:"));
  // A half turn, without a word about the scalar.
  const Result<Model> half = start("{e3 = 1}");
  ASSERT_TRUE(half) << render(half.diagnostics());
  EXPECT_EQ(initial_state(*half).q, (std::vector<double>{0, 0, 0, 1}));
}

// Truth: the file's frame in C++.
TEST(Quaternion, StatedInCode) {
  auto model = std::make_shared<Model>("top");
  std::vector<Coordinate> e;
  for (const char* name : {"e0", "e1", "e2", "e3"}) e.push_back(model->coordinate(name));
  model->gravity({0, 0, -9.81});
  const Frame frame = model->frame("top", {.quaternion = e});
  model->body("top", {.mass = 2, .inertia = {0.1, 0.1, 0.2}, .frame = frame, .com = {0, 0, 0.3}});
  ASSERT_TRUE(model->diagnostics().empty()) << render(model->diagnostics());
  const System stated(value_of(derive(model))), read = loaded(kTop);
  const State state{0, {0.1, 0.7, -0.5, 0.5}, {1, -2, 30}};
  EXPECT_EQ(solve_kkt(stated.dynamics, state).qdd, solve_kkt(read.dynamics, state).qdd);
  // Coordinates that do not follow each other, or belong to another frame.
  model->frame("other", {.quaternion = {e[0], e[2], e[1], e[3]}});
  model->frame("another", {.quaternion = e});
  ASSERT_EQ(model->diagnostics().size(), 2u) << render(model->diagnostics());
  EXPECT_EQ(model->diagnostics()[0].code + model->diagnostics()[1].code, "E0251E0251");
}

}  // namespace
}  // namespace dalembert

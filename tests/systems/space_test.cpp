// SPDX-License-Identifier: Apache-2.0
// Bodies in space from frames: model file → derive → compile → assemble → integrate.
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using V3 = std::array<double, 3>;
using M3 = std::array<V3, 3>;

V3 operator+(const V3& a, const V3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
V3 operator*(double s, const V3& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const V3& a, const V3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
V3 cross(const V3& a, const V3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
V3 operator*(const M3& A, const V3& v) { return {dot(A[0], v), dot(A[1], v), dot(A[2], v)}; }
M3 operator*(const M3& A, const M3& B) {
  M3 C{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) C[i][j] += A[i][k] * B[k][j];
  return C;
}
M3 transposed(const M3& A) {
  M3 B{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) B[i][j] = A[j][i];
  return B;
}

// Inverse dynamics of the arm by Newton's and Euler's equations, link by link along the ground's axes: no energies, no
// derivatives. Parameters as in models/ur5.toml.
std::array<double, 6> newton_euler(const std::vector<double>& q, const std::vector<double>& qd,
                                   const std::vector<double>& qdd) {
  struct Link {
    double a, d, alpha, mass;
    V3 com;
    M3 inertia;
  };
  const auto diagonal = [](double x, double y, double z) { return M3{V3{x, 0, 0}, V3{0, y, 0}, V3{0, 0, z}}; };
  const double right = M_PI / 2;
  const std::array<Link, 6> links{{
      {0, 0.089159, right, 3.7, {0, -0.02561, 0.00193}, diagonal(0.0067, 0.0064, 0.0067)},
      {-0.425, 0, 0, 8.393, {0.2125, 0, 0.11336}, diagonal(0.0149, 0.3564, 0.3553)},
      {-0.39225, 0, 0, 2.33, {0.15, 0, 0.0265}, M3{V3{0.0025, 0, 0.0034}, V3{0, 0.0551, 0}, V3{0.0034, 0, 0.0546}}},
      {0, 0.10915, right, 1.219, {0, -0.0018, 0.01634}, diagonal(0.0012, 0.0012, 0.0009)},
      {0, 0.09465, -right, 1.219, {0, 0.0018, 0.01634}, diagonal(0.0012, 0.0012, 0.0009)},
      {0, 0.0823, 0, 0.1879, {0, 0, -0.001159}, diagonal(0.0001, 0.0001, 0.0001)},
  }};
  M3 R = diagonal(1, 1, 1);
  V3 o{}, w{}, wd{}, acceleration{0, 0, 9.81};  // of the origin; the ground rises instead of gravity
  std::array<V3, 6> joint{}, axis{}, force{}, couple{}, centre{};
  for (std::size_t i = 0; i < 6; ++i) {
    const Link& link = links[i];
    axis[i] = {R[0][2], R[1][2], R[2][2]};
    joint[i] = o;
    wd = wd + qdd[i] * axis[i] + qd[i] * cross(w, axis[i]);
    w = w + qd[i] * axis[i];
    const double c = std::cos(q[i]), s = std::sin(q[i]), ca = std::cos(link.alpha), sa = std::sin(link.alpha);
    const V3 step = R * V3{link.a * c, link.a * s, link.d};
    R = R * M3{V3{c, -s * ca, s * sa}, V3{s, c * ca, -c * sa}, V3{0, sa, ca}};
    o = o + step;
    acceleration = acceleration + cross(wd, step) + cross(w, cross(w, step));
    const V3 r = R * link.com;
    centre[i] = o + r;
    force[i] = link.mass * (acceleration + cross(wd, r) + cross(w, cross(w, r)));
    const M3 I = R * link.inertia * transposed(R);
    couple[i] = I * wd + cross(w, I * w);
  }
  std::array<double, 6> torque{};
  for (std::size_t i = 0; i < 6; ++i) {
    V3 moment{};
    for (std::size_t k = i; k < 6; ++k) moment = moment + couple[k] + cross(centre[k] + -1. * joint[i], force[k]);
    torque[i] = dot(axis[i], moment);
  }
  return torque;
}

// Truth: Newton's and Euler's equations above. Some hundred operations on numbers up to 30 leave less than 1e-12.
TEST(Space, AnArmOfSixAxesObeysNewtonAndEuler) {
  const System system(derive_shipped("ur5"));
  Workspace workspace(system.dynamics);
  const State start = system.start();
  for (int k = 0; k < 4; ++k) {
    State state = start;
    for (std::size_t i = 0; i < 6; ++i) {
      state.q[i] += 0.9 * k * (i % 2 ? 1 : -1);
      state.v[i] *= 1 + k;
    }
    const KktSolution now = solve_kkt(system.dynamics, state);
    ASSERT_EQ(now.status, KktStatus::kOk);
    const std::array<double, 6> torque = newton_euler(state.q, state.v, now.qdd);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(torque[i], 0, 1e-12 * (1 + 9 * k)) << i;
  }
}

// Truth: the last link is the same all round its axis, so no energy knows its angle; and the recursion of geometry.h
// costs the same for every further frame, where velocities from places along the ground's axes cost as many as there
// are frames before.
TEST(Space, VelocitiesGoFromJointToJoint) {
  const Equations arm = derive_shipped("ur5");
  EXPECT_TRUE(gradient(arm.T, std::array{arm.q[5]})[0].is_zero());
  const auto nodes_of_chain = [](int frames) {
    Model model;
    Frame last;
    for (int i = 0; i < frames; ++i) {
      const Coordinate q = model.coordinate("q" + std::to_string(i));
      last = model.frame("f" + std::to_string(i),
                         {.parent = last, .origin = {1, 2, 3}, .rotate = {{i % 2 ? 'x' : 'y', q}}});
      model.body("b" + std::to_string(i), {.mass = 2, .inertia = {3, 4, 5}, .frame = last, .com = {1, 1, 0}});
    }
    EXPECT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
    return static_cast<int>(reachable(std::array{model.T}).size());
  };
  const int more = nodes_of_chain(12) - nodes_of_chain(8);
  EXPECT_EQ(nodes_of_chain(32) - nodes_of_chain(28), more);
  EXPECT_LT(more, 4 * 100);
}

// Truth: cases §16, fifteen digits of sympy's test_kane5: ω along the disk's axes and its rate, the velocity of the
// contact. Printed digits leave 5e-15 of numbers up to 3, and states of fifteen digits as much.
TEST(Space, ATiltedDiskRolls) {
  const System system(derive_shipped("rolling-disk"));
  ASSERT_EQ(system.equations.rows, (std::vector<std::string>{"roll.x", "roll.y"}));
  const double lean = 0.1, spin = 1.97;
  const double psi_d = 0.126603940595934, lean_d = 0.215942571601660, spin_d = 1.28736069604936;
  State state{0, {0, 0, 0.3, lean, spin}, {0, 0, psi_d, lean_d, spin_d}};
  const Assembly assembly =
      assemble(system.dynamics, state,
               {.hold_position = std::vector<bool>(5, true), .hold_velocity = {false, false, true, true, true}});
  ASSERT_TRUE(assembly.ok());
  const KktSolution now = solve_kkt(system.dynamics, assembly.state);
  const double psi_dd = now.qdd[2], lean_dd = now.qdd[3], spin_dd = now.qdd[4];
  // Along the axes that do not spin with the disk, (lean', spin' + psi' sin lean, psi' cos lean), then turned about y.
  const double c = std::cos(spin), s = std::sin(spin), cl = std::cos(lean), sl = std::sin(lean);
  const V3 w{lean_d, spin_d + psi_d * sl, psi_d * cl};
  const V3 wd{lean_dd, spin_dd + psi_dd * sl + psi_d * lean_d * cl, psi_dd * cl - psi_d * lean_d * sl};
  const V3 body{c * w[0] - s * w[2], w[1], s * w[0] + c * w[2]};
  const V3 rate{c * wd[0] - s * wd[2] - spin_d * body[2], wd[1], s * wd[0] + c * wd[2] + spin_d * body[0]};
  const V3 given{-0.2, 1.3, 0.15}, published{-0.925848952664489, -0.0181350656532944, 2.91695398184589};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(body[i], given[i], 2e-14);
    EXPECT_NEAR(rate[i], published[i], 5e-14);
  }
  // The contact: ẋ_c = ẋ − d/dt (r sin lean sin psi), ẏ_c = ẏ + d/dt (r sin lean cos psi).
  const double r = system.parameter("r"), cp = std::cos(0.3), sp = std::sin(0.3);
  EXPECT_NEAR(assembly.state.v[0] - r * (cl * lean_d * sp + sl * psi_d * cp), 0.319764288376543, 5e-15);
  EXPECT_NEAR(assembly.state.v[1] + r * (cl * lean_d * cp - sl * psi_d * sp), 0.0989146857254898, 5e-15);
  // Once more: (sin lean sin psi)'' and (sin lean cos psi)''.
  const double up = cl * lean_dd - sl * lean_d * lean_d, both = 2 * cl * lean_d * psi_d;
  const double x = up * sp + both * cp + sl * (psi_dd * cp - psi_d * psi_d * sp);
  const double y = up * cp - both * sp - sl * (psi_dd * sp + psi_d * psi_d * cp);
  EXPECT_NEAR(now.qdd[0] - r * x, -0.00992793421754526, 5e-14);
  EXPECT_NEAR(now.qdd[1] + r * y, 0.0412861634829171, 5e-14);
}

// Truth: cases §16: upright, a small lean obeys β̈ = λ² β with λ² = (I_t m g r − J (J + m r²) w²)/(I_t (I_t + m r²)), which
// changes its sign at v = w r = √(g r/3); by differences of step 1e-4, whose error is 1e-8 of third derivatives below 300.
TEST(Space, ARollingDiskStandsAboveItsCriticalSpeed) {
  const System system(derive_shipped("rolling-disk"));
  const double m = system.parameter("m"), r = system.parameter("r"), g = system.parameter("g");
  const double It = m * r * r / 4, J = m * r * r / 2, critical = std::sqrt(g / (3 * r));
  const auto accelerations = [&](double lean, double lean_d, double psi_d, double w) {
    const State state{0, {0, 0, 0, lean, 0}, {0, 0, psi_d, lean_d, w}};
    const Assembly assembly =
        assemble(system.dynamics, state,
                 {.hold_position = std::vector<bool>(5, true), .hold_velocity = {false, false, true, true, true}});
    EXPECT_TRUE(assembly.ok());
    return solve_kkt(system.dynamics, assembly.state).qdd;
  };
  for (const double ratio : {0.8, 1.0, 1.6}) {
    const double w = ratio * critical, e = 1e-4;
    const auto slope = [&](auto&& at, std::size_t which) { return (at(e)[which] - at(-e)[which]) / (2 * e); };
    // β̈ = a β + b ψ̇ and ψ̈ = c β̇: ψ̇ = c β + a constant.
    const double a = slope([&](double x) { return accelerations(x, 0, 0, w); }, 3);
    const double b = slope([&](double x) { return accelerations(0, 0, x, w); }, 3);
    const double c = slope([&](double x) { return accelerations(0, x, 0, w); }, 2);
    const double expected = (It * m * g * r - J * (J + m * r * r) * w * w) / (It * (It + m * r * r));
    EXPECT_NEAR(a + b * c, expected, 1e-5) << ratio;
    if (ratio == 1.0) {
      EXPECT_NEAR(a + b * c, 0, 1e-5);
    }
  }
}

// Truth: cases §16 again, by linearize: upright there is one pair of eigenvalues ±Λ and nothing else but zeros, so Λ² = tr A²/2,
// of a homogeneous disk and of a hoop; 0 at v = √(g r/3) and √(g r/4), ±8.23, −35.66 and so on at 0.8 and 1.6 of it.
TEST(Space, ARollingDiskLinearisedStandsAboveItsCriticalSpeed) {
  struct Figure {
    double ratio, disk, hoop;
  };
  for (const bool hoop : {false, true}) {
    std::vector<std::pair<std::string, std::string>> changes;
    if (hoop) changes.push_back({R"(["m*r^2/4", "m*r^2/2", "m*r^2/4"])", R"(["m*r^2/2", "m*r^2", "m*r^2/2"])"});
    const System system = modified("rolling-disk", changes, {"m=2 kg", "r=0.343 m", "g=9.8 m/s^2"});
    const EquationDerivatives derivatives(system.equations);
    const double m = 2, r = 0.343, g = 9.8, J = (hoop ? 1 : 0.5) * m * r * r, It = J / 2;
    const double critical = std::sqrt(g / (r * (hoop ? 4 : 3)));
    EXPECT_NEAR(J * (J + m * r * r) * critical * critical, It * m * g * r, 1e-15);
    for (const Figure& figure : {Figure{0.8, 8.22857143, 6.85714286}, {1, 0, 0}, {1.6, -35.65714286, -29.71428571}}) {
      const double w = figure.ratio * critical;
      const State state{0, {0, 0, 0.4, 0, 0}, {w * r * std::cos(0.4), w * r * std::sin(0.4), 0, 0, w}};
      const Result<LinearMotion> motion = linearize({&system.dynamics, &derivatives}, state);
      ASSERT_TRUE(motion.ok()) << render(motion.diagnostics());
      EXPECT_EQ(motion->kind, MotionKind::kSteadyMotion);
      double square = 0;
      for (std::size_t i = 0; i < motion->A.rows; ++i)
        for (std::size_t k = 0; k < motion->A.rows; ++k) square += motion->A(i, k) * motion->A(k, i) / 2;
      EXPECT_NEAR(square, (It * m * g * r - J * (J + m * r * r) * w * w) / (It * (It + m * r * r)), 1e-11);
      EXPECT_NEAR(square, hoop ? figure.hoop : figure.disk, 6e-9);
    }
  }
}

// Truth: cases §16, a steady turn: (J + m r²) w₃ Ω cos β − I_t Ω² sin β cos β + m g r sin β = 0 with w₃ = φ̇ + Ω sin β.
// Round-off of the KKT solve, with numbers up to 100, is below 1e-12.
TEST(Space, ADiskTurnsSteadily) {
  const System system(derive_shipped("rolling-disk"));
  const double m = system.parameter("m"), r = system.parameter("r"), g = system.parameter("g");
  const double It = m * r * r / 4, J = m * r * r / 2, turn = 1.3, lean = 0.25;
  const double c = std::cos(lean), s = std::sin(lean);
  const double w3 = (It * turn * turn * s * c - m * g * r * s) / ((J + m * r * r) * turn * c);
  const State state{0, {0, 0, 0.4, lean, 0}, {0, 0, turn, 0, w3 - turn * s}};
  const Assembly assembly =
      assemble(system.dynamics, state,
               {.hold_position = std::vector<bool>(5, true), .hold_velocity = {false, false, true, true, true}});
  ASSERT_TRUE(assembly.ok());
  const KktSolution now = solve_kkt(system.dynamics, assembly.state);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_NEAR(now.qdd[i], 0, 1e-12) << i;
}

// Truth: the energy of a run that rolls is constant; the verdict's limit. The rim's lowest point chooses its side by the
// sign of cos lean: a run begins with it (the start is consistent) and keeps it.
TEST(Space, ADiskRollsOn) {
  const System system(derive_shipped("rolling-disk"));
  for (const double lean : {0.2, 0.2 - M_PI}) {
    State state = system.start();
    state.q[3] = lean;
    const Assembly assembly =
        assemble(system.dynamics, state,
                 {.hold_position = std::vector<bool>(5, true), .hold_velocity = {false, false, true, true, true}});
    ASSERT_TRUE(assembly.ok());
    const Trajectory path = integrate(system.dynamics, assembly.state, {.until = 0.1, .rtol = 1e-9});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  }
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Friction in the plane of a contact in space: closed forms, a frame turned about the normal, and a projected iteration for random corners.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "dalembert/integrate/integrate.h"
#include "systems/ball_on_table.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using Eigen::Vector3d;

constexpr double kFall = 9.81;

// The start of the struck ball.
State struck_ball(const System& system) { return {system.guess.t, kStruckPosition, kStruckVelocity}; }

// It slides until 2 v_s/(7 μ g), on a parabola, for the direction of its sliding stays; then it rolls straight on with v − 2/7 v_s.
// The spin about the normal does nothing. (Coriolis, Théorie mathématique des effets du jeu de billard, 1835.)
TEST(FrictionInSpace, AStruckBallSlidesOnAParabolaAndThenRollsStraightOn) {
  const System system = loaded(ball_on_table("friction = \"mu\"\n"));
  const double stop = 2 * 2 / (7 * 0.2 * kFall);
  const Trajectory path = integrate(system.dynamics, struck_ball(system), {.until = 1, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  ASSERT_EQ(path.events.size(), 2u);
  EXPECT_EQ(path.events[1].kind, RunEventKind::kStick);
  EXPECT_EQ(path.events[1].name, "table sticks");
  EXPECT_NEAR(path.events[1].t, stop, 1e-12);
  const double a = 0.2 * kFall, t = 1;
  EXPECT_NEAR(path.v[0].back(), 1 - 0.8 * a * stop, 1e-11);
  EXPECT_NEAR(path.v[1].back(), -0.6 * a * stop, 1e-11);
  EXPECT_NEAR(path.q[0].back(), t - 0.8 * a * stop * (t - stop / 2), 1e-11);
  EXPECT_NEAR(path.q[1].back(), -0.6 * a * stop * (t - stop / 2), 1e-11);
}

// Whichever perpendicular directions state the friction, the motion is one: friction is the same in all directions of the plane.
TEST(FrictionInSpace, TheDirectionsInThePlaneDoNotMatter) {
  const System axes = loaded(ball_on_table("friction = \"mu\"\n")), turned = loaded(ball_on_table(R"toml(
[[friction]]
name = "felt"
normal = "lambda(table)"
velocity = ["cos(beta)*(x' - r*(2*(e0*e2' - e2*e0' + e3*e1' - e1*e3'))) + sin(beta)*(y' + r*(2*(e0*e1' - e1*e0' + e2*e3' - e3*e2')))",
            "-sin(beta)*(x' - r*(2*(e0*e2' - e2*e0' + e3*e1' - e1*e3'))) + cos(beta)*(y' + r*(2*(e0*e1' - e1*e0' + e2*e3' - e3*e2')))"]
coefficient = "mu"
)toml"));
  const Trajectory one = integrate(axes.dynamics, struck_ball(axes), {.until = 0.5, .rtol = 1e-11}),
                   other = integrate(turned.dynamics, struck_ball(turned), {.until = 0.5, .rtol = 1e-11});
  ASSERT_EQ(one.status, RunStatus::kOk) << one.reason;
  ASSERT_EQ(other.status, RunStatus::kOk) << other.reason;
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(one.q[i].back(), other.q[i].back(), 1e-10) << i;
  EXPECT_NEAR(std::hypot(one.friction[0].front(), one.friction[1].front()), 0.2 * 0.2 * kFall, 1e-14);
  EXPECT_NEAR(std::hypot(other.friction[0].front(), other.friction[1].front()), 0.2 * 0.2 * kFall, 1e-14);
}

// At an impact the ball slips if μ (1 + e) v_n is less than 2/7 of the sliding speed: its percussion has the length μ Λ_n. Else it takes the
// velocity of rolling.
TEST(FrictionInSpace, APercussionSlipsOrSticks) {
  for (const double mu : {0.1, 0.9}) {
    const System system = loaded(ball_on_table("friction = \"mu\"\n"));
    const Dynamics dynamics = system.dynamics.with_parameters({0.2, 0.03, mu, 0.8, 0.7});
    State start = struck_ball(system);
    start.q[2] = 0.03 + 1 / (2 * kFall);  // it arrives with 1 m/s
    const Trajectory path = integrate(dynamics, start, {.until = 1 / kFall + 0.01});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    ASSERT_EQ(path.events.size(), 1u);
    const double change = std::min(mu * 1.8, 2.0 / 7 * 2);
    EXPECT_NEAR(path.v[0].back(), 1 - 0.8 * change, 1e-12) << mu;
    EXPECT_NEAR(path.v[1].back(), -0.6 * change, 1e-12) << mu;
  }
}

std::string block(const std::string& forces) {
  return R"toml(name = "block"
coordinates = [{name="x", unit="m"}, {name="y", unit="m"}, {name="z", unit="m"}]
gravity = ["g*sin(alpha)", 0, "-g*cos(alpha)"]
[parameters]
g = "9.81 m/s^2"
alpha = "20 deg"
mu = 0.5
mu_s = 0.6
c = "3 N/s"
[[point]]
name = "P"
at = ["x", "y", "z"]
[[point]]
name = "O"
at = [0, 0, 0]
[[body]]
name = "block"
mass = "1 kg"
position = ["x", "y", "z"]
[[constraint]]
name = "floor"
contact = {point = "P", above = "O", normal = [0, 0, 1]}
[[friction]]
name = "rough"
normal = "lambda(floor)"
velocity = ["x'", "y'"]
coefficient = "mu"
static = "mu_s"
)toml" + forces;
}

// A point that slides across an incline turns downhill while it slows down. With κ = μ/tan α > 1 and ψ from the direction downhill, its speed is
// v₀ tan(ψ/2)^κ/sin ψ from ψ = 90° on: it stops at t = v₀ κ/(g sin α (κ² − 1)), x = v₀²/(4 g sin α (κ² − 1)), y = 2 v₀² κ/(g sin α (4 κ² − 1)).
TEST(FrictionInSpace, AcrossAnInclineTheSlidingTurnsDownhill) {
  const System system = loaded(block(""));
  const double g = kFall * std::sin(20 * std::numbers::pi / 180), k = 0.5 / std::tan(20 * std::numbers::pi / 180),
               v = 2;
  for (const Method method : kMethods) {
    const Trajectory path =
        integrate(system.dynamics, {0, {0, 0, 0}, {0, v, 0}}, {.until = 1.5, .rtol = 1e-11, .method = method});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    ASSERT_EQ(path.events.size(), 2u);
    EXPECT_NEAR(path.events.back().t, v * k / (g * (k * k - 1)), 1e-9);
    EXPECT_NEAR(path.q[0].back(), v * v / (4 * g * (k * k - 1)), 1e-9);
    EXPECT_NEAR(path.q[1].back(), 2 * v * v * k / (g * (4 * k * k - 1)), 1e-9);
    EXPECT_NEAR(path.friction[0].back(), g, 1e-13);  // what holds it there
    EXPECT_NEAR(path.friction[1].back(), 0, 1e-13);
  }
}

// A force that grows and turns pulls a block that sticks. It breaks loose where the length of the force is μ_s N, and slides along the force
// at first: the motion after that is that of classical Runge–Kutta steps with the law of sliding.
TEST(FrictionInSpace, WhatSticksBreaksLooseAlongTheForceThatHeldIt) {
  const System system = loaded(block(R"toml([[force]]
at = "P"
vector = ["c*t", "2 N", 0]
)toml"));
  const Dynamics dynamics = system.dynamics.with_parameters({kFall, 0, 0.5, 0.6, 3});
  const double begin = std::sqrt(std::pow(0.6 * kFall, 2) - 4) / 3, end = begin + 0.5;
  const Trajectory path = integrate(dynamics, {0, {0, 0, 0}, {0, 0, 0}}, {.until = end, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(path.events.size(), 2u);
  EXPECT_EQ(path.events[1].name, "rough slides");
  EXPECT_NEAR(path.events[1].t, begin, 1e-12);
  using Eigen::Vector4d;
  const auto rate = [&](double t, const Vector4d& y) -> Vector4d {
    const Eigen::Vector2d force(3 * t, 2), v = y.tail<2>();
    const Eigen::Vector2d d = v.norm() > 0 ? v.normalized() : force.normalized();
    Vector4d slope;
    slope << v, force - 0.5 * kFall * d;
    return slope;
  };
  // The direction turns quickly at first: steps in proportion to the time since the begin.
  Vector4d y = Vector4d::Zero();
  const Eigen::Vector2d first(3 * begin, 2);
  double s = 1e-9;
  y.tail<2>() = first.normalized() * (first.norm() - 0.5 * kFall) * s;
  while (s < 0.5) {
    const double h = std::min(s * 0.01, 0.5 - s), t = begin + s;
    const Vector4d k1 = rate(t, y), k2 = rate(t + h / 2, y + h / 2 * k1), k3 = rate(t + h / 2, y + h / 2 * k2),
                   k4 = rate(t + h, y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    s = s + h >= 0.5 ? 0.5 : s + h;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(path.q[i].back(), y[static_cast<int>(i)], 1e-9) << i;
    EXPECT_NEAR(path.v[i].back(), y[2 + static_cast<int>(i)], 1e-8) << i;
  }
}

// With equal coefficients it breaks loose without acceleration. Pulled along a line it goes as c (t − t₀)³/6; where the pull turns as well, the
// direction of the sliding is that of the pull at first, and methods that have nothing in common agree.
TEST(FrictionInSpace, WhatBreaksLooseWithoutAccelerationFindsItsDirection) {
  const std::string along = R"toml([[force]]
at = "P"
vector = ["0.6*c*t", "0.8*c*t", 0]
)toml";
  const System straight = loaded(block(along));
  const double begin = 0.5 * kFall / 3, end = begin + 0.7;
  const Trajectory line =
      integrate(straight.dynamics.with_parameters({kFall, 0, 0.5, 0.5, 3}), {0, {0, 0, 0}, {0, 0, 0}}, {.until = end});
  ASSERT_EQ(line.status, RunStatus::kOk) << line.reason;
  EXPECT_NEAR(line.q[0].back(), 0.6 * 3 * std::pow(0.7, 3) / 6, 1e-10);
  EXPECT_NEAR(line.q[1].back(), 0.8 * 3 * std::pow(0.7, 3) / 6, 1e-10);
  const System turning = loaded(block("[[force]]\nat = \"P\"\nvector = [\"c*t\", \"2 N\", 0]\n"));
  const Dynamics dynamics = turning.dynamics.with_parameters({kFall, 0, 0.5, 0.5, 3});
  std::vector<std::array<double, 2>> ends;
  for (const Method method : kMethods) {
    const Trajectory path = integrate(dynamics, {0, {0, 0, 0}, {0, 0, 0}}, {.until = 2.5, .method = method});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_NEAR(path.q[0].back(), ends.empty() ? path.q[0].back() : ends.front()[0], 1e-8);
    EXPECT_NEAR(path.q[1].back(), ends.empty() ? path.q[1].back() : ends.front()[1], 1e-8);
    ends.push_back({path.q[0].back(), path.q[1].back()});
  }
  EXPECT_NEAR(ends.front()[0], 0.45443, 1e-5);
}

// A plate on three feet slides and turns. Its normal forces balance the moments of friction; the motion in the plane is that of classical
// Runge–Kutta steps.
TEST(FrictionInSpace, APlateOnThreeFeetSlidesAndTurns) {
  const double m = 2, a = 0.2, height = 0.05, mu = 0.3, end = 0.42;
  const System system = loaded(R"toml(name = "plate"
coordinates = [{name="x", unit="m"}, {name="y", unit="m"}, {name="z", unit="m"}, "e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[parameters]
a = "0.2 m"
[[frame]]
name = "plate"
origin = ["x", "y", "z"]
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "plate"
mass = "2 kg"
inertia = ["2 kg*a^2/4", "2 kg*a^2/4", "2 kg*a^2/2"]
frame = "plate"
[[point]]
name = "O"
at = [0, 0, 0]
[[point]]
for = "k in 0..2"
name = "P{k}"
frame = "plate"
at = ["a*cos(2*pi*k/3)", "a*sin(2*pi*k/3)", "-0.05 m"]
[[constraint]]
for = "k in 0..2"
name = "foot{k}"
contact = {point = "P{k}", above = "O", normal = [0, 0, 1]}
frame = "plate"
friction = 0.3
)toml");
  const auto acceleration = [&](const std::array<double, 6>& y) {
    Eigen::Matrix3d balance;
    std::array<Eigen::Vector2d, 3> arm, d;
    for (int k = 0; k < 3; ++k) {
      const std::size_t i = static_cast<std::size_t>(k);
      const double angle = y[2] + 2 * std::numbers::pi * k / 3;
      arm[i] = a * Eigen::Vector2d(std::cos(angle), std::sin(angle));
      d[i] = Eigen::Vector2d(y[3] - y[5] * arm[i][1], y[4] + y[5] * arm[i][0]).normalized();
      balance.col(k) = Vector3d(1, arm[i][1] - height * mu * d[i][1], height * mu * d[i][0] - arm[i][0]);
    }
    const Vector3d N = balance.fullPivLu().solve(Vector3d(m * kFall, 0, 0));
    Vector3d force = Vector3d::Zero();
    for (std::size_t i = 0; i < 3; ++i)
      force -= mu * N[static_cast<int>(i)] * Vector3d(d[i][0], d[i][1], arm[i][0] * d[i][1] - arm[i][1] * d[i][0]);
    return std::array<double, 6>{y[3], y[4], y[5], force[0] / m, force[1] / m, force[2] / (m * a * a / 2)};
  };
  std::array<double, 6> y{0, 0, 0, 1, 0, 6};
  const int steps = 4000;
  const double h = end / steps;
  for (int step = 0; step < steps; ++step) {
    const auto beside = [&](const std::array<double, 6>& slope, double by) {
      std::array<double, 6> moved = y;
      for (std::size_t i = 0; i < 6; ++i) moved[i] += by * slope[i];
      return acceleration(moved);
    };
    const auto k1 = acceleration(y), k2 = beside(k1, h / 2), k3 = beside(k2, h / 2), k4 = beside(k3, h);
    for (std::size_t i = 0; i < 6; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  const Trajectory path =
      integrate(system.dynamics, {0, {0, 0, height, 1, 0, 0, 0}, {1, 0, 0, 0, 0, 6}}, {.until = end, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_NEAR(path.q[0].back(), y[0], 1e-9);
  EXPECT_NEAR(path.q[1].back(), y[1], 1e-9);
  EXPECT_NEAR(2 * std::atan2(path.q[6].back(), path.q[3].back()), y[2], 1e-9);
  EXPECT_NEAR(path.v[0].back(), y[3], 1e-8);
  EXPECT_NEAR(path.v[5].back(), y[5], 1e-8);
}

// A ball of 1 kg and radius 0.1 m that touches two planes through the origin.
struct BallInCorner {
  std::array<Vector3d, 2> normal;
  std::array<double, 2> e{}, mu{};
  static constexpr double kRadius = 0.1;

  Vector3d middle() const {
    Eigen::Matrix<double, 2, 3> N;
    N << normal[0].transpose(), normal[1].transpose();
    return N.completeOrthogonalDecomposition().solve(Eigen::Vector2d(kRadius, kRadius));
  }
};

struct Moving {
  Vector3d v, w;
};

// Moreau's law by a projected iteration over both contacts: Λ_n = max(0, Λ_n − ρ (v_n⁺ + e v_n⁻)), Λ_t = Λ_t − ρ v_t⁺ brought back to the disk
// |Λ_t| ≤ μ Λ_n. Source: Alart & Curnier 1991, doi:10.1016/0045-7825(91)90022-X. False if it does not converge.
bool strike(const BallInCorner& corner, const Moving& before, Moving& after) {
  const double inertia = 0.4 * BallInCorner::kRadius * BallInCorner::kRadius;
  std::array<Vector3d, 2> impulse{Vector3d::Zero(), Vector3d::Zero()};
  for (int round = 0; round < 20000; ++round) {
    double changed = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      after = before;
      for (std::size_t j = 0; j < 2; ++j) {
        after.v += impulse[j];
        after.w += (-BallInCorner::kRadius * corner.normal[j]).cross(impulse[j]) / inertia;
      }
      const Vector3d& n = corner.normal[k];
      const Vector3d here = after.v + after.w.cross(-BallInCorner::kRadius * n);
      const double rho = 1 / (1 + BallInCorner::kRadius * BallInCorner::kRadius / inertia);
      const double pushed = std::max(0.0, impulse[k].dot(n) - (here.dot(n) + corner.e[k] * before.v.dot(n)));
      Vector3d across = impulse[k] - impulse[k].dot(n) * n - rho * (here - here.dot(n) * n);
      if (const double most = corner.mu[k] * pushed; across.norm() > most) across *= most / across.norm();
      const Vector3d next = pushed * n + across;
      changed = std::max(changed, (next - impulse[k]).norm());
      impulse[k] = next;
    }
    if (changed < 1e-14) return true;
  }
  return false;
}

Vector3d slip(const BallInCorner& corner, const Moving& moving, std::size_t k) {
  const Vector3d& n = corner.normal[k];
  const Vector3d here = moving.v + moving.w.cross(-BallInCorner::kRadius * n);
  return here - here.dot(n) * n;
}

int count_sticking(const BallInCorner& corner, const Moving& moving) {
  int count = 0;
  for (std::size_t k = 0; k < 2; ++k) count += slip(corner, moving, k).norm() < 1e-9 ? 1 : 0;
  return count;
}

// By how much the percussions that make this change of a ball that touches both planes afterwards break Coulomb's law. They are known but for one that presses
// the two contacts together; what it makes of the law's breach is convex.
double breach(const BallInCorner& corner, const Moving& before, const Moving& after) {
  Eigen::Matrix<double, 6, 6> by;
  Eigen::Matrix<double, 6, 1> gained;
  gained << after.v - before.v, 0.4 * BallInCorner::kRadius * BallInCorner::kRadius * (after.w - before.w);
  for (std::size_t k = 0; k < 2; ++k)
    for (int c = 0; c < 3; ++c) {
      const int column = 3 * static_cast<int>(k) + c;
      by.block<3, 1>(0, column) = Vector3d::Unit(c);
      by.block<3, 1>(3, column) = (-BallInCorner::kRadius * corner.normal[k]).cross(Vector3d::Unit(c));
    }
  const Eigen::Matrix<double, 6, 1> least = by.completeOrthogonalDecomposition().solve(gained);
  const auto broken = [&](double pressed) {
    double worst = (by * least - gained).norm();
    for (std::size_t k = 0; k < 2; ++k) {
      const Vector3d &n = corner.normal[k], sliding = slip(corner, after, k);
      const Vector3d percussion = least.segment<3>(3 * static_cast<int>(k)) + pressed * (n - corner.normal[1 - k]);
      const double normal = percussion.dot(n), limit = corner.mu[k] * normal;
      const Vector3d across = percussion - normal * n;
      const bool sticks = sliding.norm() < 1e-9;
      worst =
          std::max({worst, -normal, sticks ? across.norm() - limit : (across + limit * sliding.normalized()).norm()});
    }
    return worst;
  };
  double low = -100, high = 100;
  for (int round = 0; round < 200; ++round) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    (broken(left) < broken(right) ? high : low) = broken(left) < broken(right) ? right : left;
  }
  return broken(low);
}

const std::string kBallInCorner = R"toml(name = "ball in a corner"
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
[parameters]
a0 = 0.9
b0 = 0.1
c0 = 0.4
a1 = -0.8
b1 = 0.2
c1 = 0.5
e0r = 0.3
e1r = 0.7
mu0 = 0.2
mu1 = 0.2
fx = 0
fy = 0
fz = 0
[energy]
potential = "-fx*x - fy*y - fz*z"
)toml" + kBallFrame + R"toml([[body]]
name = "ball"
mass = 1
inertia = ["2/5*0.01", "2/5*0.01", "2/5*0.01"]
frame = "ball"
[[point]]
name = "O"
at = [0, 0, 0]
[[constraint]]
for = "k in 0..1"
name = "plane{k}"
contact = {point = "C", above = "O", normal = ["a{k}", "b{k}", "c{k}"], radius = 0.1}
frame = "ball"
restitution = "e{k}r"
friction = "mu{k}"
)toml";

class BallInCornerTest : public testing::Test {
 protected:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  BallInCorner corner(double most) {
    BallInCorner made;
    made.normal[0] = Vector3d{between(0.3, 1), between(-1, 1), between(0.2, 1)}.normalized();
    made.normal[1] = Vector3d{between(-1, -0.3), between(-1, 1), between(0.2, 1)}.normalized();
    made.e = {between(0, 1), between(0, 1)};
    made.mu = {between(0, most), between(0, most)};
    return made;
  }
  Trajectory short_run(const BallInCorner& corner, const Moving& start, const Vector3d& force) {
    const auto& [n0, n1] = corner.normal;
    const Dynamics dynamics =
        system_.dynamics.with_parameters({n0[0], n0[1], n0[2], n1[0], n1[1], n1[2], corner.e[0], corner.e[1],
                                          corner.mu[0], corner.mu[1], force[0], force[1], force[2]});
    const Vector3d c = corner.middle();
    return integrate(
        dynamics,
        {0, {c[0], c[1], c[2], 1, 0, 0, 0}, {start.v[0], start.v[1], start.v[2], start.w[0], start.w[1], start.w[2]}},
        {.until = 1e-6, .error_estimate = false, .second_run = false});
  }
  Vector3d vector(double most) { return {between(-most, most), between(-most, most), between(-most, most)}; }

  const System system_ = loaded(kBallInCorner);
  std::minstd_rand random_{20261127};
};

TEST_F(BallInCornerTest, ImpactsObeyMoreausLaw) {
  int compared = 0, others = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const BallInCorner made = corner(0.6);
    const Moving before{vector(2), vector(20)};
    if (made.normal[0].dot(before.v) > -0.01 || made.normal[1].dot(before.v) > -0.01) continue;
    Moving after;
    if (!strike(made, before, after)) continue;
    const Trajectory path = short_run(made, before, Vector3d::Zero());
    ASSERT_EQ(path.status, RunStatus::kOk) << trial << ": " << path.reason;
    ++compared;
    const auto last = [&](std::size_t i) { return path.v[i].back(); };
    const Moving found{{last(0), last(1), last(2)}, {last(3), last(4), last(5)}};
    // Of several consistent states the one in which most sticks is taken.
    if (count_sticking(made, found) > count_sticking(made, after)) {
      EXPECT_LT(breach(made, before, found), 1e-7) << trial;
      ++others;
      continue;
    }
    EXPECT_LT((found.v - after.v).norm(), 1e-9) << trial;
    EXPECT_LT((found.w - after.w).norm(), 1e-8) << trial;
  }
  EXPECT_GT(compared, 500);
  EXPECT_LT(others, compared / 100);
}

// The same for accelerations from rest, with forces for velocities.
TEST_F(BallInCornerTest, AccelerationsFromRestObeyCoulombsLaw) {
  int compared = 0, held = 0;
  for (int trial = 0; trial < 200; ++trial) {
    BallInCorner made = corner(0.6);
    made.e = {0, 0};
    const Vector3d force = vector(5) - Vector3d(0, 0, 5);
    Moving after;
    if (!strike(made, {force, Vector3d::Zero()}, after)) continue;
    const Trajectory path = short_run(made, {Vector3d::Zero(), Vector3d::Zero()}, force);
    ASSERT_EQ(path.status, RunStatus::kOk) << trial << ": " << path.reason;
    ++compared;
    // From rest both contacts may hold the ball by forces that another way of going on does not have: then nothing slides.
    const auto holds = [&](std::size_t k) {
      return std::hypot(path.friction[2 * k].front(), path.friction[2 * k + 1].front()) <=
             made.mu[k] * path.lambda[k].front();
    };
    const auto slides = [&](const Vector3d& n) {
      const Vector3d a(path.a[0].front(), path.a[1].front(), path.a[2].front()),
          w(path.a[3].front(), path.a[4].front(), path.a[5].front());
      return (a + w.cross(-BallInCorner::kRadius * n)).norm() > 1e-12;
    };
    if (holds(0) && holds(1) && !slides(made.normal[0]) && !slides(made.normal[1])) {
      ++held;
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(path.a[static_cast<std::size_t>(i)].front(), after.v[i], 1e-8) << trial;
      EXPECT_NEAR(path.a[static_cast<std::size_t>(3 + i)].front(), after.w[i], 1e-7) << trial;
    }
  }
  EXPECT_GT(compared - held, 50);
  EXPECT_GT(held, 4);
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Eigenvalues at equilibria against those of minimal coordinates s, written by hand: with r(s) the places of the bodies
// and V(s) the potential, M_ij = Σ m ∂r/∂s_i·∂r/∂s_j + Σ I ∂α/∂s_i ∂α/∂s_j and K = ∂²V/∂s² give det(M z² + K) = 0.
// Every derivative is that of a jet along a line (minimal_coordinates.h): nothing of the library is in it.
//
// Tolerance: eigenvalues of both sides are good to the round-off of matrices of condition 1e4 at most, of pairs that
// come from z² to its square root where z is not 0: 1e-9 of the largest, as is asked for, is far above it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/stability.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using oracles::constant;
using oracles::Jet;
using oracles::ReducedBody;

struct Mechanism {
  std::vector<ReducedBody> bodies;
  Jet V;                  // all of it
  std::vector<double> q;  // of the model
};
using Minimal = std::function<Mechanism(const std::vector<Jet>&)>;

Jet weight(const std::vector<ReducedBody>& bodies, double g) {
  Jet V = constant(0);
  for (const ReducedBody& body : bodies) V = V + body.m * g * body.y;
  return V;
}

// The mechanism along s + ε direction.
Mechanism along(const Minimal& minimal, const Eigen::VectorXd& s, const Eigen::VectorXd& direction) {
  std::vector<Jet> line;
  for (Eigen::Index i = 0; i < s.size(); ++i) line.push_back({s[i], direction[i], 0});
  return minimal(line);
}

// By polarisation of what a direction gives.
template <class Value>
Eigen::MatrixXd quadratic(const Minimal& minimal, const Eigen::VectorXd& s, Value value) {
  const Eigen::Index n = s.size();
  const auto of = [&](const Eigen::VectorXd& direction) { return value(along(minimal, s, direction)); };
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const Eigen::VectorXd a = Eigen::VectorXd::Unit(n, i), b = Eigen::VectorXd::Unit(n, j);
      matrix(i, j) = i == j ? of(a) : (of(a + b) - of(a) - of(b)) / 2;
    }
  return matrix;
}

Eigen::MatrixXd stiffness(const Minimal& minimal, const Eigen::VectorXd& s) {
  return quadratic(minimal, s, [](const Mechanism& m) { return m.V.dd; });
}
Eigen::MatrixXd inertia(const Minimal& minimal, const Eigen::VectorXd& s) {
  return quadratic(minimal, s, [](const Mechanism& m) {
    double sum = 0;
    for (const ReducedBody& b : m.bodies) sum += b.m * (b.x.d * b.x.d + b.y.d * b.y.d) + b.I * b.angle.d * b.angle.d;
    return sum;
  });
}

// ∂V/∂s = 0 by Newton's method.
Eigen::VectorXd equilibrium(const Minimal& minimal, Eigen::VectorXd s) {
  for (int i = 0; i < 30; ++i) {
    Eigen::VectorXd slope(s.size());
    for (Eigen::Index k = 0; k < s.size(); ++k) slope[k] = along(minimal, s, Eigen::VectorXd::Unit(s.size(), k)).V.d;
    s -= stiffness(minimal, s).fullPivLu().solve(slope);
  }
  return s;
}

void expect_same_eigenvalues(const System& system, const Minimal& minimal, const std::vector<double>& near,
                             const std::string& what) {
  const Eigen::VectorXd s =
      equilibrium(minimal, Eigen::Map<const Eigen::VectorXd>(near.data(), static_cast<Eigen::Index>(near.size())));
  std::vector<std::complex<double>> expected;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(stiffness(minimal, s), inertia(minimal, s));
  double size = 0;
  for (const double square : solver.eigenvalues()) {
    const std::complex<double> z = std::sqrt(std::complex<double>(-square));
    expected.push_back(z);
    expected.push_back(-z);
    size = std::max(size, std::abs(z));
  }
  const EquationDerivatives derivatives(system.equations);
  const SteadySystem steady{&system.dynamics, &derivatives};
  const State state{0, along(minimal, s, Eigen::VectorXd::Zero(s.size())).q,
                    std::vector<double>(as_size(system.dynamics.nv()))};
  const Result<LinearMotion> motion = linearize(steady, state);
  ASSERT_TRUE(motion) << what << render(motion.diagnostics());
  const std::vector<std::complex<double>> found = eigenvalues_of(*motion, 0);
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (const std::complex<double>& z : found) {
    const auto nearest = std::ranges::min_element(expected, {}, [&](const auto& e) { return std::abs(e - z); });
    EXPECT_LE(std::abs(*nearest - z), 1e-9 * size) << what << ": " << z.real() << " " << z.imag();
    expected.erase(nearest);
  }
}

TEST(EigenvaluesOfMinimalCoordinates, SliderCrank) {
  const System system = shipped("slider-crank");
  const Minimal minimal = [](const std::vector<Jet>& s) {
    using Crank = oracles::ReducedSliderCrank;
    const Jet phi = constant(M_PI) - asin((Crank::L1 / Crank::L2) * sin(s[0])),
              x = 2 * Crank::L1 * cos(s[0]) - 2 * Crank::L2 * cos(phi);
    std::vector<ReducedBody> bodies{{Crank::m1, Crank::I1, Crank::L1 * cos(s[0]), Crank::L1 * sin(s[0]), s[0]},
                                    {Crank::m2, Crank::I2, 2 * Crank::L1 * cos(s[0]) - Crank::L2 * cos(phi),
                                     2 * Crank::L1 * sin(s[0]) - Crank::L2 * sin(phi), phi},
                                    {Crank::m3, 0, x, constant(0), constant(0)}};
    const Jet V = weight(bodies, Crank::g);
    return Mechanism{std::move(bodies), V, {s[0].f, phi.f, x.f}};
  };
  expect_same_eigenvalues(system, minimal, {1.5}, "upright");
  expect_same_eigenvalues(system, minimal, {-1.5}, "hanging");
}

TEST(EigenvaluesOfMinimalCoordinates, FourBar) {
  const System system = shipped("four-bar");
  const Minimal minimal = [](const std::vector<Jet>& s) {
    using Bar = oracles::ReducedFourBar;
    const Jet Bx = Bar::l1 * cos(s[0]), By = Bar::l1 * sin(s[0]), dx = constant(Bar::l0) - Bx, dy = -1 * By;
    const Jet rho = sqrt(dx * dx + dy * dy);
    const Jet cosine = (constant(Bar::l2 * Bar::l2 - Bar::l3 * Bar::l3) + rho * rho) * inverse(2 * Bar::l2 * rho);
    const Jet theta2 = angle(dx, dy) + constant(M_PI / 2) - asin(cosine);
    const Jet Cx = Bx + Bar::l2 * cos(theta2), Cy = By + Bar::l2 * sin(theta2);
    const Jet theta3 = angle(Cx - constant(Bar::l0), Cy);
    std::vector<ReducedBody> bodies{
        {Bar::m1, Bar::m1 * Bar::l1 * Bar::l1 / 12, 0.5 * Bx, 0.5 * By, s[0]},
        {Bar::m2, Bar::m2 * Bar::l2 * Bar::l2 / 12, 0.5 * (Bx + Cx), 0.5 * (By + Cy), theta2},
        {Bar::m3, Bar::m3 * Bar::l3 * Bar::l3 / 12, 0.5 * (constant(Bar::l0) + Cx), 0.5 * Cy, theta3}};
    std::vector<double> q;
    for (const ReducedBody& body : bodies) q.insert(q.end(), {body.x.f, body.y.f, body.angle.f});
    const Jet V = weight(bodies, Bar::g);
    return Mechanism{std::move(bodies), V, std::move(q)};
  };
  expect_same_eigenvalues(system, minimal, {1.55}, "upright");
  expect_same_eigenvalues(system, minimal, {-1.75}, "hanging");
}

TEST(EigenvaluesOfMinimalCoordinates, RodOnACorner) {
  const System system = shipped("rod-on-corner");
  const double m = 2, a = 0.8, h = 0.5, c = 1, g = 9.81;
  const Minimal minimal = [=](const std::vector<Jet>& s) {
    const Jet x = constant(c) - h * (cos(s[0]) * inverse(sin(s[0])));
    std::vector<ReducedBody> bodies{{m, m * (2 * a) * (2 * a) / 12, x + a * cos(s[0]), a * sin(s[0]), s[0]}};
    const Jet V = weight(bodies, g);
    return Mechanism{std::move(bodies), V, {x.f, s[0].f}};
  };
  expect_same_eigenvalues(system, minimal, {1.5}, "upright");
  expect_same_eigenvalues(system, minimal, {-1.5}, "below");
}

// p₃ = ±sqrt(L² − p₁² − p₂²). Bodies of the plane have two coordinates, so p₂ is that of another one.
TEST(EigenvaluesOfMinimalCoordinates, SphericalPendulum) {
  const System system = shipped("point-pendulum-3d");
  const double m = 1, L = 1.3, g = 9.81;
  for (const double side : {1.0, -1.0}) {
    const Minimal minimal = [=](const std::vector<Jet>& s) {
      const Jet up = side * sqrt(constant(L * L) - s[0] * s[0] - s[1] * s[1]);
      std::vector<ReducedBody> bodies{{m, 0, s[0], up, constant(0)}, {m, 0, s[1], constant(0), constant(0)}};
      return Mechanism{std::move(bodies), m * g * up, {s[0].f, s[1].f, up.f}};
    };
    expect_same_eigenvalues(system, minimal, {0.1, 0.05}, side > 0 ? "upright" : "hanging");
  }
}

// On a level road (r = 0): x_l = 0, the axle at an angle, two springs of stiffness 1.
TEST(EigenvaluesOfMinimalCoordinates, CarAxis) {
  const System system = shipped("car-axis", {"r=0"});
  const double k = 10 * 1e-4 / 2, L = 1, L0 = 0.5, g = 1;
  const Minimal minimal = [=](const std::vector<Jet>& s) {
    const Jet xr = L * cos(s[1]), yr = s[0] + L * sin(s[1]), beside = xr - constant(L);
    const Jet left = s[0] - constant(L0), right = sqrt(beside * beside + yr * yr) - constant(L0);
    std::vector<ReducedBody> bodies{{k, 0, constant(0), s[0], constant(0)}, {k, 0, xr, yr, constant(0)}};
    const Jet V = weight(bodies, g) + 0.5 * (left * left) + 0.5 * (right * right);
    return Mechanism{std::move(bodies), V, {0, s[0].f, xr.f, yr.f}};
  };
  expect_same_eigenvalues(system, minimal, {0.5, 0.01}, "at rest");
}

// Four rods of length l and mass m, hanging and with the second and the fourth turned upwards.
TEST(EigenvaluesOfMinimalCoordinates, ChainInMaximalCoordinates) {
  const System system = shipped("n-link-chain-maximal", {"N=4"});
  const double m = system.parameter("m"), l = system.parameter("l"), g = system.parameter("g");
  const Minimal minimal = [=](const std::vector<Jet>& s) {
    std::vector<ReducedBody> bodies;
    Jet x = constant(0), y = constant(0);
    for (const Jet& angle : s) {
      bodies.push_back({m, m * l * l / 12, x + l / 2 * cos(angle), y + l / 2 * sin(angle), angle});
      x = x + l * cos(angle);
      y = y + l * sin(angle);
    }
    std::vector<double> q;
    for (const ReducedBody& body : bodies) q.push_back(body.x.f);
    for (const ReducedBody& body : bodies) q.push_back(body.y.f);
    for (const ReducedBody& body : bodies) q.push_back(body.angle.f);
    const Jet V = weight(bodies, g);
    return Mechanism{std::move(bodies), V, std::move(q)};
  };
  const double down = -M_PI / 2, up = M_PI / 2;
  expect_same_eigenvalues(system, minimal, {down, down, down, down}, "hanging");
  expect_same_eigenvalues(system, minimal, {down, up, down, up}, "folded");
}

// A symmetric top that precesses steadily at the rate p, A ψ̇² cos θ − C n ψ̇ + P = 0 with P = m g L: it nods at
// κ² = (A² p⁴ − 2 A P p² cos θ + P²)/(A² p²), the second derivative of the effective potential P cos θ + (C n cos θ − p_ψ)²/(2 A sin² θ)
// over A, with the momenta of ψ and φ constant.
TEST(EigenvaluesOfMinimalCoordinates, NutationOfASteadyTop) {
  const System system = shipped("gyroscope");
  const double P = 0.5 * 9.81 * 0.06, A = 4e-4 + 0.5 * 0.06 * 0.06, C = 6e-4, theta = M_PI / 3;
  for (const double p : {1.5, 4.0, -2.5}) {
    const double spin = (A * p * p * std::cos(theta) + P) / (C * p);  // n, of which p cos θ is the precession's
    State state = system.start();
    state.v = {p, 0, spin - p * std::cos(theta)};
    const EquationDerivatives derivatives(system.equations);
    const Result<LinearMotion> motion = linearize({&system.dynamics, &derivatives}, state);
    ASSERT_TRUE(motion);
    EXPECT_EQ(motion->kind, MotionKind::kSteadyMotion);
    const double nutation =
        std::sqrt(A * A * std::pow(p, 4) - 2 * A * P * p * p * std::cos(theta) + P * P) / (A * std::abs(p));
    const std::vector<std::complex<double>> found = eigenvalues_of(*motion, 4);
    int nodding = 0;
    for (const std::complex<double>& z : found) {
      if (z == 0.0) continue;
      ++nodding;
      EXPECT_NEAR(z.real(), 0, 1e-9 * nutation);
      EXPECT_NEAR(std::abs(z.imag()), nutation, 1e-9 * nutation) << p;
    }
    EXPECT_EQ(nodding, 2);
  }
}

}  // namespace
}  // namespace dalembert

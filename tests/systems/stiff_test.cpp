// SPDX-License-Identifier: Apache-2.0
// Stiff systems by the implicit method, on the manifold like all others, against the explicit methods: two ways of
// solving the same equations that share nothing but the right-hand side.
#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/linearization.h"
#include "dalembert/integrate/integrate.h"
#include "oracles/hand_kernels.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using oracles::make_dynamics;

System from_text(const std::string& text) {
  return System(derive_loaded(load_model(make_source("stiff.toml", text), {})));
}

// The slider-crank whose crank pin is a bushing of stiffness and damping k.
System bushing(double k) {
  return from_text(R"toml(
coordinates = ["theta", "phi", "x"]
[parameters]
)toml" + fmt::format("k = {0}\nc = {0}", k) +
                   R"toml(
L1 = 0.15
L2 = 0.35
[define]
h1 = "2*L1*cos(theta) - 2*L2*cos(phi) - x"
h2 = "2*L1*sin(theta) - 2*L2*sin(phi)"
v1 = "-2*L1*sin(theta)*theta' + 2*L2*sin(phi)*phi' - x'"
v2 = "2*L1*cos(theta)*theta' - 2*L2*cos(phi)*phi'"
[energy]
kinetic = """0.0054*theta'^2 + 0.42*((L2*sin(phi)*phi' - 2*L1*sin(theta)*theta')^2
  + (2*L1*cos(theta)*theta' - L2*cos(phi)*phi')^2) + 0.01715*phi'^2 + 0.6*x'^2"""
potential = "k/2*(h1^2 + h2^2) + 9.81*(0.36*L1*sin(theta) + 0.84*(2*L1*sin(theta) - L2*sin(phi)))"
dissipation = "c/2*(v1^2 + v2^2)"
[initial]
position = {theta = 1.0471975511965976, phi = 2.76134144689686, x = 0.8}
velocity = {theta = 4, phi = -0.9230769230769231, x = -1.2790529040508631}
)toml");
}

// Truth: the explicit method at a far tighter tolerance, which takes some thousand steps more. The errors that the runs
// name bound the difference, and rtol = 1e-6 of a motion of 8 rad is met within the hundredfold that errors grow on the way. Accuracy sets the steps of
// the implicit methods: their number does not grow with c, where that of the explicit one is c times 0.6.
TEST(Stiff, ABushingTakesNoMoreStepsThanItsMotion) {
  const System soft = bushing(1e4), hard = bushing(1e6);
  const Trajectory exact = integrate(soft.dynamics, soft.start(), {.until = 0.5, .rtol = 1e-11, .atol = 1e-13});
  ASSERT_EQ(exact.status, RunStatus::kOk) << exact.reason;
  for (const Method method : {Method::kRadau, Method::kAuto}) {
    const Trajectory path =
        integrate(soft.dynamics, soft.start(), {.until = 0.5, .rtol = 1e-6, .atol = 1e-9, .method = method});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    for (std::size_t i = 0; i < 3; ++i) {
      const double error = std::abs(path.q[i].back() - exact.q[i].back());
      EXPECT_LE(error, path.verdict.error.q[i]) << to_text(method) << " " << i;
      EXPECT_LE(error, 1e-4) << to_text(method) << " " << i;
    }
    EXPECT_LE(path.steps, 150);
    EXPECT_GE(exact.steps, 10 * path.steps);
    const Trajectory harder =
        integrate(hard.dynamics, hard.start(), {.until = 0.5, .rtol = 1e-6, .atol = 1e-9, .method = method});
    ASSERT_EQ(harder.status, RunStatus::kOk) << harder.reason;
    EXPECT_LE(harder.steps, 150);
  }
}

// Truth: a stiffness that ends: while the damper is on the explicit method needs 1e5·0.5/6 ≈ 8,000 steps and more, auto
// some hundred; afterwards the oscillator swings freely, where auto goes back and agrees with the explicit run.
TEST(Stiff, AutoGoesThereAndBack) {
  const System system = from_text(R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "50*x^2 + 50*(y - x)^2"
dissipation = "if(t < 0.5, 1e5, 0)*x'^2/2"
[initial]
position = {x = 0, y = 1}
)toml");
  const IntegrateOptions options{.until = 10, .rtol = 1e-9, .atol = 1e-12};
  IntegrateOptions chosen = options;
  chosen.method = Method::kAuto;
  const Trajectory slow = integrate(system.dynamics, system.start(), options);
  const Trajectory fast = integrate(system.dynamics, system.start(), chosen);
  ASSERT_EQ(slow.status, RunStatus::kOk) << slow.reason;
  ASSERT_EQ(fast.status, RunStatus::kOk) << fast.reason;
  EXPECT_GT(slow.steps, 5000);
  EXPECT_LT(fast.steps, 1000);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(fast.q[i].back(), slow.q[i].back(), fast.verdict.error.q[i] + slow.verdict.error.q[i]);
}

// Truth: the explicit method. A maximal chain with damped joints has constraints, redundant ones in the parallel bars
// of the A02 kind: residuals are at round-off, λ agrees, rows that follow from others are left out of the matrix.
TEST(Stiff, StaysOnTheManifold) {
  for (const std::string name : {"n-link-chain-maximal", "slider-crank", "four-bar", "rolling-sphere"}) {
    const System system(derive_shipped(name));
    const State start = system.start();
    const double until = 0.3;
    const Trajectory exact =
        integrate(system.dynamics, start, {.until = until, .rtol = 1e-12, .atol = 1e-14, .output_times = {until}});
    const Trajectory path = integrate(
        system.dynamics, start,
        {.until = until, .rtol = 1e-9, .atol = 1e-12, .method = Method::kRadau, .output_times = {until / 3, until}});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_LE(path.verdict.max_position_residual, 1e-14) << name;
    EXPECT_LE(path.verdict.max_velocity_residual, 1e-13) << name;
    for (std::size_t i = 0; i < path.q.size(); ++i)
      EXPECT_NEAR(path.q[i].back(), exact.q[i].back(), path.verdict.error.q[i] + exact.verdict.error.q[i])
          << name << " " << i;
    for (std::size_t r = 0; r < path.lambda.size(); ++r)
      EXPECT_NEAR(path.lambda[r].back(), exact.lambda[r].back(), 1e-6 * (1 + std::abs(exact.lambda[r].back())))
          << name << " " << r;
  }
}

// Truth: the same system written by hand as a kernel, which knows no derivatives: differences stand in for them, and
// the motion is the same to the tolerance.
TEST(Stiff, KernelsWithoutDerivativesAreDifferenced) {
  const Dynamics by_hand = make_dynamics<oracles::SliderCrank>({"theta", "phi", "x"}, {"pin.x", "pin.y"});
  ASSERT_EQ(by_hand.kernel().linearization(), nullptr);
  const IntegrateOptions options{.until = 1, .rtol = 1e-9, .atol = 1e-12, .method = Method::kRadau};
  const Trajectory path = integrate(by_hand, oracles::SliderCrank::start(), options);
  const Trajectory exact =
      integrate(by_hand, oracles::SliderCrank::start(), {.until = 1, .rtol = 1e-12, .atol = 1e-14});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_NEAR(path.q[0].back(), exact.q[0].back(), 1e-7);
  EXPECT_LE(path.verdict.max_position_residual, 1e-14);
}

// Truth: central differences of r and c, made of what the kernel says of M, f, W and γ, at a state off rest with
// accelerations and multipliers of any size.
TEST(Stiff, LinearizationIsWhatDifferencesSay) {
  for (const std::string name : {"slider-crank", "n-link-chain-maximal", "rolling-sphere", "car-axis", "delta-robot"}) {
    const System system(derive_shipped(name));
    const Dynamics& dynamics = system.dynamics;
    const Linearization* linearization = dynamics.kernel().linearization();
    ASSERT_NE(linearization, nullptr);
    const Layout& layout = dynamics.layout();
    const auto n = static_cast<std::size_t>(layout.nv), m = static_cast<std::size_t>(layout.m);
    std::vector<double> q(system.start().q), v(n), qdd(n), lambda(m),
        work(std::max(layout.work, linearization->work()));
    for (std::size_t i = 0; i < n; ++i)
      v[i] = std::sin(1.0 + static_cast<double>(i)), qdd[i] = std::cos(static_cast<double>(3 * i));
    for (std::size_t i = 0; i < m; ++i) lambda[i] = std::sin(2.0 + static_cast<double>(5 * i));
    std::vector<double> u(static_cast<std::size_t>(layout.inputs), 0.3);
    KernelArguments in{.t = 0.2,
                       .q = q.data(),
                       .v = v.data(),
                       .qdd = qdd.data(),
                       .lambda = lambda.data(),
                       .u = u.data(),
                       .p = dynamics.parameters().data(),
                       .prepared = dynamics.prepared(),
                       .work = work.data()};
    std::vector<double> values(linearization->pattern().row.size());
    linearization->call(in, values.data());
    std::vector<double> dense((n + m) * 2 * n);
    for (std::size_t k = 0; k < values.size(); ++k)
      dense[static_cast<std::size_t>(linearization->pattern().row[k]) * 2 * n +
            static_cast<std::size_t>(linearization->pattern().col[k])] = values[k];
    const auto residual = [&] {
      std::vector<double> out(output_size(layout, KernelFunction::kRates)), r(n + m);
      dynamics.kernel().call(KernelFunction::kRates, in, out.data());
      const double *M = out.data(), *f = M + layout.M.row.size(), *W = f + n, *gamma = W + layout.W.row.size();
      for (std::size_t k = 0; k < layout.M.row.size(); ++k)
        r[static_cast<std::size_t>(layout.M.row[k])] += M[k] * qdd[static_cast<std::size_t>(layout.M.col[k])];
      for (std::size_t i = 0; i < n; ++i) r[i] -= f[i];
      for (std::size_t i = 0; i < m; ++i) r[n + i] += gamma[i];
      for (std::size_t k = 0; k < layout.W.row.size(); ++k) {
        const auto row = static_cast<std::size_t>(layout.W.row[k]), column = static_cast<std::size_t>(layout.W.col[k]);
        r[column] -= W[k] * lambda[row];
        r[n + row] += W[k] * qdd[column];
      }
      return r;
    };
    // Differences with h = 1e-5: h² times third derivatives of up to 1e2 of these, and 1e-13/h of round-off.
    constexpr double h = 1e-5;
    for (std::size_t c = 0; c < 2 * n; ++c) {
      double& x = c < n ? q[c] : v[c - n];
      const double at = x;
      x = at + h;
      const std::vector<double> above = residual();
      x = at - h;
      const std::vector<double> below = residual();
      x = at;
      for (std::size_t r = 0; r < n + m; ++r)
        EXPECT_NEAR(dense[r * 2 * n + c], (above[r] - below[r]) / (2 * h), 1e-6 * (1 + std::abs(dense[r * 2 * n + c])))
            << name << " " << r << " " << c;
    }
  }
}

// Truth: the explicit method; 60 links in maximal coordinates have 180 coordinates and 120 rows: the sparse factors.
TEST(Stiff, LargeSystemsAreFactoredSparsely) {
  const System system(derive_shipped("n-link-chain-maximal", {"N=60"}));
  const Trajectory exact = integrate(system.dynamics, system.start(), {.until = 0.05, .rtol = 1e-11, .atol = 1e-13});
  const Trajectory path = integrate(system.dynamics, system.start(),
                                    {.until = 0.05, .rtol = 1e-8, .atol = 1e-10, .method = Method::kRadau});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (std::size_t i = 0; i < path.q.size(); ++i)
    EXPECT_NEAR(path.q[i].back(), exact.q[i].back(), path.verdict.error.q[i] + exact.verdict.error.q[i]) << i;
  EXPECT_LE(path.verdict.max_position_residual, 1e-13);
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The reduced equations, compiled: a system without multipliers that moves as the whole one does.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/derive/reduced_motion.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

struct ReducedSystem {
  explicit ReducedSystem(const System& system)
      : reduced(value_of(reduce(system.equations))),
        equations(value_of(reduced_motion(system.equations, reduced))),
        dynamics(compile(equations)) {}

  // v = Y q̇ + y₀ at a consistent state of the whole system.
  State state_of(const System& system, const State& whole) const {
    State state{whole.t, whole.q, {}};
    const auto value = [&](SymbolId s) {
      const Symbol& symbol = reduced.graph->symbol_info(s);
      const auto i = static_cast<std::size_t>(symbol.index);
      switch (symbol.kind) {
        case SymbolKind::kCoordinate:
          return whole.q[i];
        case SymbolKind::kVelocity:
        case SymbolKind::kQuasiVelocity:
          return whole.v[i];
        case SymbolKind::kParameter:
          return system.dynamics.parameters()[i];
        default:
          return symbol.kind == SymbolKind::kTime ? whole.t : std::nan("");
      }
    };
    for (const ReducedVelocity& velocity : reduced.velocities) state.v.push_back(evaluate(velocity.definition, value));
    return state;
  }

  Reduced reduced;
  Equations equations;
  Dynamics dynamics;
};

class ReducedMotion : public ::testing::TestWithParam<const char*> {};

// Oracle: the KKT solve of the whole system. q̇ = S v + s₀ is its q̇; its q̈ is d(S v + s₀)/dt, by central differences of
// the reduced system's own q̇ along its motion: their error is h² and round-off/h, 1e-9 of the sizes at hand for h = 1e-5.
TEST_P(ReducedMotion, IsThatOfTheWholeSystem) {
  const System system = shipped(GetParam());
  const ReducedSystem reduced(system);
  const auto n = static_cast<std::size_t>(system.dynamics.nq());
  EXPECT_EQ(reduced.dynamics.m(), 0);
  std::mt19937 random(29);
  std::uniform_real_distribution<double> any(-0.2, 0.2);
  const State start = system.start();
  int compared = 0;
  for (int k = 0; k < 6; ++k) {
    State near = start;
    for (double& q : near.q) q += any(random);
    for (double& v : near.v) v += 5 * any(random);
    Assembly assembly = assemble(system.dynamics, near);
    if (!assembly.ok() || !project(system.dynamics, assembly.state).ok) continue;
    const State& whole = assembly.state;
    const KktSolution expected = solve_kkt(system.dynamics, whole);
    if (expected.status != KktStatus::kOk) continue;
    const State state = reduced.state_of(system, whole);
    const KktSolution found = solve_kkt(reduced.dynamics, state);
    ASSERT_EQ(found.status, KktStatus::kOk);
    Workspace of_whole(system.dynamics), workspace(reduced.dynamics);
    std::vector<double> whole_qdot(n), qdot(n), before(n), after(n);
    find_qdot(system.dynamics, whole.t, whole.q.data(), whole.v.data(), of_whole, whole_qdot.data());
    find_qdot(reduced.dynamics, state.t, state.q.data(), state.v.data(), workspace, qdot.data());
    double speed = 1, acceleration = 1;
    for (const double v : whole_qdot) speed = std::max(speed, std::abs(v));
    for (const double a : expected.qdd) acceleration = std::max(acceleration, std::abs(a));
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(qdot[i], whole_qdot[i], 1e-11 * speed);
    if (!system.dynamics.layout().v_is_qdot) continue;
    const double h = 1e-5;
    for (const double sign : {-1.0, 1.0}) {
      State moved{state.t + sign * h, state.q, state.v};
      for (std::size_t i = 0; i < n; ++i) moved.q[i] += sign * h * qdot[i] + h * h / 2 * expected.qdd[i];
      for (std::size_t i = 0; i < moved.v.size(); ++i) moved.v[i] += sign * h * found.qdd[i];
      find_qdot(reduced.dynamics, moved.t, moved.q.data(), moved.v.data(), workspace,
                (sign < 0 ? before : after).data());
    }
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR((after[i] - before[i]) / (2 * h), expected.qdd[i], 1e-6 * acceleration) << i;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

std::string name_of_model(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Shipped, ReducedMotion,
                         ::testing::Values("chaplygin-sleigh", "chaplygin-sleigh-contact", "knife-edge-incline",
                                           "nonholonomic-particle", "slider-crank", "cartesian-pendulum",
                                           "polar-pendulum", "cart-pendulum", "rolling-disk", "rolling-sphere",
                                           "vertical-disk"),
                         name_of_model);

// Oracle: cases §12, from u0 = 0.3, w0 = 1.7 with m = 1.3, I = 0.7, a = 0.4, at t = 3. Steps of rtol 1e-12 leave errors of
// some 1e-12. There are no constraints that could be broken, and E is conserved.
TEST(ReducedMotionRun, IsThatOfTheSleigh) {
  const System system = shipped("chaplygin-sleigh");
  const ReducedSystem reduced(system);
  const State start = reduced.state_of(system, system.start());
  const Trajectory run = integrate(reduced.dynamics, start, {.until = 3.0, .rtol = 1e-12, .atol = 1e-13});
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_TRUE(run.verdict.holds) << to_text(run.verdict);
  EXPECT_TRUE(run.verdict.conservative);
  EXPECT_NEAR(run.v[0].back(), 1.4391417144554, 5e-12);
  EXPECT_NEAR(run.v[1].back(), 0.2314778783841, 5e-12);
  EXPECT_NEAR(run.series("theta").back(), 2.5679686218659, 5e-12);
}

// Oracle: the run with multipliers. The pivot's power is λ·a, with λ in quasi-velocities.
TEST(ReducedMotionRun, MovingConstraintsDoTheirWork) {
  const System system(derive_loaded(load_model(make_source("pivot", R"toml(
coordinates = ["x", "y", "theta"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "rod"
holonomic = ["x - 0.1*sin(3*t) - sin(theta)", "y + cos(theta)"]
[quasi_velocities]
omega = "theta'"
[initial]
position = {theta = 1}
velocity = {theta = 0}
)toml"),
                                               {})));
  const ReducedSystem reduced(system);
  EXPECT_EQ(reduced.dynamics.layout().nv, 1);
  const State start = system.start();
  const IntegrateOptions options{.until = 3, .rtol = 1e-11, .atol = 1e-13};
  const Trajectory whole = integrate(system.dynamics, start, options);
  const Trajectory run = integrate(reduced.dynamics, reduced.state_of(system, start), options);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_TRUE(run.verdict.holds) << to_text(run.verdict);
  EXPECT_FALSE(run.verdict.conservative);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(run.q[i].back(), whole.q[i].back(), run.verdict.error.q[i] + whole.verdict.error.q[i] + 1e-12);
}

}  // namespace
}  // namespace dalembert

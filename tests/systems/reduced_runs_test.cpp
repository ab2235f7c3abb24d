// SPDX-License-Identifier: Apache-2.0
// The multipliers eliminated in numbers: the same accelerations, multipliers and runs as with them.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/dynamics/elimination.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

class ReducedModel : public ::testing::TestWithParam<std::string> {};

// States on the manifold about the start, by one seed.
std::vector<State> states_near(const System& system, int count) {
  std::vector<State> states;
  std::mt19937 random(17);
  std::uniform_real_distribution<double> any(-0.2, 0.2);
  const State start = system.start();
  for (int k = 0; k < count; ++k) {
    State state = start;
    for (double& q : state.q) q += any(random);
    for (double& v : state.v) v += 10 * any(random);
    Assembly assembly = assemble(system.dynamics, state);
    if (assembly.ok() && project(system.dynamics, assembly.state).ok) states.push_back(std::move(assembly.state));
  }
  return states;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

// Oracle: the KKT solve at the same state. Both are stable eliminations of one system; 1e-11 of the largest entry of
// each vector leaves a condition of 10⁴ to round-off.
TEST_P(ReducedModel, AccelerationsAndMultipliersAreThoseOfTheKktSystem) {
  const System system{equations_of(GetParam())};
  const Layout& layout = system.dynamics.layout();
  const auto n = static_cast<std::size_t>(layout.nv), m = static_cast<std::size_t>(layout.m);
  if (layout.load_dependent()) GTEST_SKIP() << "forces depend on multipliers: reduced_friction_test.cpp";
  VelocityElimination elimination(system.dynamics, nullptr);
  int compared = 0;
  for (const State& state : states_near(system, 6)) {
    const KktSolution expected = solve_kkt(system.dynamics, state);
    if (expected.status != KktStatus::kOk) continue;
    ASSERT_TRUE(elimination.choose(state.t, state.q.data(), state.v.data()));
    std::vector<double> w(n), v(n), vdot(n), wdot(n), lambda(m);
    ASSERT_EQ(elimination.size(), layout.nv - expected.rank);
    ASSERT_TRUE(elimination.reduce(state.t, state.q.data(), state.v.data(), w.data()));
    ASSERT_TRUE(
        elimination.solve(state.t, state.q.data(), w.data(), v.data(), vdot.data(), wdot.data(), lambda.data()));
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(v[i], state.v[i], 1e-11 * std::max(1.0, largest(state.v)));
      EXPECT_NEAR(vdot[i], expected.qdd[i], 1e-11 * std::max(1.0, largest(expected.qdd)));
    }
    for (std::size_t j = 0; j < m && expected.rank == layout.m; ++j)
      EXPECT_NEAR(lambda[j], expected.lambda[j], 1e-11 * std::max(1.0, largest(expected.lambda)));
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// Oracle: the run with multipliers. Each run names the error of its end, which the true one is below, so the two ends
// differ by the sum of both at most.
TEST_P(ReducedModel, RunsEndWhereThoseWithMultipliersDo) {
  const System system{equations_of(GetParam())};
  const double until = std::min(1.0, system.equations.model->simulation.until.value_or(1.0));
  IntegrateOptions options{.until = until, .rtol = 1e-10, .atol = 1e-12};
  const Trajectory full = integrate(system.dynamics, system.start(), options);
  ASSERT_EQ(full.status, RunStatus::kOk) << full.reason;
  options.formulation = Formulation::kReduced;
  const Trajectory reduced = integrate(system.dynamics, system.start(), options);
  if (reduced.reason.find("cannot follow contacts") != std::string::npos) GTEST_SKIP() << reduced.reason;
  ASSERT_EQ(reduced.status, RunStatus::kOk) << reduced.reason;
  EXPECT_TRUE(reduced.verdict.holds) << to_text(reduced.verdict);
  const State a = full.final_state(), b = reduced.final_state();
  for (std::size_t i = 0; i < a.q.size(); ++i)
    EXPECT_NEAR(a.q[i], b.q[i], full.verdict.error.q[i] + reduced.verdict.error.q[i] + 1e-13) << "coordinate " << i;
  for (std::size_t i = 0; i < a.v.size(); ++i)
    EXPECT_NEAR(a.v[i], b.v[i], full.verdict.error.v[i] + reduced.verdict.error.v[i] + 1e-13) << "velocity " << i;
  if (reduced.verdict.min_rank < system.dynamics.m()) return;
  for (std::size_t j = 0; j < full.lambda.size(); ++j)
    EXPECT_NEAR(full.lambda[j].back(), reduced.lambda[j].back(), 1e-6 * std::max(1.0, std::abs(full.lambda[j].back())));
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReducedModel, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert

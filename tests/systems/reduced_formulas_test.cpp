// SPDX-License-Identifier: Apache-2.0
// The equations without multipliers as formulas, of every shipped model that has them, against the KKT solve.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/expr/visit.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

using Values = std::unordered_map<SymbolId, double>;

double value_at(const Expr& e, const Values& values) {
  return evaluate(e, [&](SymbolId s) { return values.contains(s) ? values.at(s) : std::nan(""); });
}

double scale_of(const std::vector<double>& values) {
  double most = 1;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

// States on the manifold about the start, by one seed.
std::vector<State> later_states_near(const System& system, int count) {
  std::vector<State> states;
  std::mt19937 random(41);
  std::uniform_real_distribution<double> any(-0.2, 0.2);
  const State start = system.start();
  for (int k = 0; k < count; ++k) {
    State state = start;
    state.t += 0.1 * (k + 1);  // what is prescribed may begin at a singular shape
    for (double& q : state.q) q += any(random);
    for (double& v : state.v) v += 10 * any(random);
    Assembly assembly = assemble(system.dynamics, state);
    if (assembly.ok() && project(system.dynamics, assembly.state).ok) states.push_back(std::move(assembly.state));
  }
  return states;
}

Values values_of(const System& system, const State& state, const KktSolution& motion) {
  const Equations& eq = system.equations;
  Values values{{eq.t.symbol(), state.t}};
  for (std::size_t i = 0; i < eq.q.size(); ++i) values.emplace(eq.q[i].symbol(), state.q[i]);
  for (std::size_t i = 0; i < state.v.size(); ++i) values.emplace(eq.velocities()[i].symbol(), state.v[i]);
  for (std::size_t i = 0; i < eq.model->parameters.size(); ++i)
    values.emplace(eq.model->parameters[i].symbol.symbol(), eq.model->parameters[i].value);
  const std::vector<double> u = inputs_at(system.dynamics, state.t);
  for (std::size_t i = 0; i < u.size(); ++i) values.emplace(eq.model->inputs[i].symbol.symbol(), u[i]);
  // Rows of what is prescribed follow those of the model.
  const auto m = static_cast<std::size_t>(eq.m());
  for (std::size_t k = 0; k < eq.model->prescribed.size(); ++k)
    values.emplace(eq.model->prescribed[k].actuation.symbol(), motion.lambda[m + k]);
  return values;
}

class ReducedFormulas : public ::testing::TestWithParam<std::string> {};

// Oracle: the KKT solve at the same state. v = Y q̇ + y₀, q̇ = S v + s₀; v̇ of M_r v̇ + b = 0, q̈ = S v̇ + Ṡ v + ṡ₀; λ and v̇ in closed
// form. All are rearrangements of one linear system: 1e-11 of the scale_of entry of each vector leaves a condition of 10⁴ to
// round-off; states where S divides by less than 1e-3 are passed over.
TEST_P(ReducedFormulas, AreTheMotionOfTheWholeSystem) {
  const System stated{equations_of(GetParam())}, system = hold_contacts_at(stated, stated.start());
  if (system.dynamics.layout().load_dependent()) GTEST_SKIP() << "reduced_friction_test.cpp";
  const Result<Reduced> reduced = reduce(system.equations);
  if (!reduced) {
    EXPECT_EQ(reduced.diagnostics().front().code, "E0263");
    GTEST_SKIP() << "too large to be written";
  }
  const std::size_t n = static_cast<std::size_t>(system.equations.nv()), nv = reduced->velocities.size();
  int compared = 0;
  for (const State& state : later_states_near(system, 8)) {
    const KktSolution expected = solve_kkt(system.dynamics, state);
    if (expected.status != KktStatus::kOk) continue;
    Values values = values_of(system, state, expected);
    if (std::ranges::any_of(reduced->divisors, [&](const Expr& e) { return std::abs(value_at(e, values)) < 1e-3; }))
      continue;
    std::vector<double> v(nv);
    for (std::size_t k = 0; k < nv; ++k) v[k] = value_at(reduced->velocities[k].definition, values);
    for (std::size_t k = 0; k < nv; ++k) values.insert_or_assign(reduced->velocities[k].v.symbol(), v[k]);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(static_cast<int>(nv), static_cast<int>(nv));
    Eigen::VectorXd b(static_cast<int>(nv));
    for (std::size_t e = 0; e < reduced->M.value.size(); ++e)
      M(reduced->M.row[e], reduced->M.col[e]) = value_at(reduced->M.value[e], values);
    for (std::size_t k = 0; k < nv; ++k) b(static_cast<int>(k)) = value_at(reduced->b[k], values);
    const Eigen::VectorXd vdot = M.fullPivLu().solve(-b);
    std::vector<double> qdot(n), qdd(n);
    for (std::size_t i = 0; i < n; ++i) {
      qdot[i] = value_at(reduced->s0[i], values);
      qdd[i] = value_at(reduced->s0dot[i], values);
    }
    const auto add = [](const SparseMatrix& matrix, const Values& at, const auto& by, std::vector<double>& to) {
      for (std::size_t e = 0; e < matrix.value.size(); ++e)
        to[static_cast<std::size_t>(matrix.row[e])] += value_at(matrix.value[e], at) * by(matrix.col[e]);
    };
    const auto of_v = [&](int k) { return v[static_cast<std::size_t>(k)]; };
    add(reduced->S, values, of_v, qdot);
    add(
        reduced->S, values, [&](int k) { return vdot(k); }, qdd);
    add(reduced->Sdot, values, of_v, qdd);
    const double speed = scale_of(state.v), acceleration = scale_of(expected.qdd), force = scale_of(expected.lambda);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(qdot[i], state.v[i], 1e-11 * speed) << "velocity " << i;
      EXPECT_NEAR(qdd[i], expected.qdd[i], 1e-11 * acceleration) << "acceleration " << i;
    }
    // Rates of prescribed velocities are given: all others are in terms of them.
    for (std::size_t k = 0; k < reduced->vdot.size(); ++k)
      if (reduced->vdot[k].same(reduced->velocities[k].vdot))
        values.insert_or_assign(reduced->vdot[k].symbol(), vdot(static_cast<int>(k)));
    for (std::size_t k = 0; k < reduced->vdot.size(); ++k)
      EXPECT_NEAR(value_at(reduced->vdot[k], values), vdot(static_cast<int>(k)), 1e-11 * acceleration) << "vdot " << k;
    for (std::size_t j = 0; j < reduced->lambda.size(); ++j)
      EXPECT_NEAR(value_at(reduced->lambda[j], values), expected.lambda[j], 1e-11 * force) << "lambda " << j;
    for (std::size_t k = 0; k < reduced->actuation.size(); ++k)
      EXPECT_NEAR(value_at(reduced->actuation[k], values),
                  expected.lambda[static_cast<std::size_t>(system.equations.m()) + k], 1e-11 * force)
          << "actuation " << k;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReducedFormulas, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Every reference model through the whole branch: file, equations, tapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "dalembert/compile/compile.h"
#include "dalembert/compile/contacts.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/expr/visit.h"
#include "dalembert/modelfile/load.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

class ReferenceModel : public ::testing::TestWithParam<std::string> {};

/// The system with these contacts closed, and its equations, in which parameters switch the rows of contacts.
struct Switched {
  explicit Switched(const Equations& derived)
      : equations(with_contact_switches(with_prescribed_rows(on_overlay(derived)))), dynamics(compile(derived)) {
    if (dynamics.contacts() != nullptr) dynamics.set_contacts(every_other(dynamics.contacts()->count()));
  }
  Equations equations;
  Dynamics dynamics;
};

// Oracle: evaluate() of the same expressions at three random states. Sums of the same terms in another grouping differ
// by the round-off of their largest intermediate; 1e-12 of the largest output leaves that 4500 ε.
TEST_P(ReferenceModel, KernelIsWhatItsExpressionsSay) {
  const Equations derived = equations_of(GetParam());
  ASSERT_TRUE(derived.model);
  const auto [equations, dynamics] = Switched(derived);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.2, 1.5);
  std::vector<std::vector<double>> of_kind(7);  // by SymbolKind
  for (int round = 0; round < 3; ++round) {
    for (std::vector<double>& values : of_kind) {
      values.resize(static_cast<std::size_t>(
          std::max({1, dynamics.nq(), dynamics.layout().multipliers(), dynamics.layout().inputs})));
      for (double& value : values) value = any(random);
    }
    of_kind[1].assign(dynamics.parameters().begin(), dynamics.parameters().end());
    std::vector<double> work(dynamics.layout().work, std::nan(""));
    const KernelArguments in{.t = of_kind[0][0],
                             .q = of_kind[3].data(),
                             .v = of_kind[4].data(),
                             .qdd = of_kind[5].data(),
                             .lambda = of_kind[6].data(),
                             .u = of_kind[2].data(),
                             .p = of_kind[1].data(),
                             .prepared = dynamics.prepared(),
                             .work = work.data()};
    for (int f = 0; f <= static_cast<int>(KernelFunction::kPower); ++f) {
      const auto function = static_cast<KernelFunction>(f);
      const std::vector<double> expected = evaluate(kernel_expressions(equations, function), [&](SymbolId id) {
        const Symbol& symbol = equations.t.graph().symbol_info(id);
        const auto index = symbol.kind == SymbolKind::kTime ? 0 : static_cast<std::size_t>(symbol.index);
        const SymbolKind kind = symbol.kind == SymbolKind::kQuasiVelocity       ? SymbolKind::kVelocity
                                : symbol.kind == SymbolKind::kQuasiAcceleration ? SymbolKind::kAcceleration
                                                                                : symbol.kind;
        return of_kind[static_cast<std::size_t>(kind)][index];
      });
      std::vector<double> out(output_size(dynamics.layout(), function), std::nan(""));
      ASSERT_EQ(out.size(), expected.size());
      dynamics.kernel().call(function, in, out.data());
      double largest = 1e-3;
      for (const double value : expected) largest = std::max(largest, std::abs(value));
      for (std::size_t i = 0; i < out.size(); ++i) {
        EXPECT_TRUE(std::isfinite(out[i])) << "function " << f << ", output " << i;
        EXPECT_NEAR(out[i], expected[i], 1e-12 * largest) << "function " << f << ", output " << i;
      }
    }
  }
}

// Oracle: the dense KKT solve of the terms that kRates gives, where its pivots are good. Two stable ways differ by the
// condition of the system, at most 1/pivot ratio (1e7, but about 1e3 here) times round-off. Rows of open contacts are left out: the
// dense solve knows no switches.
TEST_P(ReferenceModel, KernelSolvesAsTheDenseSolveDoes) {
  const Equations derived = equations_of(GetParam());
  ASSERT_TRUE(derived.model);
  const Equations equations = with_contacts_held(derived);
  const Dynamics dynamics = compile(equations);
  if (!dynamics.kernel().solves_kkt()) GTEST_SKIP() << "solved outside of the kernel";
  const auto n = static_cast<std::size_t>(dynamics.nv()), m = static_cast<std::size_t>(dynamics.m());
  const std::size_t m_h = dynamics.layout().holonomic.size();
  Workspace workspace(dynamics);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(0.2, 1.5);
  // Of a coordinate without inertia, the dense solver is always the one that reveals ranks.
  const std::set<int> moved(dynamics.layout().M.row.begin(), dynamics.layout().M.row.end());
  const bool without_inertia = moved.size() < n;
  int compared = 0;
  for (int round = 0; round < 5; ++round) {
    std::vector<double> q(static_cast<std::size_t>(dynamics.nq())), v(n), expected(n + m), zero(n);
    for (double& value : q) value = any(random);
    for (double& value : v) value = any(random);
    const auto near = [](const std::vector<double>& out, const double* wanted, std::size_t first, std::size_t count) {
      double largest = 1e-3;
      for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(wanted[i]));
      for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(out[first + i], wanted[i], 1e-9 * largest) << first + i;
    };
    const auto call = [&](KernelFunction function) {
      std::vector<double> out(output_size(dynamics.layout(), function), std::nan(""));
      dynamics.kernel().call(function, kernel_arguments(dynamics, 0.3, q.data(), v.data(), workspace), out.data());
      return out;
    };
    evaluate_rates(dynamics, 0.3, q.data(), v.data(), workspace);
    DenseWorkspace& dense = *workspace.dense(dynamics);
    dense.spread_M(workspace.M);
    dense.spread_W(workspace.W);
    dense.kkt.factor(dense.M.data(), dense.W.data());
    if (!dense.kkt.fast() && !without_inertia) continue;
    if (dense.kkt.fast() && m > 0 && dense.kkt.independence() < 0.03) continue;
    ++compared;
    dense.kkt.solve(workspace.f.data(), workspace.gamma.data(), expected.data(), expected.data() + n);
    const std::vector<double> solved = call(KernelFunction::kAccelerations);
    EXPECT_TRUE(trusted(solved.data() + n + m)) << solved[n + m] << " " << solved[n + m + 1];
    EXPECT_GE(solved[n + m + 1] * (1 + 1e-12), 1);
    near(solved, expected.data(), 0, n);
    near(solved, expected.data() + n, n, m);

    evaluate_velocity_residual(dynamics, 0.3, q.data(), v.data(), workspace);
    dense.kkt.solve(zero.data(), workspace.residual.data(), expected.data(), expected.data() + n);
    const std::vector<double> velocity = call(KernelFunction::kVelocityStep);
    near(velocity, workspace.residual.data(), 0, m);
    near(velocity, expected.data(), 2 * m, n);
    for (std::size_t i = 0; i < m; ++i) EXPECT_GE(velocity[m + i] * (1 + 1e-12), std::abs(velocity[i]));
    // What makes the residuals comes with it.
    evaluate_position(dynamics, 0.3, q.data(), workspace);
    const std::size_t nonzeros = workspace.W.size(), rest = 2 * m + n + 2;
    near(velocity, workspace.W.data(), rest, nonzeros);
    near(velocity, workspace.a.data(), rest + nonzeros, m);
    near(velocity, workspace.h.data(), rest + nonzeros + m, m_h);

    dense.position().factor(dense.M.data(), dense.W_position());
    dense.position().solve(zero.data(), workspace.h.data(), expected.data(), expected.data() + n);
    const std::vector<double> position = call(KernelFunction::kPositionStep);
    near(position, workspace.h.data(), 0, m_h);
    near(position, expected.data(), 2 * m_h, n);
  }
  EXPECT_GT(compared, 0);
}

// Oracle: the equations in which the closed contacts are bilateral rows, and the open ones are left out.
TEST_P(ReferenceModel, SwitchedRowsSolveAsThoseThatAreLeftOut) {
  const Equations derived = equations_of(GetParam());
  ASSERT_TRUE(derived.model);
  if (derived.unilateral.empty()) GTEST_SKIP() << "no contacts";
  const Switched switched(derived);
  const std::vector<char> closed = every_other(derived.unilateral.size());
  const Dynamics held = compile(hold_contacts(derived, closed));
  ASSERT_LT(held.m(), switched.dynamics.m() + 1);
  std::mt19937 random(13);
  std::uniform_real_distribution<double> any(0.2, 1.5);
  const auto solve = [&](const Dynamics& dynamics, const std::vector<double>& q, const std::vector<double>& v) {
    Workspace workspace(dynamics);
    std::vector<double> out(static_cast<std::size_t>(dynamics.nv() + dynamics.layout().multipliers()));
    EXPECT_EQ(solve_kkt(dynamics, 0.3, q.data(), v.data(), workspace, out.data(), out.data() + dynamics.nv()),
              KktStatus::kOk);
    return out;
  };
  for (int round = 0; round < 5; ++round) {
    std::vector<double> q(static_cast<std::size_t>(held.nq())), v(static_cast<std::size_t>(held.nv()));
    for (std::vector<double>* values : {&q, &v})
      for (double& value : *values) value = any(random);
    const std::vector<double> all = solve(switched.dynamics, q, v), some = solve(held, q, v);
    const auto compare = [&](std::size_t i, std::size_t k) {
      EXPECT_NEAR(all[i], some[k], 1e-9 * (1 + std::abs(some[k]))) << i;
    };
    for (std::size_t i = 0; i < v.size(); ++i) compare(i, i);
    for (std::size_t row = 0, kept = 0; row < derived.rows.size(); ++row)
      if (switched.dynamics.acts(static_cast<int>(row)))
        compare(v.size() + row, v.size() + kept++);
      else
        EXPECT_EQ(all[v.size() + row], 0) << row;
  }
}

// Every row, coordinate and output has its name; the start is of the right size and finite.
TEST_P(ReferenceModel, NamesAndStartAreComplete) {
  const Equations derived = equations_of(GetParam());
  ASSERT_TRUE(derived.model);
  const Equations equations = with_prescribed_rows(on_overlay(derived));
  const Dynamics dynamics = compile(equations);
  const Names& names = dynamics.names();
  const auto n = static_cast<std::size_t>(dynamics.nq()), m = static_cast<std::size_t>(dynamics.m());
  EXPECT_EQ(names.coordinates.size(), n);
  EXPECT_EQ(names.coordinate_units.size(), n);
  EXPECT_EQ(names.rows, equations.rows);
  EXPECT_EQ(names.row_units.size(), m);
  EXPECT_EQ(names.lambda_units.size(), m);
  EXPECT_EQ(names.outputs.size(), static_cast<std::size_t>(dynamics.layout().outputs));
  EXPECT_EQ(names.conserved.size(), static_cast<std::size_t>(dynamics.layout().conserved));
  const State start = initial_state(*equations.model);
  EXPECT_EQ(start.q.size(), n);
  EXPECT_EQ(start.v.size(), static_cast<std::size_t>(dynamics.nv()));
  EXPECT_EQ(held_values(*equations.model).hold_position.size(), n);
  EXPECT_EQ(held_values(*equations.model).hold_velocity.size(), start.v.size());
  EXPECT_TRUE(std::ranges::all_of(start.q, [](double x) { return std::isfinite(x); }));
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceModel, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/multiplier_system.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/expr/visit.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

class MultiplierFormulas : public ::testing::TestWithParam<const char*> {};

// Oracle: the multipliers that the compiled KKT system has at a state, an independent way, put into D λ + d = 0.
TEST_P(MultiplierFormulas, HoldForTheMultipliersOfTheKernel) {
  const System system(derive_shipped(GetParam()));
  const auto formulas = build_multiplier_system(system.equations);
  ASSERT_TRUE(formulas);
  State state = system.guess;
  for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += 0.3 + 0.07 * static_cast<double>(i);
  for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] += 0.4 - 0.11 * static_cast<double>(i);
  const KktSolution solution = solve_kkt(system.dynamics, state);
  ASSERT_EQ(solution.status, KktStatus::kOk);

  const auto value_of_symbol = [&](SymbolId s) {
    const Symbol& symbol = formulas->graph->symbol_info(s);
    const auto i = static_cast<std::size_t>(symbol.index);
    if (symbol.kind == SymbolKind::kCoordinate) return state.q[i];
    if (symbol.kind == SymbolKind::kVelocity) return state.v[i];
    if (symbol.kind == SymbolKind::kParameter) return system.equations.model->parameters[i].value;
    return 0.0;  // time and inputs, which these models do not read
  };
  const auto value = [&](const Expr& e) {
    return evaluate(e, [&](SymbolId s) {
      const auto named = std::ranges::find_if(formulas->names, [&](const auto& n) { return n.name.symbol() == s; });
      return named == formulas->names.end() ? value_of_symbol(s) : evaluate(named->value, value_of_symbol);
    });
  };
  std::vector<double> sum, size;
  for (const Expr& d : formulas->d) sum.push_back(value(d)), size.push_back(std::abs(sum.back()));
  for (std::size_t k = 0; k < formulas->D.value.size(); ++k) {
    const double term = value(formulas->D.value[k]) * solution.lambda[static_cast<std::size_t>(formulas->D.col[k])];
    sum[static_cast<std::size_t>(formulas->D.row[k])] += term;
    size[static_cast<std::size_t>(formulas->D.row[k])] += std::abs(term);
  }
  for (std::size_t j = 0; j < sum.size(); ++j) EXPECT_NEAR(sum[j], 0, 1e-11 * (1 + size[j])) << j;
}

// One row, two rows with names, eight rows.
INSTANTIATE_TEST_SUITE_P(Shipped, MultiplierFormulas,
                         ::testing::Values("cartesian-pendulum", "slider-crank", "four-bar"));

// The slider-crank's D and d are too large without names.
TEST(MultiplierFormulas, OfTheSliderCrankAreByName) {
  const auto formulas = build_multiplier_system(derive_shipped("slider-crank"));
  ASSERT_TRUE(formulas);
  EXPECT_FALSE(formulas->names.empty());
}

// Forces that depend on multipliers leave no symmetric system, and the rate of a prescribed coordinate is no unknown.
TEST(MultiplierFormulas, SayWhyThereAreNone) {
  NoClosedForm why{};
  const Equations rubbing = derive_shipped("block-on-incline");
  EXPECT_FALSE(build_multiplier_system(rubbing, kAskedCost, &why));
  EXPECT_EQ(no_multiplier_system(rubbing, why), "forces depend on the multipliers");
  EXPECT_TRUE(build_multiplier_system(derive_shipped("n-link-chain-maximal")));
}

}  // namespace
}  // namespace dalembert

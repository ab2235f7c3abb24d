// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/given_forces.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "dalembert/expr/visit.h"

namespace dalembert {

GivenForces with_given_forces(const Equations& given, bool of_all) {
  GivenForces result{on_overlay(given), {}, {}, {}};
  Equations& eq = result.equations;
  for (std::size_t j = 0; j < eq.lambda.size(); ++j)
    result.acts.push_back(std::ranges::find(eq.Phi.col, static_cast<int>(j)) != eq.Phi.col.end());
  if (!eq.load_dependent() && !of_all) {
    result.loads.resize(eq.lambda.size());
    return result;
  }
  for (std::size_t j = 0; j < eq.lambda.size(); ++j) {
    const bool used = of_all || result.acts[j];
    const Symbol symbol = eq.graph->symbol_info(eq.lambda[j].symbol());
    const int place = static_cast<int>(eq.lambda.size() + eq.frictions.size() + j);
    result.loads.push_back(used ? eq.graph->add_symbol({symbol.name, symbol.kind, place, symbol.latex}) : Expr());
  }
  Equations loaded = eq;
  for (std::size_t j = 0; j < loaded.lambda.size(); ++j)
    if (result.loads[j]) loaded.lambda[j] = result.loads[j];
  for (int i = 0; i < eq.nv(); ++i) eq.F[static_cast<std::size_t>(i)] = loaded.whole_force(i);
  result.frictions = eq.frictions;
  eq.frictions.clear();
  eq.Phi = eq.C = eq.load = {};
  return result;
}

bool in_plane(const GivenForces& forces, std::size_t i) {
  return forces.frictions[i].second || (i + 1 < forces.frictions.size() && forces.frictions[i + 1].second);
}

Expr SolvedLoads::of(const Expr& expression) {
  const std::vector<SymbolId> symbols = symbols_in(std::array{expression});
  if (std::ranges::none_of(eq_.lambda, [&](const Expr& l) { return std::ranges::binary_search(symbols, l.symbol()); }))
    return expression;
  if (!tried_) form_ = build_closed_form(eq_);
  tried_ = true;
  if (!form_) return {};
  std::unordered_map<SymbolId, Expr> values;
  for (std::size_t j = 0; j < eq_.lambda.size(); ++j) values.emplace(eq_.lambda[j].symbol(), form_->lambda[j]);
  return substitute(expression, values);
}

}  // namespace dalembert

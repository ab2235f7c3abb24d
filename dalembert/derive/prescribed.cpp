// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "dalembert/derive/equations.h"

#include "dalembert/derive/velocity_rows.h"

namespace dalembert {
Equations with_prescribed_rows(Equations eq) {
  const std::vector<Prescribed>& prescribed = eq.model->prescribed;
  if (eq.actuated > 0 || prescribed.empty()) return eq;
  Graph& graph = *eq.graph;
  std::unordered_map<SymbolId, Expr> in_time;
  for (const auto& [symbol, rate] : eq.model->time_rates()) in_time.emplace(symbol, graph.adopt(rate));
  const auto rate = [&](const Expr& e) { return directional_derivative(std::array{e}, in_time).front(); };
  std::unordered_map<SymbolId, Expr> along = rates_of_state(eq);
  along.insert(in_time.begin(), in_time.end());
  std::unordered_map<SymbolId, Expr> coasting = along;  // time derivative of each symbol along a motion with v̇ = 0
  for (const Expr& v : eq.velocities()) coasting[v.symbol()] = graph.constant(0);

  eq.W.cols = eq.Wdot.cols = eq.nv();
  for (const Prescribed& one : prescribed) {
    const int j = eq.m(), i = one.coordinate;
    const auto at = static_cast<std::size_t>(i);
    const std::string& name = eq.model->coordinates[at].name;
    const Expr f = graph.adopt(one.value), slope = rate(f);
    eq.rows.push_back(name);
    eq.holonomic.push_back(j);
    eq.h.push_back(eq.q[at] - f);
    eq.lambda.push_back(graph.add_symbol({fmt::format("actuation({})", name), SymbolKind::kMultiplier, j,
                                          graph.symbol_info(one.actuation.symbol()).latex}));
    if (eq.v_is_qdot()) {
      add_entry(eq.W, j, i, graph.constant(1));
      eq.a.push_back(-slope);
      eq.gamma.push_back(-rate(slope));
      continue;
    }
    // The rate of the prescribed coordinate: α̇ = Σ N v + n₀.
    std::vector<Graph::Term> velocity{{eq.n0[at], 1}};
    for (std::size_t k = 0; k < eq.N.value.size(); ++k) {
      if (eq.N.row[k] != i) continue;
      const Expr entry = eq.N.value[k];
      add_entry(eq.W, j, eq.N.col[k], entry);
      if (const Expr change = directional_derivative(std::array{entry}, along).front(); !change.is_zero())
        add_entry(eq.Wdot, j, eq.N.col[k], change);
      velocity.push_back({entry * eq.v[static_cast<std::size_t>(eq.N.col[k])], 1});
    }
    eq.a.push_back(eq.n0[at] - slope);
    eq.gamma.push_back(directional_derivative(std::array{graph.sum(velocity)}, coasting).front() - rate(slope));
  }
  eq.actuated = static_cast<int>(prescribed.size());
  eq.W.rows = eq.Wdot.rows = eq.m();
  // The multipliers of friction forces are numbered after those of all rows.
  eq.Phi.cols = eq.load.cols = eq.m();
  for (std::size_t j = 0; j < eq.frictions.size(); ++j) {
    const Symbol symbol = graph.symbol_info(eq.frictions[j].force.symbol());
    eq.frictions[j].force =
        graph.add_symbol({symbol.name, SymbolKind::kMultiplier, eq.m() + static_cast<int>(j), symbol.latex});
  }
  return eq;
}

std::unordered_map<SymbolId, Expr> actuation_multipliers(const Equations& eq) {
  std::unordered_map<SymbolId, Expr> found;
  for (int k = 0; k < eq.actuated; ++k)
    found.emplace(eq.model->prescribed[static_cast<std::size_t>(k)].actuation.symbol(),
                  eq.lambda[static_cast<std::size_t>(eq.m() - eq.actuated + k)]);
  return found;
}

}  // namespace dalembert

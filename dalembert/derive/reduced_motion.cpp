// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/reduced_motion.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Sets N and n₀ of q̇ = N v + n₀ in the quasi-velocities: S and s₀ or, where the given velocities are not q̇, N S and N s₀ + n₀.
void compose(const Equations& given, const Reduced& reduced, Equations& eq) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  if (given.v_is_qdot()) {
    eq.N = reduced.S;
    eq.n0 = reduced.s0;
    return;
  }
  Graph& graph = *reduced.graph;
  eq.N = {given.n(), reduced.nv(), {}, {}, {}};
  eq.n0.clear();
  for (int i = 0; i < given.n(); ++i) {
    std::vector<std::vector<Graph::Term>> sums(at(reduced.nv()));
    std::vector<Graph::Term> rest{{graph.adopt(given.n0[at(i)]), 1}};
    for (std::size_t k = 0; k < given.N.value.size(); ++k) {
      if (given.N.row[k] != i) continue;
      const Expr entry = graph.adopt(given.N.value[k]);
      rest.push_back({entry * reduced.s0[at(given.N.col[k])], 1});
      for (std::size_t l = 0; l < reduced.S.value.size(); ++l)
        if (reduced.S.row[l] == given.N.col[k]) sums[at(reduced.S.col[l])].push_back({entry * reduced.S.value[l], 1});
    }
    for (int j = 0; j < reduced.nv(); ++j)
      if (!sums[at(j)].empty()) add_entry(eq.N, i, j, graph.sum(sums[at(j)]));
    eq.n0.push_back(graph.sum(rest));
  }
}

// Equations with the coordinates alone, in the graph of the formulas. Their model states no constraints,
// quasi-velocities, outputs, events, integrals and claims.
Equations without_equations(const Equations& given, const Reduced& reduced) {
  Graph& graph = *reduced.graph;
  Equations eq;
  auto model = std::make_shared<Model>(*given.model);
  model->constraints.clear();
  model->quasi_velocities.clear();
  model->outputs.clear();
  model->events.clear();
  model->integrals.clear();
  model->claims.clear();
  eq.model = std::move(model);
  eq.graph = reduced.graph;
  eq.quaternions = given.quaternions;
  eq.t = graph.adopt(given.t);
  const auto adopt = [&](const std::vector<Expr>& list, std::vector<Expr>& to) {
    for (const Expr& e : list) to.push_back(graph.adopt(e));
  };
  adopt(given.q, eq.q);
  adopt(given.qd, eq.qd);
  adopt(given.qdd, eq.qdd);
  return eq;
}

}  // namespace

Result<Equations> reduced_motion(const Equations& given, const Reduced& reduced) {
  Graph& graph = *reduced.graph;
  const Expr zero = graph.constant(0);
  Equations eq = without_equations(given, reduced);

  // A quasi-velocity may have the symbol of a coordinate's rate; here it gets a symbol of its own as entry k of v.
  std::unordered_map<SymbolId, Expr> own;
  for (const ReducedVelocity& velocity : reduced.velocities) {
    const int k = static_cast<int>(eq.v.size());
    const std::string latex = graph.symbol_info(velocity.v.symbol()).latex;
    eq.v.push_back(graph.add_symbol({velocity.name, SymbolKind::kQuasiVelocity, k, latex}));
    eq.vdot.push_back(graph.add_symbol({velocity.name, SymbolKind::kQuasiAcceleration, k, latex}));
    own.emplace(velocity.v.symbol(), eq.v.back());
    own.emplace(velocity.vdot.symbol(), eq.vdot.back());
  }
  // Actuations are dropped here: with_prescribed_rows() adds them as multipliers of rows of their own.
  for (const Prescribed& one : given.model->prescribed) own.emplace(graph.adopt(one.actuation).symbol(), zero);
  const auto in_own = [&](const Expr& e) { return substitute(e, own); };
  const auto in_v = [&](const Expr& e) { return in_own(in_quasi_velocities(given, reduced, e)); };

  compose(given, reduced, eq);
  eq.M = reduced.M;
  for (std::vector<Expr>* list : {&eq.N.value, &eq.n0, &eq.M.value})
    for (Expr& e : *list) e = in_own(e);
  for (const Expr& b : reduced.b) eq.B.push_back(in_own(b));
  eq.G.assign(eq.B.size(), zero);
  eq.F = eq.G;
  eq.W = eq.Wdot = {0, eq.nv(), {}, {}, {}};
  eq.T = in_v(given.T);
  eq.V = in_v(given.V);
  eq.L = in_v(given.L);
  eq.E = in_v(given.E);
  eq.dLdt = in_v(given.dLdt);
  for (const Expr& p : given.p) eq.p.push_back(in_v(p));
  std::vector<Graph::Term> power{{in_v(given.power), 1}};
  for (std::size_t j = 0; j < given.a.size(); ++j) {
    if (given.a[j].is_zero()) continue;
    if (reduced.lambda.empty())
      return error("E0231", "the power of moving constraints needs multipliers, which have no closed form here");
    power.push_back({in_own(reduced.lambda[j]) * in_v(given.a[j]), -1});
  }
  eq.power = graph.sum(power);
  eq.conservative = given.conservative;
  for (const ConservedQuantity& quantity : given.momenta)
    eq.momenta.push_back({quantity.name, in_v(quantity.expression)});
  return eq;
}

}  // namespace dalembert

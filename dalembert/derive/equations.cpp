// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/equations.h"

#include <algorithm>

namespace dalembert {
namespace {

template <class Change>
void change_all(Equations& eq, Change change) {
  for (Expr* e : {&eq.t, &eq.T, &eq.V, &eq.L, &eq.E, &eq.dLdt, &eq.power}) change(*e);
  for (std::vector<Expr>* list : {&eq.q, &eq.qd, &eq.qdd, &eq.v, &eq.vdot, &eq.n0, &eq.p, &eq.B, &eq.G, &eq.F, &eq.h,
                                  &eq.lambda, &eq.a, &eq.gamma, &eq.N.value, &eq.M.value, &eq.W.value, &eq.Wdot.value})
    for (Expr& e : *list) change(e);
  for (SparseMatrix* matrix : {&eq.Phi, &eq.C, &eq.load})
    for (Expr& e : matrix->value) change(e);
  for (FrictionLaw& law : eq.frictions)
    for (Expr* e :
         {&law.force, &law.velocity, &law.c0, &law.gamma, &law.normal, &law.N0, &law.mu, &law.mu_s, &law.viscous})
      change(*e);
  for (ConservedQuantity& quantity : eq.momenta) change(quantity.expression);
  for (UnilateralRow& one : eq.unilateral)
    if (one.restitution) change(one.restitution);
  for (Expr& e : eq.idle) change(e);
}

}  // namespace

Equations on_overlay(const Equations& equations) {
  Equations moved = equations;
  if (equations.graph == nullptr || equations.graph->is_overlay()) return moved;
  // The overlay must also see expressions that were built in the graph after `derive`.
  std::size_t nodes = equations.nodes != 0 ? equations.nodes : equations.graph->size();
  change_all(moved, [&](const Expr& e) {
    if (e) nodes = std::max(nodes, e.id() + std::size_t{1});
  });
  moved.graph = std::make_shared<Graph>(equations.graph, nodes);
  change_all(moved, [&](Expr& e) { e = moved.graph->adopt(e); });
  return moved;
}

Expr Equations::whole_force(int i) const {
  std::vector<Graph::Term> terms{{F[static_cast<std::size_t>(i)], 1}};
  for (std::size_t k = 0; k < Phi.value.size(); ++k)
    if (Phi.row[k] == i) terms.push_back({Phi.value[k] * lambda[static_cast<std::size_t>(Phi.col[k])], 1});
  for (std::size_t k = 0; k < C.value.size(); ++k)
    if (C.col[k] == i) terms.push_back({C.value[k] * frictions[static_cast<std::size_t>(C.row[k])].force, -1});
  return terms.size() == 1 ? F[static_cast<std::size_t>(i)] : graph->sum(terms);
}

std::unordered_map<SymbolId, Expr> frictions_of_model(const Equations& eq) {
  std::unordered_map<SymbolId, Expr> symbols;
  for (std::size_t j = 0; j < eq.frictions.size(); ++j)
    if (const SymbolId stated = eq.model->frictions[j].force.symbol(); stated != eq.frictions[j].force.symbol())
      symbols.emplace(stated, eq.frictions[j].force);
  return symbols;
}

std::unordered_map<SymbolId, Expr> rates_of_state(const Equations& eq) {
  std::unordered_map<SymbolId, Expr> rates;
  const std::vector<Expr>&v = eq.velocities(), &vdot = eq.accelerations();
  for (std::size_t j = 0; j < v.size(); ++j) rates.emplace(v[j].symbol(), vdot[j]);
  std::vector<std::vector<Graph::Term>> terms(eq.n0.size());
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i].push_back({eq.n0[i], 1});
  for (std::size_t k = 0; k < eq.N.value.size(); ++k)
    terms[static_cast<std::size_t>(eq.N.row[k])].push_back(
        {eq.N.value[k] * v[static_cast<std::size_t>(eq.N.col[k])], 1});
  for (std::size_t i = 0; i < eq.q.size(); ++i)
    rates.emplace(eq.q[i].symbol(), eq.v_is_qdot() ? eq.qd[i] : eq.graph->sum(terms[i]));
  return rates;
}

std::unordered_map<SymbolId, Expr> motion_of_coordinates(const Equations& eq) {
  std::unordered_map<SymbolId, Expr> motion;
  if (eq.v_is_qdot()) return motion;
  std::unordered_map<SymbolId, Expr> along = rates_of_state(eq);
  std::vector<Expr> qdot;
  for (const Expr& q : eq.q) qdot.push_back(along.at(q.symbol()));
  for (const auto& [symbol, rate] : eq.model->time_rates()) along.emplace(symbol, eq.graph->adopt(rate));
  const std::vector<Expr> second = directional_derivative(qdot, along);
  for (std::size_t i = 0; i < qdot.size(); ++i) {
    motion.emplace(eq.qd[i].symbol(), qdot[i]);
    motion.emplace(eq.qdd[i].symbol(), second[i]);
  }
  return motion;
}

}  // namespace dalembert

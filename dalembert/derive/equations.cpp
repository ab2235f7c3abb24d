// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/equations.h"

#include <algorithm>

namespace dalembert {
namespace {

template <class Change>
void change_all(Equations& eq, Change change) {
  for (Expr* e : {&eq.t, &eq.T, &eq.V, &eq.L, &eq.E, &eq.dLdt, &eq.power}) change(*e);
  for (std::vector<Expr>* list : {&eq.q, &eq.qd, &eq.qdd, &eq.p, &eq.B, &eq.G, &eq.F, &eq.h, &eq.lambda, &eq.a,
                                  &eq.gamma, &eq.M.value, &eq.W.value, &eq.Wdot.value})
    for (Expr& e : *list) change(e);
  for (ConservedQuantity& quantity : eq.momenta) change(quantity.expression);
}

}  // namespace

Equations on_overlay(const Equations& equations) {
  Equations moved = equations;
  if (equations.graph == nullptr || equations.graph->is_overlay()) return moved;
  // Entries that were built after `derive` are known too.
  std::size_t nodes = equations.nodes != 0 ? equations.nodes : equations.graph->size();
  change_all(moved, [&](const Expr& e) {
    if (e) nodes = std::max(nodes, e.id() + std::size_t{1});
  });
  moved.graph = std::make_shared<Graph>(equations.graph, nodes);
  change_all(moved, [&](Expr& e) { e = moved.graph->adopt(e); });
  return moved;
}

}  // namespace dalembert

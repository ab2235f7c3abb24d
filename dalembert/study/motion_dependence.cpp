// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/motion_dependence.h"

#include <algorithm>
#include <cstddef>

#include "dalembert/compile/equation_derivatives.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

using Used = std::vector<SymbolId>;

// The symbols in what is not part of the equations of a mode: frictions, contacts, inputs and events.
Used symbols_beside(const Equations& e) {
  std::vector<Expr> all;
  for (const FrictionLaw& law : e.frictions)
    for (const Expr& part : {law.c0, law.gamma, law.N0, law.mu, law.mu_s, law.viscous}) all.push_back(part);
  for (const UnilateralRow& one : e.unilateral) all.push_back(e.h[static_cast<std::size_t>(one.row)]);
  for (const Input& input : e.model->inputs)
    if (input.value) all.push_back(e.graph->adopt(input.value));
  for (const Event& event : e.model->events) {
    all.push_back(e.graph->adopt(event.when));
    if (event.where) all.push_back(e.graph->adopt(event.where));
    for (const Event::Setting& setting : event.set) all.push_back(e.graph->adopt(setting.value));
  }
  return symbols_in(all);
}

Used symbols_of_equations(const Equations& e) {
  std::vector<Expr> all;
  for (const std::vector<Expr>* list : {&e.M.value, &e.B, &e.G, &e.F, &e.W.value, &e.a, &e.gamma, &e.N.value, &e.n0,
                                        &e.Phi.value, &e.C.value, &e.load.value})
    all.insert(all.end(), list->begin(), list->end());
  return symbols_in(all);
}

bool contains(const Used& used, const Expr& symbol) { return std::ranges::binary_search(used, symbol.symbol()); }

}  // namespace

MotionDependence dependence_of(const BuiltModel& system) {
  const Equations equations = with_prescribed_rows(on_overlay(system.equations));
  const Used beside = symbols_beside(equations), within = symbols_of_equations(equations);
  MotionDependence dependence{.on_time = contains(within, equations.t) || contains(beside, equations.t) ||
                                         system.dynamics.has_tables()};
  for (const Expr& q : equations.q) dependence.on.push_back(contains(within, q) || contains(beside, q));
  const std::vector<int> driven = system.model->actuated();
  if (driven.empty() || dependence.on_time) return dependence;
  // Drives at constant rates: the time is where they are, and counts only if something contains them.
  const EquationDerivatives derivatives(system.equations);
  dependence.on_time = derivatives.motion_depends_on(derivatives.columns().t);
  for (const int i : driven) {
    const auto coordinate = static_cast<std::size_t>(i);
    dependence.on_time = dependence.on_time || contains(beside, equations.q[coordinate]);
    dependence.on[coordinate] = dependence.on_time;
  }
  return dependence;
}

}  // namespace dalembert

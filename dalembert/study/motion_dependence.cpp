// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/motion_dependence.h"

#include <algorithm>
#include <cstddef>

#include "dalembert/compile/equation_derivatives.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/parameter_values.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

// What is not part of the equations of a mode: frictions, contacts, inputs and events.
std::vector<Expr> expressions_beside(const Equations& e) {
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
  return all;
}

std::vector<Expr> expressions_of_equations(const Equations& e) {
  std::vector<Expr> all;
  for (const std::vector<Expr>* list : {&e.M.value, &e.B, &e.G, &e.F, &e.W.value, &e.a, &e.gamma, &e.N.value, &e.n0,
                                        &e.Phi.value, &e.C.value, &e.load.value})
    all.insert(all.end(), list->begin(), list->end());
  return all;
}

bool contains(const std::vector<SymbolId>& used, const Expr& symbol) {
  return std::ranges::binary_search(used, symbol.symbol());
}

}  // namespace

MotionDependence dependence_of(const BuiltModel& system) {
  const Equations equations = with_prescribed_rows(on_overlay(system.equations));
  const std::vector<Expr> others = expressions_beside(equations), own = expressions_of_equations(equations);
  const std::vector<SymbolId> beside = symbols_in(others), within = symbols_in(own);
  MotionDependence dependence{.on_time = system.dynamics.has_tables() || depends_on_time(equations, own) ||
                                         depends_on_time(equations, others)};
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

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/contact_mode.h"

#include <algorithm>
#include <unordered_map>

#include "dalembert/derive/kept_rows.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The model without its open contacts: row r is row place[r], and `in_mode` says what an expression is then.
template <typename InMode>
std::shared_ptr<Model> model_in_mode(const Equations& eq, const std::vector<int>& place, const InMode& in_mode) {
  auto model = std::make_shared<Model>(*eq.model);
  int row = 0;
  for (Constraint& constraint : model->constraints) {
    std::vector<ConstraintRow> rows;
    for (ConstraintRow& one : constraint.rows)
      if (const int now = place[at(row++)]; now >= 0) {
        one.lambda = eq.lambda[at(now)];
        rows.push_back(one);
      }
    constraint.rows = std::move(rows);
    constraint.unilateral = false;
    constraint.restitution = {};
  }
  std::erase_if(model->constraints, [](const Constraint& constraint) { return constraint.rows.empty(); });
  for (Friction& friction : model->frictions) friction.normal = in_mode(friction.normal);
  return model;
}

// Calls `visit` for each expression of the outputs and events of a model, const or not, and of the integrals that they may read.
template <typename SomeModel, typename Visit>
void visit_results(SomeModel& model, const Visit& visit) {
  for (auto& output : model.outputs) visit(output.expression);
  for (auto& event : model.events) {
    visit(event.when);
    visit(event.where);
    for (auto& setting : event.set) visit(setting.value);
  }
  for (auto& integral : model.integrals) visit(integral.integrand);
}

}  // namespace

std::vector<ContactResult> contact_results(const Model& model) {
  std::vector<Expr> all;
  visit_results(model, [&](const Expr& e) {
    if (e) all.push_back(e);
  });
  std::vector<ContactResult> found;
  for (const SymbolId id : symbols_in(all)) {
    const Symbol& symbol = all.front().graph().symbol_info(id);
    const std::string_view row = row_of_contact(symbol.name);
    if (symbol.kind != SymbolKind::kMultiplier || row.empty()) continue;
    found.push_back({id, symbol.name.starts_with("impulse"), std::string(row)});
  }
  return found;
}

void substitute_results(Model& model, Graph& graph, const std::unordered_map<SymbolId, Expr>& values) {
  visit_results(model, [&](Expr& e) {
    if (e) e = substitute(graph.adopt(e), values);
  });
}

Equations with_impulses(Equations eq, const std::function<Expr(Model& model, const std::string& name)>& add) {
  std::vector<ContactResult> results = contact_results(*eq.model);
  std::erase_if(results, [](const ContactResult& result) { return !result.impulse; });
  if (results.empty()) return eq;
  auto model = std::make_shared<Model>(*eq.model);
  std::unordered_map<SymbolId, Expr> values;
  for (const UnilateralRow& one : eq.unilateral) {
    const std::string& row = eq.rows[at(one.row)];
    const Expr impulse = add(*model, "impulse(" + row + ")");
    for (const ContactResult& result : results)
      if (result.row == row) values.emplace(result.symbol, impulse);
  }
  substitute_results(*model, *eq.graph, values);
  eq.model = std::move(model);
  return eq;
}

Equations with_switched_rows(Equations eq, const std::function<Expr(Model& model, const std::string& name)>& add) {
  auto model = std::make_shared<Model>(*eq.model);
  const std::vector<ContactResult> results = contact_results(*model);
  std::unordered_map<SymbolId, Expr> values;
  eq.idle.assign(at(eq.m()), eq.graph->constant(0));
  std::vector<Expr> acts(at(eq.m()));
  for (const UnilateralRow& one : eq.unilateral) {
    Expr& factor = acts[at(one.row)];
    factor = add(*model, "closed(" + eq.rows[at(one.row)] + ")");
    for (const ContactResult& result : results)
      if (!result.impulse && result.row == eq.rows[at(one.row)]) values.emplace(result.symbol, factor);
    eq.idle[at(one.row)] = 1 - factor;
    for (std::vector<Expr>* list : {&eq.h, &eq.a, &eq.gamma}) (*list)[at(one.row)] = factor * (*list)[at(one.row)];
  }
  for (SparseMatrix* matrix : {&eq.W, &eq.Wdot})
    for (std::size_t k = 0; k < matrix->value.size(); ++k)
      if (const Expr& factor = acts[at(matrix->row[k])]) matrix->value[k] = factor * matrix->value[k];
  substitute_results(*model, *eq.graph, values);
  eq.model = std::move(model);
  return eq;
}

Equations hold_contacts(const Equations& given, const std::vector<char>& closed) {
  Equations eq = on_overlay(given);
  Graph& graph = *eq.graph;
  std::vector<int> place(at(eq.m()), 0);  // new index of each row; -1: an open contact
  for (std::size_t k = 0; k < closed.size(); ++k)
    if (closed[k] == 0) place[at(eq.unilateral[k].row)] = -1;
  int count = 0;
  for (int& row : place)
    if (row == 0) row = count++;

  // The index of a multiplier's symbol is that of its row.
  std::unordered_map<SymbolId, Expr> multipliers;
  for (int r = 0; r < eq.m(); ++r) {
    const Symbol symbol = graph.symbol_info(eq.lambda[at(r)].symbol());
    const int now = place[at(r)];
    if (now == r) continue;
    const Expr to = now < 0 ? graph.constant(0) : graph.add_symbol({symbol.name, symbol.kind, now, symbol.latex});
    multipliers.emplace(eq.lambda[at(r)].symbol(), to);
    eq.lambda[at(r)] = to;
  }
  for (const ContactResult& result : contact_results(*eq.model)) {
    const auto one =
        std::ranges::find(eq.unilateral, result.row, [&](const UnilateralRow& u) { return eq.rows[at(u.row)]; });
    const bool is_closed = closed[at(static_cast<int>(one - eq.unilateral.begin()))] != 0;
    multipliers.emplace(result.symbol, graph.constant(!result.impulse && is_closed ? 1 : 0));
  }
  keep_rows(eq, place);
  eq.unilateral.clear();
  const auto in_mode = [&](const Expr& e) { return e ? substitute(graph.adopt(e), multipliers) : e; };
  // A friction that only open contacts press is none.
  std::vector<int> acting(eq.frictions.size(), -1);
  int frictions = 0;
  for (std::size_t j = 0; j < eq.frictions.size(); ++j) {
    FrictionLaw& law = eq.frictions[j];
    const bool has_normal = !law.normal.is_zero();
    law.normal = in_mode(law.normal);
    if (has_normal && law.normal.is_zero()) {
      multipliers.emplace(eq.model->frictions[j].force.symbol(), graph.constant(0));
      continue;
    }
    acting[j] = frictions;
    const Symbol symbol = graph.symbol_info(law.force.symbol());
    law.force = graph.add_symbol({symbol.name, symbol.kind, count + frictions++, symbol.latex});
  }
  keep(eq.C, acting, true, frictions);
  keep(eq.load, acting, true, frictions);
  keep(eq.frictions, acting);

  auto model = model_in_mode(eq, place, in_mode);
  keep(model->frictions, acting);
  substitute_results(*model, graph, multipliers);
  eq.model = std::move(model);
  return eq;
}

}  // namespace dalembert

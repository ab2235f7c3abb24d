// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/given_forces.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include "dalembert/derive/contact_mode.h"
#include "dalembert/derive/kept_rows.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

namespace {

// `contacts`: contacts have given forces beside those that depend on them.
GivenForces give(const Equations& given, bool of_all, bool contacts) {
  GivenForces result{on_overlay(given), {}, {}, {}, {}};
  Equations& eq = result.equations;
  for (std::size_t j = 0; j < eq.lambda.size(); ++j)
    result.acts.push_back(std::ranges::find(eq.Phi.col, static_cast<int>(j)) != eq.Phi.col.end());
  contacts = contacts && !eq.unilateral.empty();
  if (!eq.load_dependent() && !of_all && !contacts) {
    result.loads.resize(eq.lambda.size());
    return result;
  }
  for (std::size_t j = 0; j < eq.lambda.size(); ++j) {
    const bool used = of_all || result.acts[j] || (contacts && eq.is_unilateral(j));
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

}  // namespace

GivenForces with_given_forces(const Equations& given, bool of_all) { return give(given, of_all, false); }

GivenForces with_open_contacts(const Equations& given, bool of_all, bool loads) {
  GivenForces result = give(given, of_all, loads);
  Equations& eq = result.equations;
  if (eq.unilateral.empty()) return result;
  std::vector<int> place(eq.lambda.size());
  for (const UnilateralRow& one : eq.unilateral) {
    const auto row = static_cast<std::size_t>(one.row);
    place[row] = -1;
    const Expr restitution = one.restitution ? eq.graph->adopt(one.restitution) : Expr();
    result.contacts.push_back({eq.rows[row], eq.h[row], velocity_of_row(eq, one.row), restitution, result.loads[row]});
  }
  if (loads)
    for (std::size_t k = 0; k < eq.W.value.size(); ++k)
      if (const auto row = static_cast<std::size_t>(eq.W.row[k]); place[row] < 0) {
        Expr& force = eq.F[static_cast<std::size_t>(eq.W.col[k])];
        force = force + eq.W.value[k] * result.loads[row];
      }
  auto model = std::make_shared<Model>(*eq.model);
  if (!result.frictions.empty()) model->frictions.clear();
  eq.model = std::move(model);
  const std::vector<Expr> before = eq.lambda;
  eq = hold_contacts(eq, std::vector<char>(eq.unilateral.size(), 0));
  // The rows that are left have multipliers of their own, which normal forces contain.
  std::unordered_map<SymbolId, Expr> now;
  int row = 0;
  for (std::size_t j = 0; j < before.size(); ++j) {
    if (place[j] >= 0) place[j] = row++;
    now.emplace(before[j].symbol(), place[j] >= 0 ? eq.lambda[static_cast<std::size_t>(place[j])] : result.loads[j]);
  }
  for (FrictionLaw& law : result.frictions) law.normal = substitute(eq.graph->adopt(law.normal), now);
  keep(result.loads, place);
  keep(result.acts, place);
  return result;
}

std::optional<Equations> while_sliding(const GivenForces& forces, const Equations& equations,
                                       Canonicalizer& canonicalizer) {
  Equations eq = equations;
  Graph& graph = *eq.graph;
  SolvedLoads solved(equations);
  std::unordered_map<SymbolId, Expr> values;
  for (const GivenContact& contact : forces.contacts)
    if (contact.force) values.emplace(contact.force.symbol(), graph.constant(0));
  // The size of a normal force or multiplier, free of given forces.
  const auto by_state = [&](const Expr& of_multipliers) {
    const Expr formula = solved.of(substitute(of_multipliers, values));
    if (!formula) return Expr();
    const auto form = canonicalizer.canonical(substitute(formula, values));
    const Expr clean = form ? canonicalizer.expression(*form) : Expr();
    return !clean || depends_on_kind(clean, SymbolKind::kMultiplier) ? Expr() : clean;
  };
  for (std::size_t i = 0; i < forces.frictions.size(); ++i) {
    const FrictionLaw& law = forces.frictions[i];
    // A friction that only open contacts press is none.
    if (substitute(law.normal, values).is_zero() && !law.normal.is_zero()) {
      values.emplace(law.force.symbol(), graph.constant(0));
      continue;
    }
    const Expr normal = by_state(law.normal);
    if (!normal) return std::nullopt;
    Expr direction = sign(law.velocity);
    if (in_plane(forces, i)) {
      const std::size_t first = law.second ? i - 1 : i;
      direction = law.velocity / sqrt(graph.power(forces.frictions[first].velocity, 2) +
                                      graph.power(forces.frictions[first + 1].velocity, 2));
    }
    Expr force = law.mu ? law.mu * abs(normal) * direction : graph.constant(0);
    if (law.viscous) force = force + law.viscous * law.velocity;
    values.emplace(law.force.symbol(), force);
  }
  std::unordered_map<SymbolId, Expr> multipliers;
  for (std::size_t j = 0; j < forces.loads.size(); ++j) {
    if (!forces.loads[j]) continue;
    const Expr multiplier = forces.acts[j] ? by_state(eq.lambda[j]) : graph.constant(0);
    if (!multiplier) return std::nullopt;
    multipliers.emplace(forces.loads[j].symbol(), multiplier);
  }
  values.insert(multipliers.begin(), multipliers.end());
  for (Expr& force : eq.F) force = substitute(force, values);
  return eq;
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

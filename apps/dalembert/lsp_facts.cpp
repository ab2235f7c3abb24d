// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/lsp_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/expr/visit.h"

namespace dalembert::app {
namespace {

using editor::NameFact;
using editor::NameKind;

std::string unit_text(const std::optional<Dimension>& dimension, Measure measure = Measure::kAny) {
  return dimension ? unit_name(*dimension, measure) : std::string();
}

// The values of symbols at a state; what is not there has no value.
using SymbolValues = std::unordered_map<SymbolId, double>;

SymbolValues values_at(const Model& model, const State& state) {
  SymbolValues values{{model.t.symbol(), state.t}};
  for (const Parameter& parameter : model.parameters) values[parameter.symbol.symbol()] = parameter.value;
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
    values[model.coordinates[i].q.symbol()] = state.q[i];
    if (model.quaternions.empty()) values[model.coordinates[i].qd.symbol()] = state.v[i];
  }
  return values;
}

std::optional<double> value_of(const Expr& expression, const SymbolValues& values) {
  if (!expression) return std::nullopt;
  const double value = evaluate(expression, [&](SymbolId symbol) {
    const auto found = values.find(symbol);
    return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  });
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// The multipliers of a constraint at the start: "at the start: lambda(pin[1]) = 3.2 N, lambda(pin[2]) = -1 N".
std::string multipliers_text(const Constraint& constraint, const Names& names, const KktSolution& solution) {
  constexpr std::size_t kMost = 12;  // rows of one constraint that are shown
  std::vector<std::string> all;
  for (std::size_t r = 0; r < names.constraint_rows() && all.size() < kMost; ++r) {
    if (std::ranges::find(constraint.rows, names.rows[r], &ConstraintRow::name) == constraint.rows.end()) continue;
    all.push_back(fmt::format("lambda({}) = {}{}{}", names.rows[r], to_text(solution.lambda[r], 6),
                              unit_suffix(names.lambda_units[r]), solution.lambda_unique[r] ? "" : " (not unique)"));
  }
  if (all.empty()) return {};
  if (constraint.rows.size() > kMost) all.emplace_back("others");
  return "at the start: " + join_words(all, "");
}

// The constraints' multipliers and the outputs, whose values take the dynamics.
void add_of_dynamics(editor::Facts& facts, const System& system, const State& state) {
  constexpr double kConsistent = 1e-8;  // largest gap of a closed contact, in the units of the rows
  const Dynamics dynamics = with_contacts_decided(system.dynamics, state, kConsistent);
  const Terms terms = evaluate_terms(dynamics, state);
  const Names& names = dynamics.names();
  for (NameFact& fact : facts.names)
    if (const auto found = std::ranges::find(names.outputs, fact.name);
        fact.kind == NameKind::kOutput && found != names.outputs.end()) {
      const double value = terms.outputs[static_cast<std::size_t>(found - names.outputs.begin())];
      if (std::isfinite(value)) fact.value = value;
    }
  if (!terms.has_motion()) return;
  for (const Constraint& constraint : system.model->constraints)
    if (std::string said = multipliers_text(constraint, names, terms.solution); !said.empty())
      facts.names.push_back({NameKind::kConstraint, constraint.name, {}, {}, std::move(said)});
}

}  // namespace

editor::Facts facts_of_model(const Model& model) {
  editor::Facts facts;
  const auto add = [&](NameKind kind, const std::string& name, const std::string& unit,
                       std::optional<double> value = {}) {
    facts.names.push_back({kind, name, unit, value, {}});
  };
  for (const Coordinate& one : model.coordinates)
    add(NameKind::kCoordinate, one.name, unit_text(one.dimension, Measure::kAngle));
  for (const Parameter& one : model.parameters)
    add(NameKind::kParameter, one.name, unit_text(one.dimension), one.value);
  for (const Input& one : model.inputs)
    if (one.derivative == 0) add(NameKind::kInput, one.name, unit_text(one.dimension));
  for (const QuasiVelocity& one : model.quasi_velocities)
    add(NameKind::kQuasiVelocity, one.name, unit_text(one.dimension));
  for (const Output& one : model.definitions) add(NameKind::kDefinition, one.name, unit_text(one.dimension));
  for (const Output& one : model.outputs) add(NameKind::kOutput, one.name, unit_text(one.dimension));
  return facts;
}

editor::Facts facts_of_start(const Findings& findings) {
  const System& system = *findings.system;
  const Model& model = *system.model;
  editor::Facts facts = facts_of_model(model);
  if (!findings.start || !findings.start->assembly.ok()) return facts;
  facts.freedoms = describe_freedoms(system, *findings.start);
  const State& state = findings.start->assembly.state;
  SymbolValues values = values_at(model, state);
  for (const Input& input : model.inputs)
    if (const auto value = input.table ? std::nullopt : value_of(input.value, values))
      values[input.symbol.symbol()] = *value;
  // The facts of a model are in the order of its lists.
  std::size_t next = 0;
  const auto set = [&](NameKind kind, const std::string& name, const Expr& expression) {
    while (next < facts.names.size() && !(facts.names[next].kind == kind && facts.names[next].name == name)) ++next;
    if (next < facts.names.size()) facts.names[next].value = value_of(expression, values);
  };
  for (const Coordinate& one : model.coordinates) set(NameKind::kCoordinate, one.name, one.q);
  for (const Input& one : model.inputs)
    if (one.derivative == 0) set(NameKind::kInput, one.name, one.symbol);
  for (const QuasiVelocity& one : model.quasi_velocities) set(NameKind::kQuasiVelocity, one.name, one.definition);
  for (const Output& one : model.definitions) set(NameKind::kDefinition, one.name, one.expression);
  add_of_dynamics(facts, system, state);
  return facts;
}

}  // namespace dalembert::app

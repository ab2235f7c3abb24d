// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/scope.h"

#include <array>

#include <fmt/format.h>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

Meaning Scope::component(std::string_view, int) { return {}; }
Meaning Scope::angular_velocity(std::string_view frame, int axis) {
  return name(fmt::format("{}.omega.{}", frame, "xyz"[axis]));
}
Meaning Scope::frame_entry(std::string_view, std::int64_t, std::int64_t) { return {}; }
Meaning Scope::multiplier(std::string_view) { return {}; }
Meaning Scope::of_run(OfRun, const Meaning&, const Expr&) { return {}; }
std::optional<std::int64_t> Scope::integer(std::string_view) { return std::nullopt; }
Expr Scope::dot(const Expr&) { return {}; }
std::optional<Diagnostic> Scope::refuse(SymbolKind, std::string_view, const Span&) { return std::nullopt; }
void Scope::partial(const Expr&) {}
std::vector<std::string> Scope::candidates(Candidates) { return {}; }
bool Scope::declares(std::string_view) { return false; }
Span Scope::declared(std::string_view) { return {}; }
std::string Scope::help_for_undeclared(std::string_view) const { return {}; }

SymbolScope::SymbolScope(Graph& graph) : graph_(graph) {
  std::unordered_map<std::string, Expr> velocities, accelerations, inputs;
  for (SymbolId id = 0; id < graph.symbol_count(); ++id) {
    const Symbol& symbol = graph.symbol_info(id);
    if (symbol.kind == SymbolKind::kVelocity) velocities[symbol.name] = graph.symbol(id);
    if (symbol.kind == SymbolKind::kInput) inputs[symbol.name] = graph.symbol(id);
    if (symbol.kind == SymbolKind::kAcceleration || symbol.kind == SymbolKind::kQuasiAcceleration)
      accelerations[symbol.name] = graph.symbol(id);
  }
  for (SymbolId id = 0; id < graph.symbol_count(); ++id) {
    const Symbol symbol = graph.symbol_info(id);
    if (symbol.kind == SymbolKind::kVelocity || symbol.kind == SymbolKind::kAcceleration ||
        symbol.kind == SymbolKind::kQuasiAcceleration)
      continue;
    Meaning meaning = Meaning::known(graph.symbol(id));
    if (symbol.kind == SymbolKind::kTime) rates_[id] = graph.constant(1);
    if (symbol.kind == SymbolKind::kInput && inputs.contains(symbol.name + "'")) {
      meaning.velocity = inputs[symbol.name + "'"];
      rates_[id] = meaning.velocity;
      if (inputs.contains(symbol.name + "''")) meaning.acceleration = inputs[symbol.name + "''"];
    }
    if (symbol.kind == SymbolKind::kQuasiVelocity && accelerations.contains(symbol.name)) {
      meaning.velocity = accelerations[symbol.name];
      rates_[id] = meaning.velocity;
    }
    if (symbol.kind == SymbolKind::kCoordinate && velocities.contains(symbol.name)) {
      meaning.velocity = velocities[symbol.name];
      rates_[id] = meaning.velocity;
      if (accelerations.contains(symbol.name)) {
        meaning.acceleration = accelerations[symbol.name];
        rates_[meaning.velocity.symbol()] = meaning.acceleration;
      }
    }
    (symbol.kind == SymbolKind::kMultiplier ? rows_ : names_).emplace(symbol.name, meaning);
  }
}

Meaning SymbolScope::name(std::string_view name) {
  const auto found = names_.find(std::string(name));
  return found == names_.end() ? Meaning{} : found->second;
}

Meaning SymbolScope::multiplier(std::string_view row) {
  const auto found = rows_.find(std::string(row));
  return found == rows_.end() ? Meaning{} : found->second;
}

Meaning SymbolScope::of_run(OfRun function, const Meaning& expression, const Expr& /*time*/) {
  return function == OfRun::kIntegral ? multiplier("integral(" + to_text(expression.value) + ")") : Meaning{};
}

Expr SymbolScope::dot(const Expr& expression) {
  for (const SymbolId id : symbols_in(std::array{expression})) {
    const SymbolKind kind = graph_.symbol_info(id).kind;
    const bool constant = kind == SymbolKind::kParameter || kind == SymbolKind::kShorthand;
    if (!constant && !rates_.contains(id)) return {};
  }
  return directional_derivative(std::array{expression}, rates_)[0];
}

std::vector<std::string> SymbolScope::candidates(Candidates which) {
  std::vector<std::string> all;
  if (which == Candidates::kNames)
    for (const auto& [name, meaning] : names_) all.push_back(name);
  if (which == Candidates::kRows)
    for (const auto& [name, meaning] : rows_) all.push_back(name);
  return all;
}

Expr time_derivative(const Expr& expression) { return SymbolScope(expression.graph()).dot(expression); }

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/model.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/parse.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

Model::Model(std::string model_name) : graph(std::make_shared<Graph>()), name(std::move(model_name)) {
  t = graph->add_symbol({"t", SymbolKind::kTime, 0, {}});
  T = V = R = graph->constant(0);
  rates_[t.symbol()] = graph->constant(1);
}

void Model::problem(std::string code, std::string message, std::string help) {
  diagnostics_.push_back(error(std::move(code), std::move(message), here));
  if (!help.empty()) diagnostics_.back().help.push_back(std::move(help));
}

// One name space for everything that an expression may name.
bool Model::claim_name(const std::string& claimed, std::string_view what) {
  if (!is_identifier(claimed)) {
    problem("E0011",
            claimed.empty() ? fmt::format("the {} has no name", what) : fmt::format("`{}` cannot be a name", claimed),
            "names are letters, digits and `_`, and begin with a letter");
    return false;
  }
  if (is_reserved(claimed)) {
    problem("E0011", fmt::format("`{}` cannot name a {}: the word has a meaning in expressions", claimed, what));
    return false;
  }
  const auto [place, is_new] = names_.emplace(claimed, here);
  if (!is_new) {
    problem("E0008", fmt::format("the name `{}` is used twice", claimed));
    if (place->second) diagnostics_.back().secondary.push_back({place->second, "first used here"});
  }
  return is_new;
}

bool Model::allows(Role role, const std::vector<Expr>& expressions) {
  for (const Expr& expression : expressions) {
    if (!expression) continue;
    const std::uint8_t mask = kinds_.of(expression);
    for (unsigned k = 0; k <= static_cast<unsigned>(SymbolKind::kShorthand); ++k) {
      const auto kind = static_cast<SymbolKind>(k);
      if (!(mask & KindMasks::bit(kind)) || !refusal(role, kind, {}, here)) continue;
      // Which symbol it is matters only now.
      for (const SymbolId id : symbols_in(std::array{expression})) {
        const Symbol& symbol = graph->symbol_info(id);
        if (symbol.kind != kind) continue;
        diagnostics_.push_back(*refusal(role, kind, print_symbol(symbol, Notation::kText), here));
        return false;
      }
    }
  }
  return true;
}
bool Model::allows(Role role, std::initializer_list<Expr> expressions) {
  return allows(role, std::vector<Expr>(expressions));
}

bool Model::same_space(const Vector& vector) {
  const int size = static_cast<int>(vector.size());
  if (size != 2 && size != 3) {
    problem("E0216", fmt::format("a vector has 2 or 3 components, not {}", size));
    return false;
  }
  if (space_ == 0) space_ = size;
  if (size == space_) return true;
  problem("E0216", fmt::format("{} components where the model has {}", size, space_),
          "all points, bodies and forces of a model have the same number of components");
  return false;
}

std::optional<Unit> Model::read_unit(const std::string& unit) {
  if (unit.empty()) return std::nullopt;
  const auto parsed = parse_unit(MappedText::of(unit, "<unit>"));
  if (!parsed) {
    diagnostics_.insert(diagnostics_.end(), parsed.diagnostics().begin(), parsed.diagnostics().end());
    return std::nullopt;
  }
  has_units = true;
  return *parsed;
}

Coordinate Model::coordinate(const std::string& coordinate_name, const std::string& unit, const std::string& latex) {
  const int index = static_cast<int>(coordinates.size());
  Coordinate made{coordinate_name, std::nullopt, {}, {}, {}, here};
  made.q = graph->add_symbol({coordinate_name, SymbolKind::kCoordinate, index, latex});
  made.qd = graph->add_symbol({coordinate_name, SymbolKind::kVelocity, index, latex});
  made.qdd = graph->add_symbol({coordinate_name, SymbolKind::kAcceleration, index, latex});
  if (!claim_name(coordinate_name, "coordinate")) return made;
  if (const auto parsed = read_unit(unit)) {
    made.dimension = parsed->dimension;
    if (std::abs(parsed->factor - 1) > 1e-12)
      problem("E0217", fmt::format("a coordinate cannot be in `{}`", unit),
              fmt::format("coordinates are in SI: write `{}`; values may carry any unit",
                          parsed->dimension.dimensionless() ? "rad" : unit_name(parsed->dimension)));
  }
  rates_[made.q.symbol()] = made.qd;
  rates_[made.qd.symbol()] = made.qdd;
  coordinate_indices_.emplace(coordinate_name, index);
  coordinates.push_back(made);
  return made;
}

Expr Model::parameter(const std::string& parameter_name, double value, const std::string& unit) {
  const Expr symbol =
      graph->add_symbol({parameter_name, SymbolKind::kParameter, static_cast<int>(parameters.size()), {}});
  if (!claim_name(parameter_name, "parameter")) return symbol;
  if (!std::isfinite(value)) problem("E0108", fmt::format("the parameter `{}` is not a finite number", parameter_name));
  Parameter made{parameter_name, symbol, value, std::nullopt, here};
  if (const auto parsed = read_unit(unit)) {
    made.value *= parsed->factor;
    made.dimension = parsed->dimension;
  }
  parameters.push_back(std::move(made));
  return symbol;
}

Expr Model::input(const std::string& input_name) {
  const Expr symbol = graph->add_symbol({input_name, SymbolKind::kInput, static_cast<int>(inputs.size()), {}});
  if (claim_name(input_name, "input"))
    inputs.push_back({input_name, symbol, graph->constant(0), {}, {}, std::nullopt, here});
  return symbol;
}

void Model::set_input(const std::string& input_name, const Expr& value) {
  for (Input& input : inputs) {
    if (input.name != input_name) continue;
    if (allows(Role::kInput, {value})) input.value = value;
    return;
  }
  problem("E0102", fmt::format("unknown input `{}`", input_name));
}

void Model::output(const std::string& output_name, const Expr& expression) {
  for (const Output& other : outputs) {
    if (other.name != output_name) continue;
    problem("E0008", fmt::format("the output `{}` stands twice", output_name));
    return;
  }
  outputs.push_back({output_name, expression, here ? std::nullopt : dimension_of(expression), here});
}

void Model::point(const std::string& point_name, const Vector& position) {
  if (same_space(position) && allows(Role::kGeometry, position)) points.push_back({point_name, position, here});
}

Expr Model::dot(const Expr& expression) const {
  if (expression.op() == Op::kSymbol) {
    const auto rate = rates_.find(expression.symbol());
    if (rate != rates_.end()) return rate->second;
  }
  constexpr std::uint8_t kNoRate = KindMasks::bit(SymbolKind::kAcceleration) | KindMasks::bit(SymbolKind::kInput) |
                                   KindMasks::bit(SymbolKind::kMultiplier);
  if (kinds_.of(expression) & kNoRate) return {};
  return directional_derivative(std::array{expression}, rates_)[0];
}

Expr Model::lambda(const std::string& row) const {
  const auto found = multipliers_.find(row);
  return found == multipliers_.end() ? Expr{} : found->second;
}

int Model::coordinate_index(const std::string& coordinate_name) const {
  const auto found = coordinate_indices_.find(coordinate_name);
  return found == coordinate_indices_.end() ? -1 : found->second;
}

std::vector<const ConstraintRow*> Model::rows() const {
  std::vector<const ConstraintRow*> all;
  for (const Constraint& constraint : constraints)
    for (const ConstraintRow& row : constraint.rows) all.push_back(&row);
  return all;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/latex_symbol.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/rational.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/roles.h"

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

// All names that an expression may use are in one name space.
bool Model::claim_name(const std::string& claimed, std::string_view what) {
  if (!is_identifier(claimed)) {
    problem("E0011",
            claimed.empty() ? fmt::format("the {} has no name", what) : fmt::format("`{}` cannot be a name", claimed),
            "names are letters, digits and `_`, and begin with a letter");
    return false;
  }
  if (is_reserved(claimed)) {
    problem("E0011", fmt::format("`{}` cannot name a {}: the word has a meaning in expressions", claimed, what),
            help_for_reserved(claimed));
    return false;
  }
  const auto [place, is_new] = names_.emplace(claimed, here);
  if (!is_new) {
    problem("E0008", fmt::format("the name `{}` is used twice", claimed));
    if (place->second) diagnostics_.back().secondary.push_back({place->second, "first used here"});
  }
  return is_new;
}

// Whether `expression` is valid in this model's graph; if not, reports why.
bool Model::is_sound(std::string_view what, const Expr& expression) {
  Misuse wrong = expression.misuse();
  if (wrong == Misuse::kNone && &expression.graph() != graph.get()) wrong = Misuse::kTwoGraphs;
  switch (wrong) {
    case Misuse::kNone:
      return true;
    case Misuse::kEmpty:
      problem("E0111", fmt::format("{} contains an empty expression", what),
              "a default-constructed Expr has no value: build expressions from the model's symbols and constants");
      return false;
    case Misuse::kTwoGraphs:
      problem("E0112", fmt::format("{} contains expressions of another model", what),
              "an expression belongs to the model of its symbols: state each model with its own symbols");
      return false;
    case Misuse::kNotFinite:
      problem("E0108", fmt::format("{} contains a number that is not finite", what));
      return false;
  }
  return false;
}

bool Model::allows(Role role, const std::vector<Expr>& expressions) {
  for (const Expr& expression : expressions) {
    if (expression.misuse() == Misuse::kEmpty) continue;  // an optional argument that was left out is empty
    if (!is_sound(subject_of(role), expression)) return false;
    const KindMasks::Mask mask = kinds_.of(expression);
    for (unsigned k = 0; k <= static_cast<unsigned>(SymbolKind::kShorthand); ++k) {
      const auto kind = static_cast<SymbolKind>(k);
      if (!(mask & KindMasks::bit(kind))) continue;
      bool refused = kind == SymbolKind::kMultiplier;  // their names decide
      const std::uint8_t uses = kind == SymbolKind::kInput ? uses_in(expression) : std::uint8_t{1};
      for (unsigned use = 0; use <= static_cast<unsigned>(InputUse::kSecondRate); ++use)
        refused = refused || ((uses >> use & 1) && refusal(role, kind, {}, here, static_cast<InputUse>(use)));
      if (!refused) continue;
      // The symbol itself is needed only for the message.
      for (const SymbolId id : symbols_in(std::array{expression})) {
        const Symbol& symbol = graph->symbol_info(id);
        if (symbol.kind != kind) continue;
        auto problem = refuse(role, id, print_symbol(symbol, Notation::kText), here);
        if (!problem) continue;
        diagnostics_.push_back(std::move(*problem));
        return false;
      }
    }
  }
  return true;
}

std::optional<Diagnostic> Model::refuse(Role role, SymbolId symbol, std::string_view written, const Span& span) const {
  const SymbolKind kind = graph->symbol_info(symbol).kind;
  return refusal(role, kind, written, span, kind == SymbolKind::kInput ? use_of(symbol) : InputUse::kExpression);
}

InputUse Model::use_of(SymbolId symbol) const {
  const auto index = static_cast<std::size_t>(graph->symbol_info(symbol).index);
  if (index >= inputs.size()) return InputUse::kExpression;
  const Input& input = inputs[index];
  if (input.derivative > 0) return input.derivative == 1 ? InputUse::kRate : InputUse::kSecondRate;
  return input.rate ? InputUse::kSpline : input.table ? InputUse::kTable : InputUse::kExpression;
}

// The kinds of inputs in an expression, a bit for each InputUse; cached for each node, as in KindMasks.
std::uint8_t Model::uses_in(const Expr& expression) const {
  for (auto id = static_cast<NodeId>(uses_.size()); id <= expression.id(); ++id) {
    std::uint8_t mask = 0;
    if (graph->op(id) == Op::kSymbol) {
      const SymbolId symbol = graph->symbol_of(id);
      if (graph->symbol_info(symbol).kind == SymbolKind::kInput)
        mask = static_cast<std::uint8_t>(1u << static_cast<unsigned>(use_of(symbol)));
    }
    for (const Graph::Item& item : graph->items(id)) mask |= uses_[item.node];
    uses_.push_back(mask);
  }
  return uses_[expression.id()];
}
bool Model::allows(Role role, std::initializer_list<Expr> expressions) {
  return allows(role, std::vector<Expr>(expressions));
}
bool Model::takes(Role role, const std::vector<Expr>& expressions) {
  for (const Expr& expression : expressions)
    if (!is_sound(subject_of(role), expression)) return false;
  return allows(role, expressions);
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

std::string Model::symbol_latex(const std::string& latex) {
  const std::optional<std::string> fault = fault_of_latex_symbol(latex);
  if (!fault) return latex;
  problem("E0275", fmt::format("`latex = \"{}\"`: {}", shown(latex), *fault),
          "it is the symbol that formulas print for the name, as `\\theta_\\mathrm{r}`");
  return {};
}

Coordinate Model::coordinate(const std::string& coordinate_name, const std::string& unit,
                             const std::string& given_latex) {
  const std::string latex = symbol_latex(given_latex);
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

Expr Model::parameter(const std::string& parameter_name, double value, const std::string& unit,
                      const std::string& latex) {
  const Expr symbol = graph->add_symbol(
      {parameter_name, SymbolKind::kParameter, static_cast<int>(parameters.size()), symbol_latex(latex)});
  if (!claim_name(parameter_name, "parameter")) return symbol;
  if (!std::isfinite(value)) problem("E0108", fmt::format("the parameter `{}` is not a finite number", parameter_name));
  Parameter made{parameter_name, symbol, value, std::nullopt, here};
  if (const auto parsed = read_unit(unit)) {
    made.value *= parsed->factor;
    made.dimension = parsed->dimension;
  }
  made.plain = unit.empty();
  parameters.push_back(std::move(made));
  return symbol;
}

Expr Model::input(const std::string& input_name) {
  if (claim_name(input_name, "input")) return add_input(input_name);
  return graph->add_symbol({input_name, SymbolKind::kInput, static_cast<int>(inputs.size()), {}});
}

Expr Model::add_input(const std::string& input_name) {
  const Expr symbol = graph->add_symbol({input_name, SymbolKind::kInput, static_cast<int>(inputs.size()), {}});
  inputs.push_back({input_name, symbol, graph->constant(0), {}, {}, std::nullopt, here});
  return symbol;
}

Expr Model::spline_input(const std::string& input_name) {
  if (claim_name(input_name, "input")) return add_spline(input_name);
  return graph->add_symbol({input_name, SymbolKind::kInput, static_cast<int>(inputs.size()), {}});
}

Expr Model::add_spline(const std::string& input_name) {
  const std::size_t first = inputs.size();
  const Expr symbol = add_input(input_name);
  Expr before = symbol;
  for (const int derivative : {1, 2}) {
    const std::string primes(static_cast<std::size_t>(derivative), '\'');
    const SymbolKind dotted = derivative == 1 ? SymbolKind::kVelocity : SymbolKind::kAcceleration;
    const Expr rate = graph->add_symbol({input_name + primes, SymbolKind::kInput, static_cast<int>(inputs.size()),
                                         print_symbol({input_name, dotted, 0, {}}, Notation::kLatex)});
    inputs.back().rate = rate;
    rates_[before.symbol()] = rate;
    inputs.push_back({input_name + primes, rate, graph->constant(0), {}, {}, std::nullopt, here});
    inputs.back().derivative = derivative;
    before = rate;
  }
  for (std::size_t i = first; i < inputs.size(); ++i) {
    inputs[i].interpolation = Interpolation::kSpline;
    inputs[i].table = true;
  }
  return symbol;
}

Input* Model::find_input(const std::string& input_name) {
  const auto found = std::ranges::find(inputs, input_name, &Input::name);
  if (found != inputs.end() && found->derivative == 0) return &*found;
  problem("E0102", fmt::format("unknown input `{}`", input_name));
  return nullptr;
}

void Model::set_input(const std::string& input_name, const Expr& value) {
  Input* input = find_input(input_name);
  if (!input || !takes(Role::kInput, {value})) return;
  input->value = value;
  input->time.clear();
  input->sample.clear();
  for (; input->rate; ++input) input[1].value = dot(input->value);
}

void Model::set_samples(const std::string& input_name, std::vector<double> time, std::vector<double> value) {
  Input* input = find_input(input_name);
  if (!input) return;
  if (!are_samples(input_name, time, value, input->interpolation == Interpolation::kSpline)) return;
  input->table = true;
  input->time = std::move(time);
  input->sample = std::move(value);
  input->value = {};
  for (; input->rate; ++input) input[1].value = {};
}

bool Model::are_samples(const std::string& of, const std::vector<double>& time, const std::vector<double>& value,
                        bool spline) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (time.size() != value.size() || time.size() < (spline ? 2u : 1u)) {
    problem("E0504", spline ? fmt::format("the spline `{}` needs two samples or more, not {}", of,
                                          std::min(time.size(), value.size()))
                            : fmt::format("`{}` needs as many values as times, and one or more", of));
    return false;
  }
  if (!std::ranges::all_of(time, finite) || !std::ranges::all_of(value, finite) ||
      std::ranges::adjacent_find(time, std::greater_equal<>()) != time.end()) {
    problem("E0504", fmt::format("the times of `{}` do not ascend, or a sample is not finite", of));
    return false;
  }
  return true;
}

Expr Model::quasi_velocity(const std::string& velocity_name, const Expr& definition, const std::string& unit,
                           const std::string& given_latex) {
  if (!takes(Role::kQuasiVelocity, {definition}) || !claim_name(velocity_name, "quasi-velocity")) return definition;
  const int index = static_cast<int>(quasi_velocities.size());
  QuasiVelocity made{velocity_name, {}, {}, definition, std::nullopt, here};
  const std::string latex = symbol_latex(given_latex);
  made.v = graph->add_symbol({velocity_name, SymbolKind::kQuasiVelocity, index, latex});
  made.vdot = graph->add_symbol({velocity_name, SymbolKind::kQuasiAcceleration, index, latex});
  if (const auto parsed = read_unit(unit))
    made.dimension = parsed->dimension;
  else if (!here)
    made.dimension = dimension_of(definition);
  quasi_velocities.push_back(std::move(made));
  return definition;
}

void Model::output(const std::string& output_name, const Expr& expression) {
  if (!is_sound(fmt::format("the output `{}`", output_name), expression)) return;
  if (!output_names_.insert(output_name).second) {
    problem("E0008", fmt::format("the output `{}` is defined twice", output_name));
    return;
  }
  outputs.push_back({output_name, expression, here ? std::nullopt : dimension_of(expression), here});
}

double Model::value_of(const Expr& constant) const {
  return evaluate(constant, [&](SymbolId id) {
    const auto found = std::ranges::find_if(parameters, [&](const Parameter& p) { return p.symbol.symbol() == id; });
    return found == parameters.end() ? std::numeric_limits<double>::quiet_NaN() : found->value;
  });
}

Expr Model::dot(const Expr& expression) const {
  KnownDerivatives none;
  return dot(expression, none);
}

Expr Model::dot(const Expr& expression, KnownDerivatives& known) const {
  if (!expression) return expression;
  if (&expression.graph() != graph.get()) return Expr::none(Misuse::kTwoGraphs);
  if (expression.op() == Op::kSymbol) {
    const auto rate = rates_.find(expression.symbol());
    if (rate != rates_.end()) return rate->second;
  }
  constexpr KindMasks::Mask kNoRate =
      KindMasks::bit(SymbolKind::kAcceleration) | KindMasks::bit(SymbolKind::kMultiplier);
  constexpr std::uint8_t kRated =
      1u << static_cast<unsigned>(InputUse::kSpline) | 1u << static_cast<unsigned>(InputUse::kRate);
  if (kinds_.of(expression) & kNoRate) return {};
  if (kinds_.contains(expression, SymbolKind::kInput) && (uses_in(expression) & static_cast<std::uint8_t>(~kRated)))
    return {};
  return directional_derivative(expression, rates_, known);
}

std::unordered_map<SymbolId, Expr> Model::time_rates() const {
  std::unordered_map<SymbolId, Expr> rates{{t.symbol(), graph->constant(1)}};
  for (const Input& input : inputs)
    if (input.rate) rates.emplace(input.symbol.symbol(), input.rate);
  return rates;
}

Expr Model::lambda(const std::string& row) const {
  const auto found = multipliers_.find(row);
  return found == multipliers_.end() ? Expr{} : found->second;
}

Expr Model::energy(std::string_view which) {
  if (which != "kinetic" && which != "potential" && which != "total") return {};
  const std::string name = "energy(" + std::string(which) + ")";
  Expr& symbol = multipliers_[name];
  if (!symbol) symbol = graph->add_symbol({name, SymbolKind::kMultiplier, static_cast<int>(multipliers_.size()), {}});
  return symbol;
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

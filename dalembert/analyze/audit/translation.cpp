// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/translation.h"

#include <algorithm>
#include <array>

#include "dalembert/expr/print.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

Translation::Translation(const Equations& here, const Equations& there)
    : here_(here), there_(there), graph_(*here.graph) {
  set(there_.t, here_.t);
  const auto same_name = [](const auto& list, const auto& wanted) {
    return std::ranges::find(list, wanted.name, [](const auto& entry) { return entry.name; });
  };
  for (const Input& input : there_.model->inputs)
    if (const auto found = same_name(here_.model->inputs, input); found != here_.model->inputs.end())
      set(input.symbol, graph_.adopt(found->symbol));
  for (std::size_t j = 0; j < there_.rows.size(); ++j)
    if (const auto found = std::ranges::find(here_.rows, there_.rows[j]); found != here_.rows.end())
      set(there_.lambda[j], here_.lambda[static_cast<std::size_t>(found - here_.rows.begin())]);
  const auto name_of = [](const Model& model, const Prescribed& of) -> const std::string& {
    return model.coordinates[static_cast<std::size_t>(of.coordinate)].name;
  };
  for (const Prescribed& of_there : there_.model->prescribed)
    for (const Prescribed& of_here : here_.model->prescribed)
      if (name_of(*there_.model, of_there) == name_of(*here_.model, of_here))
        set(of_there.actuation, graph_.adopt(of_here.actuation));
  for (const Parameter& parameter : there_.model->parameters) {
    if (const auto found = same_name(here_.model->parameters, parameter); found != here_.model->parameters.end())
      set(parameter.symbol, graph_.adopt(found->symbol));
    else
      numbers_.emplace(parameter.symbol.symbol(),
                       std::pair(parameter.name, graph_.constant(Rational::from_double(parameter.value))));
  }
}

Expr Translation::moved(const Expr& expression) {
  std::unordered_map<NodeId, Expr> made;
  const Graph& from = expression.graph();
  for (const NodeId id : reachable(std::array{expression})) {
    std::vector<Expr> arguments;
    for (const Graph::Item& item : from.items(id)) arguments.push_back(made.at(item.node));
    Expr value = moved_node(from, id, arguments);
    if (!value) return {};
    made.emplace(id, value);
  }
  return made.at(expression.id());
}

Expr Translation::moved_node(const Graph& from, NodeId id, const std::vector<Expr>& arguments) {
  const auto items = from.items(id);
  switch (from.op(id)) {
    case Op::kConstant:
      return graph_.constant(from.number(id));
    case Op::kPi:
      return graph_.pi();
    case Op::kSymbol:
      return moved_symbol(from, from.symbol_of(id));
    case Op::kSum: {
      std::vector<Graph::Term> terms{{graph_.constant(from.number(id)), 1}};
      for (std::size_t i = 0; i < items.size(); ++i) terms.push_back({arguments[i], from.number(items[i])});
      return graph_.sum(terms);
    }
    case Op::kProduct: {
      std::vector<Expr> factors{graph_.constant(from.number(id))};
      for (std::size_t i = 0; i < items.size(); ++i)
        factors.push_back(graph_.power(arguments[i], from.number(items[i])));
      return graph_.product(factors);
    }
    case Op::kPower:
      return graph_.power(arguments[0], arguments[1]);
    default:
      return graph_.function(from.op(id), arguments);
  }
}

Expr Translation::moved_symbol(const Graph& from, SymbolId symbol) {
  if (const auto found = symbols_.find(symbol); found != symbols_.end()) return found->second;
  if (const auto number = numbers_.find(symbol); number != numbers_.end()) {
    const auto& [name, value] = number->second;
    if (std::ranges::find(as_numbers_, name) == as_numbers_.end()) as_numbers_.push_back(name);
    return value;
  }
  for (const Input& input : there_.model->inputs)
    if (input.symbol.symbol() == symbol && input.value) return moved(there_.graph->adopt(input.value));
  missing_ = print_symbol(from.symbol_info(symbol), Notation::kText);
  return {};
}

}  // namespace dalembert

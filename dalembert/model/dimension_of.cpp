// SPDX-License-Identifier: Apache-2.0
// Dimensions of expressions that were built in code: bottom-up over the graph, where every symbol has a known unit.
#include <array>
#include <unordered_map>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

// A number fits any term; absent means that nothing can be said.
struct Found {
  std::optional<Dimension> dimension;
  bool number = false;
};

}  // namespace

std::optional<Dimension> Model::dimension_of(const Expr& expression) const {
  if (!has_units || !expression) return std::nullopt;
  std::unordered_map<SymbolId, std::optional<Dimension>> symbols;
  symbols[t.symbol()] = Dimension::time();
  for (const Coordinate& c : coordinates) {
    if (!c.dimension) continue;
    symbols[c.q.symbol()] = c.dimension;
    symbols[c.qd.symbol()] = *c.dimension / Dimension::time();
    symbols[c.qdd.symbol()] = *c.dimension / Dimension::time().power(2);
  }
  for (const Parameter& p : parameters) symbols[p.symbol.symbol()] = p.dimension;
  for (const Input& u : inputs) symbols[u.symbol.symbol()] = u.dimension;
  for (const Constraint& constraint : constraints)
    for (const ConstraintRow& row : constraint.rows)
      if (row.dimension)
        symbols[row.lambda.symbol()] =
            (constraint.kind->velocity ? Dimension::power_unit() : Dimension::energy()) / *row.dimension;
  for (const Friction& friction : frictions) symbols[friction.force.symbol()] = friction.force_dimension;

  const Graph& of = expression.graph();
  std::unordered_map<NodeId, Found> found;
  for (const NodeId id : reachable(std::array{expression})) {
    Found& here_ = found[id];
    const auto items = of.items(id);
    switch (of.op(id)) {
      case Op::kConstant:
      case Op::kPi:
        here_ = {Dimension::none(), true};
        break;
      case Op::kSymbol:
        here_.dimension = symbols[of.symbol_of(id)];
        break;
      case Op::kSum: {
        bool first = true;
        here_ = {Dimension::none(), true};
        for (const auto& item : items) {
          const Found& term = found[item.node];
          if (term.number) continue;
          if (first)
            here_ = term;
          else if (!term.dimension || !here_.dimension || !(*term.dimension == *here_.dimension))
            here_ = {};
          first = false;
        }
        break;
      }
      case Op::kProduct: {
        here_ = {Dimension::none(), true};
        for (const auto& item : items) {
          const Found& factor = found[item.node];
          here_.number = here_.number && factor.number;
          if (!factor.dimension || !here_.dimension)
            here_.dimension.reset();
          else
            here_.dimension = *here_.dimension * factor.dimension->power(of.number(item).to_double());
        }
        break;
      }
      case Op::kSelect:
        here_ = found[items[1].node];
        break;
      case Op::kPower: {
        const auto& base = found[items[0].node].dimension;
        if (base && base->dimensionless()) here_.dimension = base;
        break;
      }
      default:
        if (function_info(of.op(id)).rule == FunctionRule::kSame)
          here_ = found[items[0].node];
        else
          here_.dimension = Dimension::none();
    }
  }
  return found[expression.id()].dimension;
}

}  // namespace dalembert

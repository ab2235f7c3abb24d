// SPDX-License-Identifier: Apache-2.0
// Dimensions of expressions that a C++ program built: bottom-up over the graph, from the known units of the symbols.
#include <array>
#include <unordered_map>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

// A dimension found for a node. A plain number fits any term; no dimension means that it is unknown.
struct KnownDimension {
  std::optional<Dimension> dimension;
  bool number = false;
};

using KnownDimensions = std::unordered_map<NodeId, KnownDimension>;

std::unordered_map<SymbolId, std::optional<Dimension>> dimensions_of_symbols(const Model& model) {
  std::unordered_map<SymbolId, std::optional<Dimension>> symbols;
  symbols[model.t.symbol()] = Dimension::time();
  for (const Coordinate& c : model.coordinates) {
    if (!c.dimension) continue;
    symbols[c.q.symbol()] = c.dimension;
    symbols[c.qd.symbol()] = *c.dimension / Dimension::time();
    symbols[c.qdd.symbol()] = *c.dimension / Dimension::time().power(2);
  }
  for (const Parameter& p : model.parameters) symbols[p.symbol.symbol()] = p.dimension;
  for (const Input& u : model.inputs) symbols[u.symbol.symbol()] = u.dimension;
  for (const Constraint& constraint : model.constraints)
    for (const ConstraintRow& row : constraint.rows)
      if (row.dimension)
        symbols[row.lambda.symbol()] =
            (constraint.kind->velocity ? Dimension::power_unit() : Dimension::energy()) / *row.dimension;
  for (const Friction& friction : model.frictions) symbols[friction.force.symbol()] = friction.force_dimension;
  for (const Integral& integral : model.integrals) symbols[integral.symbol.symbol()] = integral.dimension;
  return symbols;
}

// The common dimension of all terms; numbers fit every dimension.
KnownDimension dimension_of_sum(const Graph& of, NodeId id, const KnownDimensions& found) {
  bool first = true;
  KnownDimension all{Dimension::none(), true};
  for (const auto& item : of.items(id)) {
    const KnownDimension& term = found.at(item.node);
    if (term.number) continue;
    if (first)
      all = term;
    else if (!term.dimension || !all.dimension || !(*term.dimension == *all.dimension))
      all = {};
    first = false;
  }
  return all;
}

KnownDimension dimension_of_product(const Graph& of, NodeId id, const KnownDimensions& found) {
  KnownDimension all{Dimension::none(), true};
  for (const auto& item : of.items(id)) {
    const KnownDimension& factor = found.at(item.node);
    all.number = all.number && factor.number;
    if (!factor.dimension || !all.dimension)
      all.dimension.reset();
    else
      all.dimension = *all.dimension * factor.dimension->power(of.number(item).to_double());
  }
  return all;
}

}  // namespace

std::optional<Dimension> Model::dimension_of(const Expr& expression) const {
  if (!has_units || !expression) return std::nullopt;
  std::unordered_map<SymbolId, std::optional<Dimension>> symbols = dimensions_of_symbols(*this);
  const Graph& of = expression.graph();
  KnownDimensions found;
  for (const NodeId id : reachable(std::array{expression})) {
    KnownDimension& here_ = found[id];
    const auto items = of.items(id);
    switch (of.op(id)) {
      case Op::kConstant:
      case Op::kPi:
        here_ = {Dimension::none(), true};
        break;
      case Op::kSymbol:
        here_.dimension = symbols[of.symbol_of(id)];
        break;
      case Op::kSum:
        here_ = dimension_of_sum(of, id, found);
        break;
      case Op::kProduct:
        here_ = dimension_of_product(of, id, found);
        break;
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

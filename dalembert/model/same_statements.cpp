// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/same_statements.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Rebuilds expressions of one model with the symbols of the same names of another model, on an overlay of the other's graph. Nested sums
// are flattened, since a program adds two terms at a time.
class Translation {
 public:
  /// `other` is the model whose graph `to` is, or is an overlay of.
  Translation(const Model& from, const Model& other, const std::shared_ptr<Graph>& to) : from_(*from.graph), to_(*to) {
    for (SymbolId s = 0; s < to_.symbol_count(); ++s) here_.emplace(key(to_.symbol_info(s)), s);
    // The name of an integral depends on the order in which its integrand is written.
    for (std::size_t i = 0; i < std::min(from.integrals.size(), other.integrals.size()); ++i)
      integrals_.emplace(from.integrals[i].symbol.symbol(), other.integrals[i].symbol.symbol());
  }

  // The translated expression; null if a symbol is missing or the expression is null.
  Expr operator()(const Expr& e) {
    if (!e) return {};
    for (const NodeId id : reachable(std::array{e}))
      if (!built_.contains(id)) built_.emplace(id, build(id));
    return built_.at(e.id());
  }

 private:
  using Key = std::pair<std::string, int>;
  static Key key(const Symbol& symbol) { return {symbol.name, static_cast<int>(symbol.kind)}; }

  Expr build(NodeId id) {
    switch (from_.op(id)) {
      case Op::kConstant:
        return to_.constant(from_.number(id));
      case Op::kPi:
        return to_.pi();
      case Op::kSymbol: {
        const auto integral = integrals_.find(from_.symbol_of(id));
        if (integral != integrals_.end()) return to_.symbol(integral->second);
        const auto here = here_.find(key(from_.symbol_info(from_.symbol_of(id))));
        return here == here_.end() ? Expr() : to_.symbol(here->second);
      }
      case Op::kSum: {
        std::vector<Graph::Term> terms{{to_.constant(from_.number(id)), 1}};
        for (const Graph::Item& item : from_.items(id)) add(built_.at(item.node), from_.number(item), terms);
        return to_.sum(terms);
      }
      case Op::kProduct: {
        std::vector<Expr> factors{to_.constant(from_.number(id))};
        for (const Graph::Item& item : from_.items(id))
          factors.push_back(to_.power(built_.at(item.node), from_.number(item)));
        return to_.product(factors);
      }
      default: {
        std::vector<Expr> arguments;
        for (const Graph::Item& item : from_.items(id)) arguments.push_back(built_.at(item.node));
        return to_.function(from_.op(id), arguments);
      }
    }
  }

  void add(const Expr& term, const Rational& coefficient, std::vector<Graph::Term>& terms) {
    if (term.op() != Op::kSum) return terms.push_back({term, coefficient});
    terms.push_back({to_.constant(to_.number(term.id())), coefficient});
    for (const Graph::Item& item : to_.items(term.id()))
      terms.push_back({Expr(&to_, item.node), coefficient * to_.number(item)});
  }

  const Graph& from_;
  Graph& to_;
  std::map<Key, SymbolId> here_;
  std::unordered_map<SymbolId, SymbolId> integrals_;
  std::unordered_map<NodeId, Expr> built_;
};

// Units agree also if one is unknown: a model file deduces units that a program did not state.
bool agree(const std::optional<Dimension>& a, const std::optional<Dimension>& b) { return !a || !b || *a == *b; }

// Whether two lists have the same length and their members are the same in pairs.
template <class T, class Same>
bool all_same(const std::vector<T>& a, const std::vector<T>& b, const Same& same) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

}  // namespace

bool same_statements(const Model& a, const Model& b) {
  const auto graph = std::make_shared<Graph>(b.graph, b.graph->size());
  Translation of_a(a, b, graph), of_b(b, b, graph);
  const auto same = [&](const Expr& x, const Expr& y) {
    if (!x || !y) return !x && !y;
    const Expr here = of_a(x);
    return here && here.same(of_b(y));
  };
  return a.name == b.name &&
         all_same(a.coordinates, b.coordinates,
                  [](const Coordinate& x, const Coordinate& y) {
                    return x.name == y.name && agree(x.dimension, y.dimension);
                  }) &&
         all_same(a.parameters, b.parameters,
                  [](const Parameter& x, const Parameter& y) {
                    return x.name == y.name && x.value == y.value && agree(x.dimension, y.dimension);
                  }) &&
         all_same(a.inputs, b.inputs,
                  [&](const Input& x, const Input& y) {
                    return x.name == y.name && same(x.value, y.value) && x.time == y.time && x.sample == y.sample &&
                           x.interpolation == y.interpolation;
                  }) &&
         same(a.T, b.T) && same(a.V, b.V) && same(a.R, b.R) && same(a.L, b.L) &&
         all_same(a.rows(), b.rows(),
                  [&](const ConstraintRow* x, const ConstraintRow* y) {
                    return x->name == y->name && same(x->expression, y->expression);
                  }) &&
         all_same(a.forces, b.forces,
                  [&](const Force& x, const Force& y) {
                    return all_same(x.parts, y.parts, [&](const Contribution& p, const Contribution& q) {
                      return same(p.along, q.along) && same(p.factor, q.factor);
                    });
                  }) &&
         all_same(a.quasi_velocities, b.quasi_velocities,
                  [&](const QuasiVelocity& x, const QuasiVelocity& y) {
                    return x.name == y.name && same(x.definition, y.definition);
                  }) &&
         all_same(a.prescribed, b.prescribed,
                  [&](const Prescribed& x, const Prescribed& y) {
                    return x.coordinate == y.coordinate && same(x.value, y.value);
                  }) &&
         all_same(a.frictions, b.frictions,
                  [&](const Friction& x, const Friction& y) {
                    return x.name == y.name && x.second == y.second && same(x.normal, y.normal) &&
                           same(x.velocity, y.velocity) && same(x.coefficient, y.coefficient) &&
                           same(x.static_coefficient, y.static_coefficient) && same(x.viscous, y.viscous);
                  }) &&
         all_same(a.integrals, b.integrals,
                  [&](const Integral& x, const Integral& y) { return same(x.integrand, y.integrand); }) &&
         all_same(a.outputs, b.outputs, [&](const Output& x, const Output& y) {
           return x.name == y.name && same(x.expression, y.expression);
         });
}

void adopt_dimensions(Model& model, const Model& known) {
  const auto adopt = [](auto& to, const auto& from, auto dimension) {
    if (to.size() != from.size()) return;
    for (std::size_t i = 0; i < to.size(); ++i)
      if (!(to[i].*dimension)) to[i].*dimension = from[i].*dimension;
  };
  adopt(model.coordinates, known.coordinates, &Coordinate::dimension);
  adopt(model.parameters, known.parameters, &Parameter::dimension);
  adopt(model.inputs, known.inputs, &Input::dimension);
  adopt(model.frictions, known.frictions, &Friction::force_dimension);
  adopt(model.quasi_velocities, known.quasi_velocities, &QuasiVelocity::dimension);
  adopt(model.integrals, known.integrals, &Integral::dimension);
  adopt(model.outputs, known.outputs, &Output::dimension);
  for (std::size_t c = 0; c < std::min(model.constraints.size(), known.constraints.size()); ++c)
    adopt(model.constraints[c].rows, known.constraints[c].rows, &ConstraintRow::dimension);
}

std::size_t hash_of_statements(const Model& model) {
  std::string names = model.name;
  const auto add = [&](const std::string& name) { names += '\0' + name; };
  for (const Coordinate& one : model.coordinates) add(one.name);
  for (const Parameter& one : model.parameters) add(one.name);
  for (const ConstraintRow* one : model.rows()) add(one->name);
  return std::hash<std::string>()(names);
}

}  // namespace dalembert

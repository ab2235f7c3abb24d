// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/sizes_of_terms.h"

#include <unordered_map>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

Rational size(const Rational& number) { return number.sign() < 0 ? -number : number; }

// The sum of the sizes of the terms of a node; `sizes` holds those of its arguments.
Expr size_of_node(Graph& graph, NodeId id, const std::unordered_map<NodeId, Expr>& sizes) {
  const std::vector<Graph::Item> items(graph.items(id).begin(), graph.items(id).end());
  switch (graph.op(id)) {
    case Op::kSum: {
      std::vector<Graph::Term> terms{{graph.constant(size(graph.number(id)))}};
      for (const Graph::Item& item : items) terms.push_back({sizes.at(item.node), size(graph.number(item))});
      return graph.sum(terms);
    }
    case Op::kProduct: {
      std::vector<Expr> factors{graph.constant(size(graph.number(id)))};
      for (const Graph::Item& item : items) {
        const Rational& exponent = graph.number(item);
        const bool divides = exponent.sign() < 0;
        factors.push_back(graph.power(divides ? abs(Expr(&graph, item.node)) : sizes.at(item.node), exponent));
      }
      return graph.product(factors);
    }
    case Op::kAbs:
      return sizes.at(items[0].node);
    case Op::kMin:
    case Op::kMax:
      return sizes.at(items[0].node) + sizes.at(items[1].node);
    case Op::kSelect:
      return sizes.at(items[1].node) + sizes.at(items[2].node);
    default:
      return abs(Expr(&graph, id));
  }
}

}  // namespace

std::vector<Expr> sizes_of_terms(Graph& graph, std::span<const Expr> expressions) {
  std::unordered_map<NodeId, Expr> sizes;
  std::vector<Expr> result;
  for (const NodeId id : reachable(expressions)) sizes.emplace(id, size_of_node(graph, id, sizes));
  for (const Expr& e : expressions) result.push_back(sizes.at(e.id()));
  return result;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Canonical form of function calls, with the properties from their table (functions.h): parity, values at 0 and 1, simplifications.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

// Whether the coefficient of x is negative; if x is a sum, whether the coefficient of its first term is negative.
bool leads_with_minus(const Graph& graph, const Expr& x) {
  switch (x.op()) {
    case Op::kConstant:
    case Op::kProduct:
      return graph.number(x.id()).sign() < 0;
    case Op::kSum: {
      const auto items = graph.items(x.id());
      return graph.number(items[0]).sign() < 0;
    }
    default:
      return false;
  }
}

Expr negated(Graph& graph, const Expr& x) {
  if (x.op() != Op::kSum) return -x;
  // Each term is negated, so that the argument of the function is a sum again and not a product with −1.
  std::vector<Graph::Term> terms;
  terms.push_back({graph.constant(graph.number(x.id())), -1});
  for (const Graph::Item& item : graph.items(x.id())) terms.push_back({Expr(&graph, item.node), -graph.number(item)});
  return graph.sum(terms);
}

}  // namespace

Expr Graph::function(Op op, std::span<const Expr> arguments) {
  const FunctionInfo& info = function_info(op);
  if (const Misuse wrong = Expr::misuse_of(arguments, this); wrong != Misuse::kNone) return Expr::none(wrong);
  if (exhausted()) return constant(0);
  const Expr x = arguments[0];
  if (info.parity != Parity::kNone && leads_with_minus(*this, x)) {
    const std::array<Expr, 1> flipped{negated(*this, x)};
    const Expr value = function(op, flipped);
    return info.parity == Parity::kOdd ? -value : value;
  }
  if (info.simplify)
    if (const Expr simple = info.simplify(*this, arguments)) return simple;
  if (x.is_constant()) {
    if (info.at_zero && x.is_zero()) return constant(*info.at_zero);
    if (info.at_one && x.constant().is_one()) return constant(*info.at_one);
  }
  std::array<Item, 3> items{};
  for (std::size_t i = 0; i < arguments.size(); ++i) items[i] = {arguments[i].id(), 0};
  return at(intern(op, 0, std::span(items).first(arguments.size())));
}

}  // namespace dalembert

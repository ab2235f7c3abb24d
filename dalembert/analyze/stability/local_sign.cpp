// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/local_sign.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

Expr node(const Expr& in, NodeId id) { return {&in.graph(), id}; }

bool jumps(const Expr& e) {
  for (const NodeId id : reachable(std::array{e})) {
    const Op op = e.graph().op(id);
    const FunctionInfo& info = function_info(op);
    if (info.jumps || info.truth || op == Op::kSelect) return true;
  }
  return false;
}

}  // namespace

bool is_turned(const Expr& sum) {
  const Graph& graph = sum.graph();
  return sum.op() == Op::kSum && graph.number(graph.items(sum.id())[0]).sign() < 0;
}

Expr negated(Graph& graph, const Expr& sum) {
  std::vector<Graph::Term> terms;
  for (const Graph::Item& item : graph.items(sum.id())) terms.push_back({Expr(&graph, item.node), -graph.number(item)});
  terms.push_back({graph.constant(graph.number(sum.id())), -1});
  return graph.sum(terms);
}

LocalSigns::LocalSigns(Graph& graph, const std::unordered_map<SymbolId, double>& values, std::span<const Expr> state,
                       double known_to)
    : graph_(graph), values_(values), known_to_(known_to) {
  for (const Expr& symbol : state) state_.push_back(symbol.symbol());
}

// The factors of a product: the sign of those that have one, and those without, which may change their sign, with their exponents.
struct LocalSigns::Factors {
  int sign = 1;
  bool strict = true;
  std::optional<std::vector<Expr>> zeros;  // what is 0 wherever one of the factors is; before any may be, no value
  std::map<NodeId, int> open;

  void take(const LocalSign& one, bool even) {
    if (!even) sign *= one.sign;
    if (!one.strict) vanish(one.zeros.value_or(std::vector<Expr>{}));
  }
  // A factor may be 0, where all of `also` are.
  void vanish(std::vector<Expr> also) {
    if (zeros)
      std::erase_if(also, [&](const Expr& e) {
        return std::ranges::none_of(*zeros, [&](const Expr& other) { return other.id() == e.id(); });
      });
    zeros = std::move(also);
    strict = false;
  }
};

// Adds the factors of e^exponent. Functions that have the sign of their argument count as it.
void LocalSigns::gather(const Expr& e, int exponent, Factors& into) {
  const Graph& graph = e.graph();
  const bool even = exponent % 2 == 0;
  if (e.op() == Op::kProduct) {
    if (graph.number(e.id()).sign() < 0 && !even) into.sign = -into.sign;
    for (const Graph::Item& item : graph.items(e.id())) {
      const Expr base = node(e, item.node);
      const std::optional<int> whole = graph.number(item).as_int();
      if (whole && std::abs(*whole) < 1000) {
        gather(base, *whole * exponent, into);
        continue;
      }
      LocalSign sign = of(base);  // a root: of what is not negative, and 0 where that is
      if (sign.sign < 0 || (graph.number(item).sign() < 0 && !sign.strict)) sign.sign = 0;
      if (sign.sign == 0) sign.strict = false;
      into.take(sign, even);
    }
    return;
  }
  if (e.op() != Op::kSign && function_info(e.op()).sign == ValueSign::kOfArgument)
    return gather(node(e, graph.items(e.id())[0].node), exponent, into);
  const LocalSign sign = of(e);
  if (sign.sign != 0 && (exponent > 0 || sign.strict)) return into.take(sign, even);
  if (is_turned(e)) {
    if (!even) into.sign = -into.sign;
    return gather(negated(graph_, e), exponent, into);
  }
  if (exponent <= 0) into.sign = 0;
  into.open[e.id()] += exponent;
  into.vanish({e});
}

LocalSign LocalSigns::of_product(std::span<const Expr> factors) {
  Factors all;
  for (const Expr& factor : factors) gather(factor, 1, all);
  for (const auto& [id, exponent] : all.open)
    if (exponent % 2 != 0) all.sign = 0;
  if (all.sign == 0) return {};
  if (!all.strict && all.zeros->empty()) return {all.sign, false, {}};
  return {all.sign, all.strict, all.strict ? std::vector<Expr>{} : *all.zeros};
}

LocalSign LocalSigns::of_sum(const Expr& e) {
  const Graph& graph = e.graph();
  LocalSign result{graph.number(e.id()).sign(), !graph.number(e.id()).is_zero(), std::vector<Expr>{}};
  for (const Graph::Item& item : graph.items(e.id())) {
    LocalSign term = of(node(e, item.node));
    term.sign *= graph.number(item).sign();
    if (term.sign == 0 || result.sign == -term.sign) return {};
    result.sign = term.sign;
    result.strict = result.strict || term.strict;
    if (!term.zeros)
      result.zeros.reset();
    else if (result.zeros)
      result.zeros->insert(result.zeros->end(), term.zeros->begin(), term.zeros->end());
  }
  return result;
}

LocalSign LocalSigns::of_function(const Expr& e) {
  const auto argument = [&](std::size_t i) { return node(e, e.graph().items(e.id())[i].node); };
  if (e.op() == Op::kAbs) {
    const Expr x = argument(0);
    const LocalSign inside = of(x);
    if (inside.sign != 0) return {1, inside.strict, inside.zeros};
    return {1, false, std::vector{x}};
  }
  if (e.op() == Op::kMin || e.op() == Op::kMax) {
    const LocalSign a = of(argument(0)), b = of(argument(1));
    const int upper = e.op() == Op::kMax ? 1 : -1;  // one of the two with this sign, or 0, is enough
    if (a.sign == upper || b.sign == upper || argument(0).is_zero() || argument(1).is_zero())
      return {upper, (a.sign == upper && a.strict) || (b.sign == upper && b.strict)};
    if (a.sign == -upper && b.sign == -upper) return {-upper, a.strict && b.strict};
    return {};
  }
  if (e.op() == Op::kPower) {
    const LocalSign base = of(argument(0)), exponent = of(argument(1));
    if (base.sign == 1 && (base.strict || (exponent.sign == 1 && exponent.strict))) return base;
    return {};
  }
  if (e.op() == Op::kSelect) {
    const Expr x = argument(1), y = argument(2);
    const LocalSign a = of(x), b = of(y);
    if (a.sign != 0 && b.sign == a.sign) return {a.sign, a.strict && b.strict, {}};
    if (a.sign != 0 && y.is_zero()) return {a.sign, false, {}};
    if (b.sign != 0 && x.is_zero()) return {b.sign, false, {}};
    return {};
  }
  if (function_info(e.op()).truth) return {1, false, {}};
  if (function_info(e.op()).sign == ValueSign::kPositive) return {1, true, std::vector<Expr>{}};
  return {};
}

// The sign of a value that is not 0, nor nearly so, and does not jump: it is the same near the point. Each symbol of the state is tried to both sides.
LocalSign LocalSigns::by_value(const Expr& e) const {
  if (jumps(e)) return {};
  double least = 0, most = 0;
  for (int way = 0; way < 4; ++way) {
    int turn = 0;
    const double value = evaluate(e, [&](SymbolId s) {
      const double at = values_.contains(s) ? values_.at(s) : std::nan("");
      if (std::ranges::find(state_, s) == state_.end()) return at;
      const bool up = ((way < 2 ? 0 : ++turn) + way) % 2 != 0;
      return at + (up ? 1 : -1) * (way < 2 ? 1 : 0.37) * known_to_ * std::max(1.0, std::abs(at));
    });
    if (!std::isfinite(value)) return {};
    least = way == 0 ? value : std::min(least, value);
    most = way == 0 ? value : std::max(most, value);
  }
  if (least > 0.5 * most && most > 0) return {1, true, std::vector<Expr>{}};
  if (most < 0.5 * least && least < 0) return {-1, true, std::vector<Expr>{}};
  return {};
}

LocalSign LocalSigns::of(const Expr& e) {
  if (const auto found = known_.find(e.id()); found != known_.end()) return found->second;
  LocalSign result;
  if (e.is_constant()) {
    result = {e.constant().sign(), !e.constant().is_zero()};
    if (result.strict) result.zeros.emplace();
  } else if (e.op() == Op::kProduct) {
    result = of_product(std::array{e});
  } else if (e.op() == Op::kSum) {
    result = of_sum(e);
  } else {
    result = of_function(e);
  }
  if (!result.strict)
    if (const LocalSign value = by_value(e); value.strict) result = value;
  known_.emplace(e.id(), result);
  return result;
}

}  // namespace dalembert

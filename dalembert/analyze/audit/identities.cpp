// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/identities.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "dalembert/algebra/relations.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kRounds = 3;

bool is_even(const Rational& exponent) { return exponent.is_integer() && (exponent * Rational(1, 2)).is_integer(); }

bool is_hyperbolic(const Expr& e) {
  const Graph& graph = e.graph();
  return std::ranges::any_of(reachable(std::array{e}), [&](NodeId id) {
    const Op op = graph.op(id);
    return op == Op::kSinh || op == Op::kCosh || op == Op::kTanh;
  });
}

}  // namespace

Expr Identities::normalized(Expr expression) {
  for (int round = 0; round < kRounds; ++round) {
    const Expr next = tidy(once(tidy(expression)));
    if (next.same(expression)) break;
    expression = next;
  }
  return expression;
}

Expr Identities::tidy(const Expr& e) {
  const auto form = canonicalizer_.canonical(e);
  return form ? canonicalizer_.expression(*form) : e;
}

bool Identities::positive(const Expr& e) {
  if (always_positive(e, {})) return true;
  if (!always_positive(e, signs_)) return false;
  for (const SymbolId s : symbols_in(std::array{e}))
    if (signs_.contains(s) && std::ranges::find(used_, s) == used_.end()) used_.push_back(s);
  return true;
}

Identities::Product Identities::factors(const Expr& e) {
  Product product;
  const auto form = canonicalizer_.canonical(e);
  std::vector<FormTerm> terms = form ? shortest(canonicalizer_, *form) : std::vector<FormTerm>();
  // 1 + sinh² u is a square only when it is written in exp u.
  if (terms.size() != 1 && form && is_hyperbolic(e))
    if (const auto in_exponentials = with_relations(canonicalizer_, *form))
      terms = shortest(canonicalizer_, *in_exponentials);
  if (terms.size() != 1) {
    product.powers.push_back({tidy(e), 1});
    return product;
  }
  product.coefficient = terms[0].coefficient;
  for (FormFactor factor : terms[0].factors) {
    const Rational exponent(factor.twelfths, 12);
    factor.twelfths = 12;
    product.powers.push_back({dalembert::expression(canonicalizer_, {FormTerm{1, {factor}, {}}}), exponent});
  }
  for (const FormTerm::SumPower& power : terms[0].sums)
    product.powers.push_back({dalembert::expression(canonicalizer_, power.sum), Rational(power.exponent)});
  return product;
}

Expr Identities::together(const Product& product) {
  std::vector<Expr> all{graph_.constant(product.coefficient)};
  for (const Power& power : product.powers) all.push_back(graph_.power(power.base, power.exponent));
  return graph_.product(all);
}

// Rebuilds every node from the leaves up and applies the rules once to each.
Expr Identities::once(const Expr& e) {
  std::unordered_map<NodeId, Expr> made;
  for (const NodeId id : reachable(std::array{e})) {
    const auto items = graph_.items(id);
    Expr value(&graph_, id);
    switch (graph_.op(id)) {
      case Op::kConstant:
      case Op::kPi:
      case Op::kSymbol:
        break;
      case Op::kSum: {
        std::vector<Graph::Term> terms{{graph_.constant(graph_.number(id)), 1}};
        for (const auto& item : items) terms.push_back({made.at(item.node), graph_.number(item)});
        value = graph_.sum(terms);
        break;
      }
      case Op::kProduct: {
        std::vector<Expr> all{graph_.constant(graph_.number(id))};
        for (const auto& item : items) {
          const Rational exponent = graph_.number(item);
          const Expr& base = made.at(item.node);
          all.push_back(exponent.is_integer() ? graph_.power(base, exponent) : root(base, exponent));
        }
        value = graph_.product(all);
        break;
      }
      case Op::kPower: {
        const Expr base = made.at(items[0].node), exponent = made.at(items[1].node);
        value = positive(base) ? exp(tidy(exponent * logarithm(base))) : graph_.power(base, exponent);
        break;
      }
      default: {
        std::vector<Expr> arguments;
        for (const auto& item : items) arguments.push_back(tidy(made.at(item.node)));
        value = function(graph_.op(id), arguments);
      }
    }
    made.insert_or_assign(id, value);
  }
  return made.at(e.id());
}

// Even powers are taken out of the root only where the rest is never negative: √(x² y) has a value at x = 0 for every
// y, but |x| √y only for y ≥ 0.
Expr Identities::root(const Expr& base, const Rational& exponent) {
  const Product product = factors(base);
  std::vector<Expr> out;
  Product even, rest;
  rest.coefficient = product.coefficient.sign() < 0 ? Rational(-1) : Rational(1);
  const Rational size = product.coefficient.sign() < 0 ? -product.coefficient : product.coefficient;
  if (size.sign() == 0) return graph_.power(base, exponent);
  out.push_back(graph_.power(graph_.constant(size), exponent));
  for (const Power& power : product.powers) {
    if (positive(power.base))
      out.push_back(graph_.power(power.base, power.exponent * exponent));
    else if (is_even(power.exponent))
      even.powers.push_back(power);
    else
      rest.powers.push_back(power);
  }
  const bool split = rest.powers.empty() && rest.coefficient.sign() > 0;
  for (const Power& power : even.powers) {
    if (split)
      out.push_back(graph_.power(magnitude(power.base), power.exponent * exponent));
    else
      rest.powers.push_back(power);
  }
  out.push_back(graph_.power(together(rest), exponent));
  return graph_.product(out);
}

Expr Identities::logarithm(const Expr& of) {
  if (of.op() == Op::kExp) return Expr(&graph_, graph_.items(of.id())[0].node);
  const Product product = factors(of);
  if (product.coefficient.sign() == 0) return log(of);
  Product rest;
  rest.coefficient = product.coefficient.sign() < 0 ? Rational(-1) : Rational(1);
  std::vector<Graph::Term> terms;
  if (const Rational size = product.coefficient * rest.coefficient; size != Rational(1))
    terms.push_back({log(graph_.constant(size)), 1});
  for (const Power& power : product.powers) {
    if (power.base.op() == Op::kExp)
      terms.push_back({Expr(&graph_, graph_.items(power.base.id())[0].node), power.exponent});
    else if (positive(power.base))
      terms.push_back({log(power.base), power.exponent});
    else if (is_even(power.exponent))
      terms.push_back({log(magnitude(power.base)), power.exponent});
    else
      rest.powers.push_back(power);
  }
  if (!rest.powers.empty() || rest.coefficient.sign() < 0) terms.push_back({log(tidy(together(rest))), 1});
  return graph_.sum(terms);
}

Expr Identities::magnitude(const Expr& of) {
  const Product product = factors(of);
  std::vector<Expr> out{graph_.constant(product.coefficient.sign() < 0 ? -product.coefficient : product.coefficient)};
  for (const Power& power : product.powers) {
    const bool plain = positive(power.base) || is_even(power.exponent) || !power.exponent.is_integer();
    out.push_back(graph_.power(plain ? power.base : abs(power.base), power.exponent));
  }
  return graph_.product(out);
}

Expr Identities::function(Op op, const std::vector<Expr>& arguments) {
  const Expr& u = arguments.front();
  switch (op) {
    case Op::kLog:
      return logarithm(u);
    case Op::kExp:
      if (u.op() == Op::kLog) return {&graph_, graph_.items(u.id())[0].node};
      break;
    case Op::kAbs:
      return magnitude(u);
    case Op::kSign:
      if (positive(u)) return graph_.constant(1);
      if (positive(-u)) return graph_.constant(-1);
      nonzero_.push_back(u);
      return u / magnitude(u);
    case Op::kAcos:
      return graph_.pi() * graph_.constant(Rational(1, 2)) - function(Op::kAsin, arguments);
    case Op::kAsin:
      if (const Expr angle = angle_of(op, u)) return angle;
      break;
    case Op::kAtan: {
      if (const Expr angle = angle_of(op, u)) return angle;
      // atan(1/p) = π/2 − atan p is used where the exponents of u add up to less than 0.
      const Product product = factors(u);
      Rational sum = 0;
      for (const Power& power : product.powers) sum = sum + power.exponent;
      if (sum.sign() < 0 && positive(u))
        return graph_.pi() * graph_.constant(Rational(1, 2)) - atan(tidy(graph_.power(u, Rational(-1))));
      break;
    }
    case Op::kAtan2:
      return arctangent2(arguments[0], arguments[1]);
    default:
      break;
  }
  return graph_.function(op, arguments);
}

Expr Identities::arctangent2(const Expr& y, const Expr& x) {
  if (positive(x)) return function(Op::kAtan, {tidy(y / x)});
  Product above = factors(y), below = factors(x);
  for (Power& a : above.powers)
    for (Power& b : below.powers) {
      if (!a.base.same(b.base) || !positive(a.base)) continue;
      const Rational common = a.exponent < b.exponent ? a.exponent : b.exponent;
      a.exponent = a.exponent - common;
      b.exponent = b.exponent - common;
    }
  // Both arguments are divided by the magnitude of the numerical factor of x, which is positive.
  if (below.coefficient.sign() != 0) {
    const Rational size = below.coefficient.sign() < 0 ? -below.coefficient : below.coefficient;
    above.coefficient = above.coefficient / size;
    below.coefficient = below.coefficient / size;
  }
  return atan2(tidy(together(above)), tidy(together(below)));
}

// kπ/12 if its sine (for atan its tangent) is proved to be the value, else null.
Expr Identities::angle_of(Op op, const Expr& value) {
  if (!symbols_in(std::array{value}).empty()) return {};
  for (int k = -6; k <= 6; ++k) {
    if (op == Op::kAtan && (k == -6 || k == 6)) continue;
    const Expr angle = graph_.pi() * graph_.constant(Rational(k, 12));
    if (proves_equal(canonicalizer_, op == Op::kAtan ? value * cos(angle) : value, sin(angle))) return angle;
  }
  return {};
}

}  // namespace dalembert

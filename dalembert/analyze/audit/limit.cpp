// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/limit.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kTerms = 8;        // terms of a series: enough for a zero of order 7 in a denominator
constexpr std::size_t kMaxNodes = 2000;  // largest number of nodes of a formula whose limit is computed
constexpr int kMaxPower = 16;

// The power series Σ_k c_k ε^(low+k), known up to its last term.
struct Series {
  int low = 0;
  std::vector<Expr> c;
};
using MaybeSeries = std::optional<Series>;

class Expansion {
 public:
  Expansion(Canonicalizer& canonicalizer, SymbolId s, const Expr& value)
      : canonicalizer_(canonicalizer), graph_(canonicalizer.graph()), s_(s), value_(value) {}

  std::optional<Expr> limit(const Expr& f) {
    const std::vector<NodeId> nodes = reachable(std::array{f});
    if (nodes.size() > kMaxNodes) return std::nullopt;
    for (const NodeId id : nodes) {
      MaybeSeries series = expand(id);
      if (!series) return std::nullopt;
      known_.emplace(id, *std::move(series));
    }
    const MaybeSeries lowest = stripped(known_.at(f.id()));
    if (!lowest || lowest->low < 0) return std::nullopt;
    if (lowest->low > 0 || lowest->c.empty()) return graph_.constant(0);
    return lowest->c[0];
  }

 private:
  Expr zero() { return graph_.constant(0); }
  Series constant(const Expr& e) {
    Series series{0, std::vector<Expr>(kTerms, zero())};
    series.c[0] = e;
    return series;
  }
  bool is_constant(const Series& a) const {
    return a.low == 0 && std::all_of(a.c.begin() + 1, a.c.end(), [](const Expr& e) { return e.is_zero(); });
  }

  // The series without leading zeros; no value where it is undecided whether a leading coefficient is 0. If all are 0,
  // no terms are left and `low` is the first power that is not known.
  MaybeSeries stripped(Series a) {
    std::size_t zeros = 0;
    for (; zeros < a.c.size(); ++zeros) {
      const ZeroTest test = decide_zero(canonicalizer_, a.c[zeros]);
      if (test == ZeroTest::kUndecided) return std::nullopt;
      if (test == ZeroTest::kNonzero) break;
    }
    a.c.erase(a.c.begin(), a.c.begin() + static_cast<std::ptrdiff_t>(zeros));
    a.low += static_cast<int>(zeros);
    return a;
  }

  Series sum(const Series& a, const Series& b) {
    const int low = std::min(a.low, b.low);
    const int high = std::min(a.low + static_cast<int>(a.c.size()), b.low + static_cast<int>(b.c.size()));
    const auto coefficient = [&](const Series& x, int power) {
      return power < x.low ? zero() : x.c[static_cast<std::size_t>(power - x.low)];
    };
    Series result{low, {}};
    for (int power = low; power < high; ++power) result.c.push_back(coefficient(a, power) + coefficient(b, power));
    return result;
  }

  Series product(const Series& a, const Series& b) {
    const std::size_t count = std::min(a.c.size(), b.c.size());
    Series result{a.low + b.low, {}};
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<Expr> terms;
      for (std::size_t i = 0; i <= k; ++i) terms.push_back(a.c[i] * b.c[k - i]);
      result.c.push_back(graph_.sum(terms));
    }
    return result;
  }

  // The composition Σ_k f_k δ^k, where the series δ has no constant term.
  Series composed(const std::vector<Expr>& f, const Series& delta) {
    Series result = constant(f.back());
    for (std::size_t k = f.size() - 1; k-- > 0;) result = sum(product(result, delta), constant(f[k]));
    return result;
  }

  MaybeSeries power(const Series& base, const Rational& exponent) {
    const auto integer = exponent.as_int();
    if (integer && *integer > 0) {
      if (*integer > kMaxPower) return std::nullopt;
      Series result = base;
      for (int k = 1; k < *integer; ++k) result = product(result, base);
      return result;
    }
    const MaybeSeries lead = stripped(base);
    if (!lead || lead->c.empty() || (!integer && lead->low != 0)) return std::nullopt;
    // With leading term c₀ ε^low the power is c₀^e ε^(e low) (1 + δ)^e.
    std::vector<Expr> binomial;
    Rational factor = 1;
    for (std::size_t k = 0; k < lead->c.size(); ++k) {
      binomial.push_back(graph_.constant(factor));
      const auto step = static_cast<std::int64_t>(k);
      factor = factor * (exponent - Rational(step)) / Rational(step + 1);
    }
    Series delta{0, {zero()}};
    for (std::size_t k = 1; k < lead->c.size(); ++k) delta.c.push_back(lead->c[k] / lead->c[0]);
    Series result = product(composed(binomial, delta), constant(graph_.power(lead->c[0], exponent)));
    if (integer) result.low = *integer * lead->low;
    return result;
  }

  // The Taylor series of a function: f(u₀ + δ) = Σ f⁽ᵏ⁾(u₀) δᵏ/k!
  MaybeSeries function(Op op, const Series& argument) {
    if (argument.low < 0) return std::nullopt;
    Series delta = argument.low == 0 ? argument : sum(argument, constant(zero()));
    const Expr u0 = delta.c[0];
    delta.c[0] = zero();
    const FunctionInfo& info = function_info(op);
    if (info.smooth == Smooth::kUnknown) return std::nullopt;
    const auto may_vanish = [&](const Expr& e) { return decide_zero(canonicalizer_, e) != ZeroTest::kNonzero; };
    if ((info.smooth == Smooth::kButAtZero || info.domain == Domain::kPositive) && may_vanish(u0)) return std::nullopt;
    if (info.domain == Domain::kUnit && may_vanish(u0 * u0 - 1)) return std::nullopt;
    if (!z_) z_ = graph_.add_symbol({"z", SymbolKind::kShorthand, 0, {}});
    std::vector<Expr> taylor;
    Expr derivative = graph_.function(op, std::array{z_});
    Rational factorial = 1;
    for (std::size_t k = 0; k < delta.c.size(); ++k) {
      taylor.push_back(substitute(derivative, {{z_.symbol(), u0}}) * graph_.constant(factorial.inverse()));
      derivative = gradient(derivative, std::array{z_})[0];
      factorial = factorial * Rational(static_cast<std::int64_t>(k) + 1);
    }
    return composed(taylor, delta);
  }

  MaybeSeries expand(NodeId id) {
    const Expr node(&graph_, id);
    const std::vector<Graph::Item> items(graph_.items(id).begin(), graph_.items(id).end());
    if (graph_.op(id) == Op::kSymbol && graph_.symbol_of(id) == s_) {
      Series series = constant(value_);
      series.c[1] = graph_.constant(1);
      return series;
    }
    const auto fixed = [&](const Graph::Item& item) {
      const Series& series = known_.at(item.node);
      return is_constant(series) && series.c[0].id() == item.node;
    };
    if (std::ranges::all_of(items, fixed)) return constant(node);
    if (graph_.op(id) == Op::kSum) {
      Series total = constant(graph_.constant(graph_.number(id)));
      for (const auto& item : items)
        total = sum(total, product(known_.at(item.node), constant(graph_.constant(graph_.number(item)))));
      return total;
    }
    if (graph_.op(id) == Op::kProduct) {
      Series total = constant(graph_.constant(graph_.number(id)));
      for (const auto& item : items) {
        const MaybeSeries factor = power(known_.at(item.node), Rational(graph_.number(item)));
        if (!factor) return std::nullopt;
        total = product(total, *factor);
      }
      return total;
    }
    return items.size() == 1 ? function(graph_.op(id), known_.at(items[0].node)) : std::nullopt;
  }

  Canonicalizer& canonicalizer_;
  Graph& graph_;
  SymbolId s_;
  Expr value_, z_;
  std::unordered_map<NodeId, Series> known_;
};

}  // namespace

std::optional<NoValue> find_no_value(Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& formula,
                                     Notation notation) {
  Graph& graph = canonicalizer.graph();
  const auto vanishes = [&](const Expr& e) {
    return decide_zero(canonicalizer, conditions.apply(e)) == ZeroTest::kZero;
  };
  for (const NodeId id : reachable(std::array{formula})) {
    const std::vector<Graph::Item> items(graph.items(id).begin(), graph.items(id).end());
    const auto argument = [&](std::size_t k) { return Expr(&graph, items[k].node); };
    const auto found = [&](const Expr& e, std::string_view text) {
      return NoValue{e, fmt::format(fmt::runtime(text), print_shortest(canonicalizer, e, notation))};
    };
    switch (graph.op(id)) {
      case Op::kProduct:
        for (std::size_t k = 0; k < items.size(); ++k)
          if (graph.number(items[k]).sign() < 0 && vanishes(argument(k)))
            return found(argument(k), "it divides by {}, which is 0 there");
        break;
      case Op::kTan:
        if (vanishes(cos(argument(0)))) return found(cos(argument(0)), "it divides by {}, which is 0 there");
        break;
      case Op::kLog:
        if (vanishes(argument(0))) return found(argument(0), "it takes the logarithm of {}, which is 0 there");
        break;
      case Op::kAtan2:
        if (vanishes(argument(0)) && vanishes(argument(1)))
          return found(argument(1), "it takes the angle of the point (0, 0): {} is 0 there");
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

std::optional<Expr> limit(Canonicalizer& canonicalizer, const Expr& f, SymbolId s, const Expr& value) {
  return Expansion(canonicalizer, s, value).limit(f);
}

Expr apply_but(const Conditions& conditions, SymbolId s, const Expr& formula) {
  auto others = conditions.replacements();
  others.erase(s);
  return substitute(formula, others);
}

std::optional<SymbolId> approached_symbol(Canonicalizer& canonicalizer, const Conditions& conditions,
                                          const Expr& vanishing) {
  for (const SymbolId s : symbols_in(std::array{vanishing}))
    if (conditions.replacements().contains(s) &&
        decide_zero(canonicalizer, apply_but(conditions, s, vanishing)) == ZeroTest::kNonzero)
      return s;
  return std::nullopt;
}

namespace {

// The text "; its limit for x -> 0 is k", with a remark where the other side has the same limit.
std::string limit_text(Canonicalizer& canonicalizer, const Conditions& conditions, const ComparedSides& sides,
                       const NoValue& none, bool of_claim, Notation notation) {
  const auto s = approached_symbol(canonicalizer, conditions, none.vanishing);
  if (!s) return {};
  const Expr value = conditions.replacements().at(*s);
  const auto tends_to = [&](const Expr& side) {
    return limit(canonicalizer, apply_but(conditions, *s, side), *s, value);
  };
  const auto own = tends_to(of_claim ? sides.claimed : sides.correct),
             other = tends_to(of_claim ? sides.correct : sides.claimed);
  if (!own) return {};
  const bool same = other && proves_equal(canonicalizer, *own, *other);
  return fmt::format("; its limit for {} -> {} is {}{}", print(canonicalizer.graph().symbol(*s), notation),
                     print_shortest(canonicalizer, value, notation), print_shortest(canonicalizer, *own, notation),
                     !same      ? ""
                     : of_claim ? ", and so is that of the entry"
                                : ", and so is that of the claim");
}

}  // namespace

std::optional<std::string> explain_no_value(Canonicalizer& canonicalizer, const Conditions& conditions,
                                            const ComparedSides& sides, Notation notation) {
  const auto with_limit = [&](const NoValue& none, bool of_claim) {
    return none.text + limit_text(canonicalizer, conditions, sides, none, of_claim, notation);
  };
  for (const bool of_claim : {false, true})
    if (const auto none = find_no_value(canonicalizer, conditions, of_claim ? sides.stated : sides.correct, notation))
      return fmt::format("the {} has no value where the conditions hold: {}", of_claim ? "claim" : "entry",
                         with_limit(*none, of_claim));
  for (const Expr& parts : conditions.required())
    if (const auto none = find_no_value(canonicalizer, conditions, parts, notation))
      return fmt::format("the claim, as it is written, has no value where the conditions hold: {}",
                         with_limit(*none, true));
  return std::nullopt;
}

}  // namespace dalembert

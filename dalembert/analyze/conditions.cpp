// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/conditions.h"

#include <algorithm>
#include <array>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Which symbol to solve for, first of all: what is most derived.
int preference(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kAcceleration:
      return 0;
    case SymbolKind::kMultiplier:
      return 1;
    case SymbolKind::kVelocity:
      return 2;
    case SymbolKind::kCoordinate:
      return 3;
    case SymbolKind::kInput:
      return 4;
    default:
      return 5;
  }
}

Expr derivative(const Expr& expression, const Expr& symbol) { return gradient(expression, std::array{symbol})[0]; }

}  // namespace

Expr Conditions::substitute_all(const Expr& expression) const {
  return replacements_.empty() ? expression : substitute(expression, replacements_);
}

// Whether the canonical form has the symbol: x − x does not contain x.
bool Conditions::contains(const Expr& expression, SymbolId symbol) {
  const auto form = canonicalizer_->canonical(expression);
  const Expr clean = form ? canonicalizer_->expression(*form) : expression;
  return std::ranges::binary_search(symbols_in(std::array{clean}), symbol);
}

bool Conditions::vanishes(const Expr& expression) {
  return decide_zero(*canonicalizer_, expression) == ZeroTest::kZero;
}

// e = c s + d: s = −d/c
std::optional<Conditions::Solved> Conditions::linear(const Expr& zero, SymbolId symbol, Divisor divisor) {
  Graph& graph = canonicalizer_->graph();
  const Expr slope = derivative(zero, graph.symbol(symbol));
  if (contains(slope, symbol) || vanishes(slope)) return std::nullopt;
  for (const SymbolId s : symbols_in(std::array{slope}))
    if (divisor == Divisor::kNumber ||
        (divisor == Divisor::kParameters && graph.symbol_info(s).kind != SymbolKind::kParameter))
      return std::nullopt;
  const std::unordered_map<SymbolId, Expr> none{{symbol, graph.constant(0)}};
  return Solved{symbol, -substitute(zero, none) / substitute(slope, none)};
}

// e = c s² + d: s = √(−d/c)
std::optional<Conditions::Solved> Conditions::square(const Expr& zero, SymbolId symbol) {
  Graph& graph = canonicalizer_->graph();
  const Expr slope = derivative(zero, graph.symbol(symbol));
  const std::unordered_map<SymbolId, Expr> none{{symbol, graph.constant(0)}};
  const Expr twice = derivative(slope, graph.symbol(symbol));
  if (contains(twice, symbol) || vanishes(twice) || !vanishes(substitute(slope, none))) return std::nullopt;
  return Solved{symbol, sqrt(graph.constant(-2) * substitute(zero, none) / substitute(twice, none))};
}

Conditions::Outcome Conditions::add(const Expr& left, const Expr& right) {
  Graph& graph = canonicalizer_->graph();
  const Expr a = substitute_all(left), b = substitute_all(right);
  const Expr zero = a - b;
  if (vanishes(zero)) return Outcome::kRedundant;

  std::vector<SymbolId> symbols;
  for (const SymbolId s : symbols_in(std::array{zero}))
    if (contains(zero, s)) symbols.push_back(s);
  if (symbols.empty()) return Outcome::kContradiction;

  std::optional<Solved> found;
  for (const auto& [alone, other] : {std::pair(a, b), std::pair(b, a)})
    if (!found && alone.op() == Op::kSymbol && !contains(other, alone.symbol())) found = Solved{alone.symbol(), other};
  std::ranges::stable_sort(symbols, {}, [&](SymbolId s) { return preference(graph.symbol_info(s).kind); });
  // Division by a number is safest, by a parameter safe enough, by anything else the last resort.
  for (const Divisor divisor : {Divisor::kNumber, Divisor::kParameters, Divisor::kAny})
    for (std::size_t i = 0; i < symbols.size() && !found; ++i) found = linear(zero, symbols[i], divisor);
  for (std::size_t i = 0; i < symbols.size() && !found; ++i) {
    if (graph.symbol_info(symbols[i]).kind != SymbolKind::kParameter) continue;
    found = square(zero, symbols[i]);
    if (found) positive_.push_back(symbols[i]);
  }
  if (!found) return Outcome::kUnsolvable;

  const std::unordered_map<SymbolId, Expr> now{{found->symbol, found->value}};
  for (Solved& earlier : solved_) {
    earlier.value = substitute(earlier.value, now);
    replacements_[earlier.symbol] = earlier.value;
  }
  replacements_[found->symbol] = found->value;
  solved_.push_back(*found);
  return Outcome::kAdded;
}

}  // namespace dalembert

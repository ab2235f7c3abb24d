// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/conditions.h"

#include <algorithm>
#include <array>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// The preference for a symbol to solve for: accelerations come first, then multipliers, velocities, coordinates and inputs.
int preference(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kAcceleration:
    case SymbolKind::kQuasiAcceleration:
      return 0;
    case SymbolKind::kMultiplier:
      return 1;
    case SymbolKind::kVelocity:
    case SymbolKind::kQuasiVelocity:
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

std::vector<Expr> Conditions::divisors() const {
  std::vector<Expr> now;
  for (const Expr& divisor : divisors_) now.push_back(substitute_all(divisor));
  return now;
}

Conditions::Divisor Conditions::safety(const Expr& divisor) const {
  if (!never_zero(divisor, signs_)) return Divisor::kAny;
  return symbols_in(std::array{divisor}).empty() ? Divisor::kNumber : Divisor::kKnown;
}

// Solves e = c s + d for s = −d/c. That e has this form is proved; derivatives do not show it, because that of sign(s) is 0.
std::optional<Conditions::Solution> Conditions::linear(const Expr& zero, SymbolId symbol, Divisor divisor) {
  Graph& graph = canonicalizer_->graph();
  const Expr s = graph.symbol(symbol), slope = derivative(zero, s);
  if (contains(slope, symbol) || vanishes(slope)) return std::nullopt;
  const std::unordered_map<SymbolId, Expr> none{{symbol, graph.constant(0)}};
  const Expr c = substitute(slope, none), d = substitute(zero, none);
  if (safety(c) != divisor || !vanishes(zero - c * s - d)) return std::nullopt;
  Solution solution{{symbol, -d / c}, {}, {}};
  if (divisor == Divisor::kAny) solution.divisor = c;
  for (const SymbolId parameter : symbols_in(std::array{c}))
    if (divisor == Divisor::kKnown && signs_.contains(parameter)) solution.positive.push_back(parameter);
  return solution;
}

// Solves e = c s² + d for s = √(−d/c), with the sign that the parameter has in the model; positive where that is not known.
std::optional<Conditions::Solution> Conditions::square(const Expr& zero, SymbolId symbol) {
  Graph& graph = canonicalizer_->graph();
  const Expr s = graph.symbol(symbol), slope = derivative(zero, s);
  const std::unordered_map<SymbolId, Expr> none{{symbol, graph.constant(0)}};
  const Expr twice = derivative(slope, s);
  if (contains(twice, symbol) || vanishes(twice) || !vanishes(substitute(slope, none))) return std::nullopt;
  const Expr c = substitute(twice, none) / graph.constant(2), d = substitute(zero, none);
  if (!vanishes(zero - c * s * s - d)) return std::nullopt;
  const auto known = signs_.find(symbol);
  const Expr root = sqrt(-d / c);
  Solution solution{{symbol, known != signs_.end() && known->second < 0 ? -root : root}, {}, {symbol}};
  if (!never_zero(c, signs_)) solution.divisor = c;
  return solution;
}

// Whether the solution makes none of the divisors, earlier ones and its own, 0 everywhere.
bool Conditions::keeps_divisors(const Solution& solution) {
  const std::unordered_map<SymbolId, Expr> now{{solution.solved.symbol, solution.solved.value}};
  for (const Expr& divisor : divisors_)
    if (vanishes(substitute(substitute_all(divisor), now))) return false;
  return !solution.divisor || !vanishes(substitute(solution.divisor, now));
}

void Conditions::put_in(const Solution& solution) {
  const Solved& found = solution.solved;
  const std::unordered_map<SymbolId, Expr> now{{found.symbol, found.value}};
  for (Solved& earlier : solved_) {
    earlier.value = substitute(earlier.value, now);
    replacements_[earlier.symbol] = earlier.value;
  }
  replacements_[found.symbol] = found.value;
  solved_.push_back(found);
  if (solution.divisor) divisors_.push_back(solution.divisor);
  for (const SymbolId s : solution.positive)
    if (std::ranges::find(positive_, s) == positive_.end()) positive_.push_back(s);
}

Conditions::Outcome Conditions::add(const Expr& left, const Expr& right) {
  Graph& graph = canonicalizer_->graph();
  const Expr a = substitute_all(left), b = substitute_all(right);
  const Expr zero = a - b;
  if (vanishes(zero)) return Outcome::kRedundant;

  std::vector<SymbolId> symbols;
  for (const SymbolId s : symbols_in(std::array{zero}))
    if (contains(zero, s)) symbols.push_back(s);
  if (symbols.empty()) return never_zero(zero, {}) ? Outcome::kContradiction : Outcome::kUnsolvable;

  const auto is_last = [&](SymbolId s) { return std::ranges::find(last_, s) != last_.end(); };
  bool solvable = false;
  const auto take = [&](const std::optional<Solution>& solution) {
    if (!solution) return false;
    solvable = true;
    if (!keeps_divisors(*solution)) return false;
    put_in(*solution);
    return true;
  };
  for (const auto& [alone, other] : {std::pair(a, b), std::pair(b, a)})
    if (alone.op() == Op::kSymbol && !is_last(alone.symbol()) && !contains(other, alone.symbol()) &&
        take(Solution{{alone.symbol(), other}, {}, {}}))
      return Outcome::kAdded;
  std::ranges::stable_sort(symbols, {}, [&](SymbolId s) { return preference(graph.symbol_info(s).kind); });
  // Divisors in order of safety: numbers, parameters with a known sign, and last expressions that may be 0.
  for (const bool last : {false, true})
    for (const Divisor divisor : {Divisor::kNumber, Divisor::kKnown, Divisor::kAny})
      for (const SymbolId s : symbols)
        if (is_last(s) == last && take(linear(zero, s, divisor))) return Outcome::kAdded;
  for (const SymbolId s : symbols)
    if (graph.symbol_info(s).kind == SymbolKind::kParameter && take(square(zero, s))) return Outcome::kAdded;
  return solvable ? Outcome::kDividesByZero : Outcome::kUnsolvable;
}

std::optional<Diagnostic> Conditions::add(const ClaimCondition& condition) {
  switch (add(condition.left, condition.right)) {
    case Outcome::kContradiction:
      return error("E0242", "this condition contradicts the other conditions", condition.span);
    case Outcome::kUnsolvable: {
      Diagnostic d = error("E0241", "this condition cannot be solved for any symbol", condition.span);
      d.help.push_back("write it with one symbol alone on its left: `r = L`, `y' = x'*tan(theta)`");
      return d;
    }
    case Outcome::kDividesByZero: {
      Diagnostic d =
          error("E0241", "solving this condition divides by a term that the other conditions make 0", condition.span);
      d.help.push_back("say what follows from it with one symbol alone on its left: `x = 0`");
      return d;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/analyze/random_points.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kPoints = 16;
constexpr std::size_t kMaxPrinted = 2000;  // operations

std::array<double, 2> values(const Expr& a, const Expr& b, const SamplePoint& point) {
  const auto v = evaluate(std::array{a, b}, [&](SymbolId s) { return point.at(s).to_double(); });
  return {v[0], v[1]};
}

bool finite(const std::array<double, 2>& v) { return std::isfinite(v[0]) && std::isfinite(v[1]); }

std::string function_name(Op op) {
  switch (op) {
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kEqual:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return "comparisons";
    case Op::kSelect:
      return "if";
    case Op::kPower:
      return "powers";
    default: {
      const std::string text = print_function(op, {"x"}, true, Notation::kText);
      return text.substr(0, text.find('('));
    }
  }
}

// The functions in a form that hold it outside what is decided.
std::vector<std::string> opaque_in(const Canonicalizer& canonicalizer, const Polynomial& form) {
  std::set<std::string> names;
  for (const PolynomialTerm& term : form)
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
      const Generator& g = canonicalizer.generator(power.generator);
      if (g.kind == Generator::Kind::kFunction) names.insert(function_name(g.op));
      if (g.kind == Generator::Kind::kSum) names.insert(power.twelfths % 12 != 0 ? "roots" : "quotients");
    }
  return {names.begin(), names.end()};
}

bool only_parameters(const Expr& expression) {
  const Graph& graph = expression.graph();
  return std::ranges::all_of(symbols_in(std::array{expression}),
                             [&](SymbolId s) { return graph.symbol_info(s).kind == SymbolKind::kParameter; });
}

// k as one term of b over the first term of a, where that is `value` at the point and right everywhere.
std::optional<Expr> monomial_factor(Canonicalizer& canonicalizer, const Expr& a, const Expr& b,
                                    const SamplePoint& point, double value) {
  const auto from = canonicalizer.canonical(a), to = canonicalizer.canonical(b);
  if (!from || !to || from->empty()) return std::nullopt;
  const auto bare = [&](const PolynomialTerm& term) {
    return canonicalizer.expression(PolynomialTerm{{term.key.monomial, 0, Trig::kOne}, term.coefficient});
  };
  const PolynomialTerm& first = from->front();
  for (const PolynomialTerm& term : *to) {
    if (term.key.angle != first.key.angle || term.key.trig != first.key.trig) continue;
    const Expr k = bare(term) / bare(first);
    if (!only_parameters(k)) continue;
    const double there = evaluate(k, [&](SymbolId s) { return point.at(s).to_double(); });
    if (std::abs(there - value) > 1e-9 * std::abs(value)) continue;
    if (compare(canonicalizer, b, k * a).difference == ZeroTest::kZero) return k;
  }
  return std::nullopt;
}

}  // namespace

Comparison compare(Canonicalizer& canonicalizer, const Expr& a, const Expr& b) {
  Comparison result;
  RandomPoints points(canonicalizer.graph(), symbols_in(std::array{a, b}));
  for (int attempt = 0; attempt < 8 * kPoints && result.points < kPoints; ++attempt)
    result.points += finite(values(a, b, points.next())) ? 1 : 0;
  if (result.points == 0) return result;
  const Expr difference = a - b;
  result.difference = decide_zero(canonicalizer, difference);
  auto form = canonicalizer.canonical(difference);
  if (form) form = canonicalizer.cleared(*std::move(form));
  result.too_large = !form;
  if (form) result.opaque = opaque_in(canonicalizer, *form);
  result.exact = result.difference != ZeroTest::kUndecided && form && result.opaque.empty();
  return result;
}

std::optional<Difference> where_they_differ(const Expr& a, const Expr& b) {
  RandomPoints points(a.graph(), symbols_in(std::array{a, b}));
  // Clearly different values are easier to believe; later points are less choosy.
  for (const double clear : {0.05, 1e-6}) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      const SamplePoint point = points.next();
      const auto v = values(a, b, point);
      if (!finite(v) || std::abs(v[0] - v[1]) <= clear * std::max({std::abs(v[0]), std::abs(v[1]), 1e-3})) continue;
      Difference found{{}, v[0], v[1], clear > 0.01};
      for (const SymbolId s : points.symbols()) found.at.emplace_back(s, point.at(s));
      return found;
    }
  }
  return std::nullopt;
}

// With everything but the parameters put to numbers, a₀ and b₀: b = k a exactly when b a₀ = b₀ a, and then k = b₀/a₀.
std::optional<Expr> constant_factor(Canonicalizer& canonicalizer, const Expr& a, const Expr& b) {
  Graph& graph = canonicalizer.graph();
  RandomPoints points(graph, symbols_in(std::array{a, b}));
  SamplePoint first = points.next();
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto v = values(a, b, first);
    if (finite(v) && std::abs(v[0]) > 1e-9 && std::abs(v[1]) > 1e-9) break;
    first = points.next();
  }
  const auto at_first = values(a, b, first);
  if (!finite(at_first) || at_first[0] == 0 || at_first[1] == 0) return std::nullopt;

  // Almost every pair is told apart by a second point with the same parameters.
  SamplePoint second = points.next();
  for (auto& [symbol, value] : second)
    if (graph.symbol_info(symbol).kind == SymbolKind::kParameter) value = first.at(symbol);
  const auto at_second = values(a, b, second);
  if (!finite(at_second)) return std::nullopt;
  const double left = at_first[0] * at_second[1], right = at_first[1] * at_second[0];
  if (std::abs(left - right) > 1e-9 * std::max(std::abs(left), std::abs(right))) return std::nullopt;

  const double ratio = at_first[1] / at_first[0];
  for (int below = 1; below <= 12; ++below) {
    const double above = std::round(ratio * below);
    if (above == 0 || std::abs(above) > 1e6 || std::abs(ratio * below - above) > 1e-9 * std::abs(above)) continue;
    const Expr k = graph.constant(Rational(static_cast<std::int64_t>(above), below));
    if (compare(canonicalizer, b, k * a).difference == ZeroTest::kZero) return k;
    break;
  }
  if (auto k = monomial_factor(canonicalizer, a, b, first, ratio)) return k;

  // Angles at zero make short coefficients; where one vanishes or is infinite, at the random point.
  for (const bool zero_angles : {true, false}) {
    std::unordered_map<SymbolId, Expr> numbers;
    for (const auto& [symbol, value] : first) {
      const SymbolKind kind = graph.symbol_info(symbol).kind;
      if (kind == SymbolKind::kParameter) continue;
      const bool zero = zero_angles && (kind == SymbolKind::kCoordinate || kind == SymbolKind::kTime);
      numbers.emplace(symbol, graph.constant(zero ? Rational(0) : value));
    }
    const Expr a0 = substitute(a, numbers), b0 = substitute(b, numbers);
    const auto v = values(a0, b0, first);
    if (!finite(v) || std::abs(v[0]) < 1e-9 || std::abs(v[1]) < 1e-9) continue;
    if (compare(canonicalizer, b * a0, b0 * a).difference != ZeroTest::kZero) return std::nullopt;
    return b0 / a0;
  }
  return std::nullopt;
}

std::optional<Expr> constant_offset(Canonicalizer& canonicalizer, const Expr& a, const Expr& b) {
  const auto form = canonicalizer.canonical(b - a);
  if (!form) return std::nullopt;
  const Expr offset = canonicalizer.expression(*form);
  return only_parameters(offset) ? std::optional(offset) : std::nullopt;
}

std::string print_shortest(Canonicalizer& canonicalizer, const Expr& expression, Notation notation) {
  if (const auto form = canonicalizer.canonical(expression))
    return print(canonicalizer, shortest(canonicalizer, *form), notation);
  const std::size_t operations = count_operations(std::array{expression});
  if (operations <= kMaxPrinted) return print(expression, notation);
  const std::string note = fmt::format("too large to print: {} operations", operations);
  return notation == Notation::kLatex ? "\\text{" + note + "}" : "<" + note + ">";
}

std::string print_equation(Canonicalizer& canonicalizer, const Expr& expression, Notation notation) {
  Graph& graph = canonicalizer.graph();
  const auto linear_in = [&](SymbolId s) {
    const SymbolKind kind = graph.symbol_info(s).kind;
    return kind == SymbolKind::kAcceleration || kind == SymbolKind::kMultiplier;
  };
  std::vector<Expr> unknowns;
  std::unordered_map<SymbolId, Expr> none;
  for (const bool multipliers : {false, true})
    for (const SymbolId s : symbols_in(std::array{expression}))
      if (linear_in(s) && (graph.symbol_info(s).kind == SymbolKind::kMultiplier) == multipliers) {
        unknowns.push_back(graph.symbol(s));
        none.emplace(s, graph.constant(0));
      }
  const std::vector<Expr> coefficients = gradient(expression, unknowns);
  std::vector<FormTerm> terms;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const auto form = canonicalizer.canonical(coefficients[i]), factor = canonicalizer.canonical(unknowns[i]);
    if (!form || std::ranges::any_of(symbols_in(std::array{coefficients[i]}), linear_in))
      return print_shortest(canonicalizer, expression, notation);
    if (form->empty()) continue;
    const GeneratorPower power = canonicalizer.monomial(factor->front().key.monomial).front();
    terms.push_back(
        times(canonicalizer, shortest(canonicalizer, *form), {power.generator, Trig::kOne, power.twelfths}));
  }
  const auto rest = canonicalizer.canonical(substitute(expression, none));
  if (!rest) return print_shortest(canonicalizer, expression, notation);
  for (FormTerm& term : shortest(canonicalizer, *rest)) terms.push_back(std::move(term));
  return print(canonicalizer, terms, notation);
}

}  // namespace dalembert

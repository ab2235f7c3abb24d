// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kPoints = 16;                // points with equal values after which formulas count as equal in numbers
constexpr int kAttempts = 96;              // largest number of points that are tried
constexpr int kLookedAtHard = 4;           // largest number of points that are looked at again with more digits
constexpr int kDifferences = 6;            // differing points after which the search ends; the clearest is shown
constexpr double kClear = 0.05;            // relative difference that ends the search at once
constexpr std::size_t kMaxPrinted = 2000;  // largest number of operations in a formula that is printed
constexpr int kAttitudes = 400;            // quaternions tried for a point at which a restricted one has norm 1

std::array<double, 2> values(const Expr& a, const Expr& b, const SamplePoint& point) {
  const auto v = evaluate(std::array{a, b}, [&](SymbolId s) { return point.at(s).to_double(); });
  return {v[0], v[1]};
}

bool finite(const std::array<double, 2>& v) { return std::isfinite(v[0]) && std::isfinite(v[1]); }

std::string function_name(Op op) {
  if (function_info(op).truth) return "comparisons";
  return op == Op::kPower ? "powers" : std::string(function_info(op).name);
}

// Names of the functions in a canonical form for which equality is not decided.
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

// A factor k with b = k a, proved: a term of b over the first term of a. Only terms whose ratio is `value` at the point are tried.
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
    if (proves_equal(canonicalizer, b, k * a)) return k;
  }
  return std::nullopt;
}

}  // namespace

bool only_parameters(const Expr& expression) {
  const Graph& graph = expression.graph();
  return std::ranges::all_of(symbols_in(std::array{expression}),
                             [&](SymbolId s) { return graph.symbol_info(s).kind == SymbolKind::kParameter; });
}

bool proves_equal(Canonicalizer& canonicalizer, const Expr& a, const Expr& b) {
  if (a.same(b)) return true;
  return decide_zero(canonicalizer, a - b) == ZeroTest::kZero;
}

Openness openness(Canonicalizer& canonicalizer, const Expr& a, const Expr& b) {
  Openness result;
  auto form = canonicalizer.canonical(a - b);
  if (form) form = canonicalizer.cleared(*std::move(form));
  result.too_large = !form;
  if (form) result.opaque = opaque_in(canonicalizer, *form);
  return result;
}

namespace {

std::vector<SymbolId> free_symbols(const Conditions& conditions, std::span<const Expr> formulas,
                                   std::span<const SymbolId> determined) {
  std::vector<Expr> all(formulas.begin(), formulas.end());
  for (const Conditions::Solved& solved : conditions.solved()) all.push_back(solved.value);
  for (const Expr& divisor : conditions.divisors()) all.push_back(divisor);
  for (const Expr& required : conditions.required()) all.push_back(required);
  std::vector<SymbolId> symbols = symbols_in(all);
  std::erase_if(symbols, [&](SymbolId s) {
    return conditions.replacements().contains(s) || std::ranges::find(determined, s) != determined.end();
  });
  return symbols;
}

}  // namespace

GivenPoints::GivenPoints(const Graph& graph, const Conditions& conditions, std::span<const Expr> formulas,
                         std::span<const SymbolId> determined)
    : points_(graph, free_symbols(conditions, formulas, determined), conditions.signs(), conditions.relations().units),
      defined_(&conditions.replacements()),
      nonzero_(conditions.divisors()) {
  // A quaternion of which conditions determine a component is checked as a whole: its norm must be 1.
  for (const std::array<SymbolId, 4>& unit : points_.units())
    if (std::ranges::any_of(unit, [&](SymbolId s) { return defined_->contains(s); })) restricted_.push_back(unit);
  // exp is positive wherever its argument has a value, so its sign shows whether `required` has one.
  for (const Expr& required : conditions.required()) required_.push_back(exp(required));
}

bool GivenPoints::has_required(const EnclosedPoint& point) const {
  return std::ranges::all_of(required_,
                             [&](const Expr& e) { return sign_at(e, point, Effort::kModerate) == Sign::kPositive; });
}

// Points near 0 come first: they are the easiest to check by hand.
EnclosedPoint GivenPoints::next() {
  using Spread = RandomPoints::Spread;
  static constexpr std::array kOthers{Spread::kPositive, Spread::kSmall, Spread::kNear, Spread::kWide};
  const int i = tried_++;
  const Spread spread = i < 2 * kPoints ? Spread::kNear : kOthers[static_cast<std::size_t>(i) % kOthers.size()];
  SamplePoint point = points_.next(spread);
  for (int more = 0; more < kAttitudes && !restricted_.empty() && !on_spheres(point); ++more)
    points_.replace_units(point);
  return {std::move(point), {}, defined_};
}

// Whether the quaternions that conditions restrict have norm 1. A quaternion that the point leaves open counts as one that has.
bool GivenPoints::on_spheres(const SamplePoint& point) const {
  return std::ranges::all_of(restricted_, [&](const std::array<SymbolId, 4>& unit) {
    double sum = 0;
    for (const SymbolId s : unit) {
      const auto given = defined_->find(s);
      if (given == defined_->end() && !point.contains(s)) return true;
      const double e =
          given == defined_->end() ? point.at(s).to_double() : evaluate(given->second, [&](SymbolId symbol) {
            const auto value = point.find(symbol);
            return value == point.end() ? 0.5 : value->second.to_double();
          });
      sum += e * e;
    }
    return std::abs(sum - 1) < 1e-12;
  });
}

Difference difference_at(const EnclosedPoint& point, const Separation& s, std::span<const Expr> formulas) {
  Difference found{{point.value.begin(), point.value.end()},
                   {},
                   s.a,
                   s.b,
                   s.difference,
                   s.a_digits,
                   s.b_digits,
                   s.difference_digits};
  std::ranges::sort(found.at, {}, &std::pair<SymbolId, Rational>::first);
  if (formulas.empty()) return found;
  Graph& graph = formulas.front().graph();
  for (const SymbolId symbol : symbols_in(formulas))
    if (!point.value.contains(symbol))
      if (const MaybeInterval value = enclose(graph.symbol(symbol), point)) found.follows.emplace_back(symbol, *value);
  return found;
}

Evidence look_at_points(GivenPoints& points, const Expr& a, const Expr& b, Search search, const Completion& complete) {
  Evidence evidence;
  std::vector<Expr> told = points.told();
  told.insert(told.end(), {a, b});
  std::vector<EnclosedPoint> close;
  double clearest = 0;
  int found = 0, doubtful = 0;
  const auto differ = [&](const EnclosedPoint& point, const Separation& s) {
    ++found;
    const double size = std::max({std::abs(s.a), std::abs(s.b), 1e-3});
    const double clear = std::abs(s.difference) / size;
    if (evidence.difference && clear <= clearest) return;
    clearest = clear;
    evidence.difference = difference_at(point, s, told);
  };
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    EnclosedPoint point = points.next();
    Separation s = separate(a, b, point, points.nonzero(), Effort::kDoubles);
    // Where doubles do not show whether the formulas have values, more digits may.
    if (s.outcome == Separation::Outcome::kUnknown && ++doubtful <= kLookedAtHard)
      s = separate(a, b, point, points.nonzero(), Effort::kModerate);
    if (!s.has_values() || !points.on_spheres(point.value)) continue;
    if (complete) {
      std::optional<EnclosedPoint> whole = complete(point);
      if (!whole) continue;
      point = *std::move(whole);
    }
    if (!points.has_required(point)) continue;
    ++evidence.points;
    if (search == Search::kAnyValue) return evidence;
    if (s.outcome == Separation::Outcome::kDiffer)
      differ(point, s);
    else if (close.size() < kLookedAtHard)
      close.push_back(point);
    if ((evidence.difference && clearest >= kClear) || found >= kDifferences) return evidence;
    if (!evidence.difference && evidence.points >= kPoints && attempt >= kAttempts / 2) break;
  }
  for (std::size_t i = 0; i < close.size() && !evidence.difference; ++i) {
    const Separation s = separate(a, b, close[i], points.nonzero(), Effort::kFull);
    if (s.outcome == Separation::Outcome::kDiffer) differ(close[i], s);
  }
  return evidence;
}

// Let a₀ and b₀ be a and b with numbers for everything but the parameters. Then b = k a exactly when b a₀ = b₀ a, and k = b₀/a₀.
std::optional<Expr> constant_factor(Canonicalizer& canonicalizer, const Expr& a, const Expr& b) {
  Graph& graph = canonicalizer.graph();
  RandomPoints points(graph, symbols_in(std::array{a, b}), {}, canonicalizer.relations().units);
  SamplePoint first = points.next();
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto v = values(a, b, first);
    if (finite(v) && std::abs(v[0]) > 1e-9 && std::abs(v[1]) > 1e-9) break;
    first = points.next();
  }
  const auto at_first = values(a, b, first);
  if (!finite(at_first) || at_first[0] == 0 || at_first[1] == 0) return std::nullopt;

  // A second point with the same parameters shows for almost every pair that there is no factor.
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
    if (proves_equal(canonicalizer, b, k * a)) return k;
    break;
  }
  if (auto k = monomial_factor(canonicalizer, a, b, first, ratio)) return k;

  // Coordinates and time at 0 make short coefficients. Where a or b then vanishes or is infinite, coordinates and
  // time get the values of the random point instead.
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
    if (!proves_equal(canonicalizer, b * a0, b0 * a)) return std::nullopt;
    // Both formulas must certainly be nonzero at some point, so that neither is 0 everywhere.
    const EnclosedPoint somewhere{first, {}, nullptr};
    for (const Expr& e : {a0, b0})
      if (const Sign sign = sign_at(e, somewhere, Effort::kModerate);
          sign != Sign::kPositive && sign != Sign::kNegative)
        return std::nullopt;
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

bool may_have_offset(std::string_view part, const Expr& correct) {
  return (part == "V" || part == "L" || part == "E") && !only_parameters(correct);
}

bool may_be_an_offset(std::string_view part, const Conditions& conditions, const Expr& correct, const Expr& claimed) {
  if (!may_have_offset(part, correct)) return false;
  Graph& graph = correct.graph();
  const Expr difference = claimed - correct;
  std::vector<Expr> variables;
  for (const SymbolId s : symbols_in(std::array{difference}))
    if (graph.symbol_info(s).kind != SymbolKind::kParameter) variables.push_back(graph.symbol(s));
  return std::ranges::none_of(gradient(difference, variables), [&](const Expr& slope) {
    const std::array formulas{slope, difference};
    GivenPoints points(graph, conditions, formulas);
    return look_at_points(points, graph.constant(0), slope, Search::kDifference).difference.has_value();
  });
}

std::string print_shortest(Canonicalizer& canonicalizer, const Expr& expression, Notation notation) {
  if (const auto form = canonicalizer.canonical(expression))
    return print(canonicalizer, shortest(canonicalizer, *form), notation);
  const std::size_t operations = count_operations(std::array{expression});
  if (operations <= kMaxPrinted) return print(expression, notation);
  return text_of(size_note(operations, notation));
}

std::string print_equation(Canonicalizer& canonicalizer, const Expr& expression, Notation notation) {
  Graph& graph = canonicalizer.graph();
  const auto linear_in = [&](SymbolId s) { return is_result(graph.symbol_info(s).kind); };
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

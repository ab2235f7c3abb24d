// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/free_constants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/random_points.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kRandomStates = 40;        // states that are tried after those of few values that are not 0
constexpr std::size_t kMostPaired = 12;  // variables up to which states are tried with two values that are not 0
constexpr std::size_t kMostConstants = 8;

using StateValues = std::unordered_map<SymbolId, Expr>;

// A x + rest = 0 at one state: the coefficients of the unknowns and the rest, as formulas of parameters.
using ConstantRow = std::vector<Expr>;

class ConstantFinder {
 public:
  ConstantFinder(Canonicalizer& canonicalizer, const KnownSigns& signs, std::vector<Expr> unknowns, const Expr& zero)
      : canonicalizer_(canonicalizer), graph_(canonicalizer.graph()), signs_(signs), unknowns_(std::move(unknowns)) {
    StateValues none;
    for (const Expr& c : unknowns_) none.emplace(c.symbol(), graph_.constant(0));
    for (const Expr& slope : gradient(zero, unknowns_)) parts_.push_back(clean(slope));
    parts_.push_back(substitute(zero, none));
    Expr again = parts_.back();
    for (std::size_t k = 0; k < unknowns_.size(); ++k) again = again + parts_[k] * unknowns_[k];
    linear_ = proves_equal(canonicalizer_, again, zero) && !contains_unknown();
    for (const SymbolId s : symbols_in(parts_))
      if (graph_.symbol_info(s).kind != SymbolKind::kParameter) variables_.push_back(s);
  }

  bool linear() const { return linear_; }

  // The unknowns that states determine; nothing where they do not.
  std::optional<std::vector<Expr>> solve() {
    choose_states();
    if (rows_.size() < unknowns_.size()) return std::nullopt;
    for (std::size_t k = 0; k < unknowns_.size(); ++k)
      if (!eliminate(k)) return std::nullopt;
    std::vector<Expr> values(unknowns_.size());
    for (std::size_t k = 0; k < unknowns_.size(); ++k)
      values[column_of_[k]] = shortened(-rows_[k].back() / rows_[k][column_of_[k]]);
    return values;
  }
  const std::vector<Expr>& divisors() const { return divisors_; }

 private:
  Expr clean(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    return form ? canonicalizer_.expression(*form) : e;
  }

  // With quotients in lowest terms: m*g*(1 - cos(1))/(1 - cos(1)) is m*g.
  Expr shortened(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    return form ? expression(canonicalizer_, shortest(canonicalizer_, *form)) : e;
  }

  bool contains_unknown() const {
    return std::ranges::any_of(symbols_in(parts_), [&](SymbolId s) {
      return std::ranges::any_of(unknowns_, [&](const Expr& c) { return c.symbol() == s; });
    });
  }

  // States with few values that are not 0 give short formulas, so they come first: none, one, two, all.
  void choose_states() {
    const std::vector<Expr> values{graph_.constant(1), graph_.pi() / graph_.constant(2), graph_.constant(2)};
    NullSpace independent(unknowns_.size());
    RandomPoints random(graph_, symbols_in(parts_), signs_, canonicalizer_.relations().units);
    const SamplePoint parameters = random.next(RandomPoints::Spread::kPositive);
    const auto enough = [&] { return rows_.size() == unknowns_.size(); };
    StateValues state;
    for (const SymbolId s : variables_) state.emplace(s, graph_.constant(0));
    // A state of attitudes must have norm 1, so only random ones are tried then.
    if (canonicalizer_.relations().units.empty()) {
      consider(state, parameters, independent);
      for (std::size_t i = 0; i < variables_.size(); ++i)
        for (std::size_t j = i; j < (variables_.size() > kMostPaired ? i + 1 : variables_.size()); ++j)
          for (const Expr& a : values)
            for (const Expr& b : values) {
              if (enough()) return;
              if (i == j && !a.same(b)) continue;
              StateValues two = state;
              two[variables_[i]] = a;
              two[variables_[j]] = b;
              consider(two, parameters, independent);
            }
    }
    for (int k = 0; k < kRandomStates && !enough(); ++k) {
      const SamplePoint point = random.next();
      for (const SymbolId s : variables_) state[s] = graph_.constant(point.at(s));
      consider(state, parameters, independent);
    }
  }

  // Adds the row of a state if it has values there and is independent of the rows before, for some values of the parameters.
  void consider(const StateValues& state, const SamplePoint& parameters, NullSpace& independent) {
    const auto value_of = [&](SymbolId s) {
      const auto here = state.find(s);
      return here == state.end() ? parameters.at(s).to_double() : evaluate(here->second, [](SymbolId) { return 0.0; });
    };
    std::vector<double> numbers = evaluate(parts_, value_of);
    if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x) && std::abs(x) < 1e12; })) return;
    numbers.pop_back();
    double size = 1e-9;
    for (const double x : numbers) size = std::max(size, std::abs(x));
    if (size < 1e-6 || !independent.add(numbers, size)) return;
    ConstantRow row;
    for (const Expr& part : parts_) row.push_back(clean(substitute(part, state)));
    rows_.push_back(std::move(row));
  }

  // Brings the rows below k, and above, to 0 in the column of the pivot of row k; a pivot that is never 0 is preferred.
  bool eliminate(std::size_t k) {
    std::optional<std::pair<std::size_t, std::size_t>> best;
    for (const bool safe : {true, false})
      for (std::size_t i = k; i < rows_.size() && !best; ++i)
        for (std::size_t c = 0; c < unknowns_.size() && !best; ++c)
          if (std::ranges::find(column_of_, c) == column_of_.end() &&
              (safe ? never_zero(rows_[i][c], signs_) : decide_zero(canonicalizer_, rows_[i][c]) == ZeroTest::kNonzero))
            best = {i, c};
    if (!best) return false;
    const auto [row, column] = *best;
    std::swap(rows_[row], rows_[k]);
    column_of_.push_back(column);
    const Expr pivot = rows_[k][column];
    if (!never_zero(pivot, signs_)) divisors_.push_back(pivot);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == k || rows_[i][column].is_zero()) continue;
      const Expr factor = rows_[i][column] / pivot;
      for (std::size_t c = 0; c < rows_[i].size(); ++c) rows_[i][c] = clean(rows_[i][c] - factor * rows_[k][c]);
    }
    return true;
  }

  Canonicalizer& canonicalizer_;
  Graph& graph_;
  const KnownSigns& signs_;
  std::vector<Expr> unknowns_;
  std::vector<Expr> parts_;  // the coefficient of each unknown, and the rest
  bool linear_ = false;
  std::vector<SymbolId> variables_;  // the symbols that are no parameters
  std::vector<ConstantRow> rows_;
  std::vector<std::size_t> column_of_;  // of the pivot of each row
  std::vector<Expr> divisors_;
};

// Exponents of the constants in a product of their powers.
using Exponents = std::vector<int>;

bool is_single(const Exponents& e) {
  return std::ranges::count(e, 0) == std::ssize(e) - 1 && std::ranges::find(e, 1) != e.end();
}

// A sum Σ B_e Π c_i^e_i: the coefficients B_e, which contain no constant, by the exponents.
struct SumOfProducts {
  std::map<Exponents, Expr> coefficients;

  bool linear() const {
    return std::ranges::all_of(coefficients, [](const auto& part) {
      return is_single(part.first) || std::ranges::count(part.first, 0) == std::ssize(part.first);
    });
  }
};

// The expression as a sum of products of constants; no value where a constant is in a function, an angle, a root or a sum that divides.
std::optional<SumOfProducts> sum_of_products(Canonicalizer& canonicalizer, const Expr& expression,
                                             const std::vector<Expr>& constants) {
  const auto form = canonicalizer.canonical(expression);
  if (!form) return std::nullopt;
  Graph& graph = canonicalizer.graph();
  std::unordered_map<SymbolId, Expr> ones;
  for (const Expr& c : constants) ones.emplace(c.symbol(), graph.constant(1));
  const auto place_of = [&](SymbolId s) { return std::ranges::find(constants, s, &Expr::symbol) - constants.begin(); };
  std::map<Exponents, std::vector<Expr>> parts;
  for (const PolynomialTerm& term : *form) {
    Exponents exponents(constants.size());
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
      const Generator& generator = canonicalizer.generator(power.generator);
      if (generator.kind != Generator::Kind::kSymbol) continue;
      const auto place = static_cast<std::size_t>(place_of(generator.symbol));
      if (place == constants.size()) continue;
      if (power.twelfths % kWhole != 0) return std::nullopt;
      exponents[place] = power.twelfths / kWhole;
    }
    Expr product = graph.constant(1);
    for (std::size_t i = 0; i < constants.size(); ++i) product = product * graph.power(constants[i], exponents[i]);
    const Expr whole = canonicalizer.expression(term), rest = substitute(whole, ones);
    if (!proves_equal(canonicalizer, whole, rest * product)) return std::nullopt;
    parts[exponents].push_back(rest);
  }
  SumOfProducts sum;
  for (auto& [exponents, terms] : parts) sum.coefficients.emplace(exponents, graph.sum(terms));
  return sum;
}

// Finds constants by the values of their products: by those in which all others are known. A power of the constant is taken to be that of a
// positive number.
class ProductSolver {
 public:
  ProductSolver(Canonicalizer& canonicalizer, const KnownSigns& signs, std::size_t constants)
      : canonicalizer_(canonicalizer), signs_(signs), values_(constants) {}

  void add(const Exponents& exponents, const Expr& value) { products_.emplace_back(exponents, value); }

  // The constants, where each follows from a product in which it has the power 1 or −1, or any if the rest is positive, and all others are
  // known; else empty.
  std::vector<Expr> solve() {
    std::ranges::stable_sort(products_, {}, [](const auto& one) { return is_single(one.first) ? 0 : 1; });
    // A root is taken only where no other product says more.
    const auto use_one = [&](bool roots) {
      return std::ranges::any_of(products_, [&](const auto& one) { return use(one.first, one.second, roots); });
    };
    while (use_one(false) || use_one(true)) continue;
    const bool all = std::ranges::all_of(values_, [](const Expr& value) { return static_cast<bool>(value); });
    return all ? values_ : std::vector<Expr>();
  }
  const std::vector<Expr>& divisors() const { return divisors_; }
  const std::vector<std::size_t>& positive() const { return positive_; }

 private:
  bool use(const Exponents& exponents, const Expr& value, bool roots) {
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      if (exponents[i] == 0 || values_[i]) continue;
      if (open || (!roots && std::abs(exponents[i]) != 1)) return false;
      open = i;
    }
    if (!open) return false;
    Expr rest = value;
    std::vector<Expr> divisors;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      if (exponents[i] == 0 || i == *open) continue;
      divisors.push_back(values_[i]);
      rest = rest * value.graph().power(values_[i], -exponents[i]);
    }
    if (exponents[*open] < 0) {
      divisors.push_back(value);
      rest = value.graph().constant(1) / rest;
    }
    for (const Expr& divisor : divisors)
      if (decide_zero(canonicalizer_, divisor) != ZeroTest::kNonzero) return false;
    for (const Expr& divisor : divisors)
      if (!never_zero(divisor, signs_)) divisors_.push_back(divisor);
    if (const int power = std::abs(exponents[*open]); power != 1) {
      if (!always_positive(rest, signs_)) return false;
      rest = value.graph().power(rest, Rational(1, power));
      if (power % 2 == 0) positive_.push_back(*open);
    }
    const auto form = canonicalizer_.canonical(rest);
    values_[*open] = form ? expression(canonicalizer_, shortest(canonicalizer_, *form)) : rest;
    return true;
  }

  Canonicalizer& canonicalizer_;
  const KnownSigns& signs_;
  std::vector<Expr> values_, divisors_;
  std::vector<std::size_t> positive_;  // those that are roots of even order
  std::vector<std::pair<Exponents, Expr>> products_;
};

// The symbol by which two equations are solved to be compared: an acceleration, multiplier or velocity in which both are linear.
std::optional<Expr> solved_for(Canonicalizer& canonicalizer, const Expr& a, const Expr& b) {
  Graph& graph = canonicalizer.graph();
  for (const bool results : {true, false})
    for (const SymbolId s : symbols_in(std::array{a})) {
      const SymbolKind kind = graph.symbol_info(s).kind;
      if (results ? !is_result(kind) : !is_velocity(kind)) continue;
      const Expr symbol = graph.symbol(s);
      const auto linear = [&](const Expr& e) {
        const Expr slope = gradient(e, std::array{symbol})[0];
        const Expr rest = substitute(e, {{s, graph.constant(0)}});
        return !std::ranges::binary_search(symbols_in(std::array{slope}), s) &&
               proves_equal(canonicalizer, e, slope * symbol + rest);
      };
      if (linear(a) && linear(b)) return symbol;
    }
  return std::nullopt;
}

}  // namespace

namespace {

// "c^2 = m*g*l and c*d = k"
std::string text_of_products(Canonicalizer& canonicalizer, const std::vector<Expr>& constants,
                             const std::vector<std::pair<Exponents, Expr>>& products) {
  std::vector<std::string> texts;
  for (const auto& [exponents, value] : products) {
    Expr product = canonicalizer.graph().constant(1);
    for (std::size_t i = 0; i < constants.size(); ++i)
      product = product * canonicalizer.graph().power(constants[i], exponents[i]);
    texts.push_back(print_shortest(canonicalizer, product, Notation::kText) + " = " +
                    print_shortest(canonicalizer, value, Notation::kText));
  }
  return join_words(texts, "");
}

// Constants whose products occur in what has to be 0: c^2, c*d. The products are found as if they were constants of their own.
// `offset`: what has to be 0 may be a constant, too. `only`: where it is not 0, the claim is wrong.
FreeConstants by_their_products(Canonicalizer& canonicalizer, const KnownSigns& signs,
                                const std::vector<Expr>& constants, const SumOfProducts& sum, bool offset, bool only) {
  FreeConstants found;
  found.why = "the states that were tried do not determine its constants";
  Graph& graph = canonicalizer.graph();
  std::vector<Expr> unknowns;
  std::vector<Exponents> products;
  Expr zero = graph.constant(0);
  const auto name_unknown = [&] {
    unknowns.push_back(graph.add_symbol({"product", SymbolKind::kShorthand, static_cast<int>(unknowns.size()), {}}));
    return unknowns.back();
  };
  for (const auto& [exponents, coefficient] : sum.coefficients) {
    if (std::ranges::count(exponents, 0) == std::ssize(exponents)) {
      zero = zero + coefficient;
    } else if (!offset || !only_parameters(coefficient)) {
      products.push_back(exponents);
      zero = zero + coefficient * name_unknown();
    }
  }
  if (offset) zero = zero + name_unknown();
  ConstantFinder finder(canonicalizer, signs, unknowns, zero);
  const auto values = finder.linear() ? finder.solve() : std::nullopt;
  if (!values) return found;
  ProductSolver solver(canonicalizer, signs, constants.size());
  std::vector<std::pair<Exponents, Expr>> known;
  for (std::size_t k = 0; k < products.size(); ++k) {
    solver.add(products[k], (*values)[k]);
    known.emplace_back(products[k], (*values)[k]);
  }
  found.values = solver.solve();
  if (!found.values.empty()) found.positive = solver.positive();
  found.divisors = finder.divisors();
  found.divisors.insert(found.divisors.end(), solver.divisors().begin(), solver.divisors().end());
  // A positive root may not be the one that the other products need.
  const auto agrees = [&](const std::pair<Exponents, Expr>& one) {
    Expr product = graph.constant(1);
    for (std::size_t i = 0; i < constants.size(); ++i) product = product * graph.power(found.values[i], one.first[i]);
    return proves_equal(canonicalizer, product, one.second);
  };
  if (!found.positive.empty() && !std::ranges::all_of(known, agrees)) found.values.clear();
  if (!found.values.empty()) return found;
  std::unordered_map<SymbolId, Expr> filled;
  for (std::size_t k = 0; k < unknowns.size(); ++k) filled.emplace(unknowns[k].symbol(), (*values)[k]);
  if (only && !known.empty() && proves_equal(canonicalizer, substitute(zero, filled), graph.constant(0)))
    found.why = fmt::format("it is right where {}, which does not determine {}",
                            text_of_products(canonicalizer, constants, known),
                            constants.size() == 1 ? "its constant" : "each of its constants");
  return found;
}

}  // namespace

FreeConstants find_constants(Canonicalizer& canonicalizer, const KnownSigns& signs, const std::vector<Expr>& constants,
                             const EntryName& entry, const Expr& correct, const Expr& claimed) {
  FreeConstants found;
  Graph& graph = canonicalizer.graph();
  if (constants.size() > kMostConstants) {
    found.why = "a claim has at most 8 constants";
    return found;
  }
  // Each attempt: what has to be 0, whether an offset is allowed, whether no other values can be right.
  struct Attempt {
    Expr zero;
    bool offset = false, only = true;
  };
  std::vector<Attempt> attempts;
  if (entry.equation()) {
    // a s + b = 0 and α s + β = 0 have the same s where a β = b α, whatever the factor between them.
    if (const auto s = solved_for(canonicalizer, correct, claimed)) {
      const std::unordered_map<SymbolId, Expr> none{{s->symbol(), graph.constant(0)}};
      const auto slope = [&](const Expr& e) { return gradient(e, std::array{*s})[0]; };
      attempts.push_back({slope(claimed) * substitute(correct, none) - slope(correct) * substitute(claimed, none)});
    }
    attempts.push_back({claimed - correct, false, false});
  } else {
    if (entry.part == "V" || entry.part == "L" || entry.part == "E") attempts.push_back({claimed - correct, true});
    attempts.push_back({claimed - correct});
  }
  for (const Attempt& attempt : attempts) {
    const auto sum = sum_of_products(canonicalizer, attempt.zero, constants);
    if (sum && !sum->linear()) {
      // Of an energy only the attempt with an offset is made: products may be right with an offset and not be found without.
      FreeConstants products = by_their_products(canonicalizer, signs, constants, *sum, attempt.offset, attempt.only);
      products.only = attempt.only;
      if (!products.values.empty() || !entry.equation()) return products;
      if (found.why.empty()) found.why = products.why;
      continue;
    }
    std::vector<Expr> unknowns = constants;
    Expr zero = attempt.zero;
    if (attempt.offset) {
      unknowns.push_back(graph.add_symbol({"offset", SymbolKind::kShorthand, static_cast<int>(constants.size()), {}}));
      zero = zero + unknowns.back();
    }
    ConstantFinder finder(canonicalizer, signs, unknowns, zero);
    if (!finder.linear()) {
      found.why = "its constants are in more than products: in a function, an angle, a root or below a sum";
      return found;
    }
    if (auto values = finder.solve()) {
      values->resize(constants.size());
      found.values = *std::move(values);
      found.only = attempt.only;
      found.divisors = finder.divisors();
      return found;
    }
  }
  if (found.why.empty()) found.why = "the states that were tried do not determine its constants";
  return found;
}

}  // namespace dalembert

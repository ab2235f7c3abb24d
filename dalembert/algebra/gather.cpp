// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/gather.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace dalembert {
namespace {

// Limit in bits. Two integers that are longer together count as having no common divisor: factoring it out would make nothing easier to read.
constexpr std::size_t kLongNumber = 256;

Rational gcd_if_short(const Rational& a, const Rational& b) {
  if (a == b) return a;
  return a.bits() + b.bits() > kLongNumber ? Rational(1) : gcd(a, b);
}

Rational lcm(const Rational& a, const Rational& b) { return a == b ? a : a * (b / gcd_if_short(a, b)); }

class Gatherer {
 public:
  explicit Gatherer(const Canonicalizer& canonicalizer) : canonicalizer_(canonicalizer) {}

  using Terms = std::vector<FormTerm>;

  Terms ordered(Terms terms) const {
    for (FormTerm& term : terms)
      std::ranges::sort(term.factors, {}, [&](const FormFactor& f) { return rank(canonicalizer_, f); });
    std::ranges::stable_sort(terms, [&](const FormTerm& a, const FormTerm& b) { return order(a) < order(b); });
    return terms;
  }

  Terms shortest(const Terms& terms, bool pull_common = true) const {
    if (terms.size() < 2) return terms;
    Terms best;
    int lowest = 0;
    const auto offer = [&](Terms candidate, bool wins_ties = false) {
      const int c = cost(canonicalizer_, candidate);
      if (candidate.empty()) return;
      if (!best.empty() && (wins_ties ? c > lowest : c >= lowest)) return;
      best = std::move(candidate);
      lowest = c;
    };
    const Groups states = partition(terms, [&](const FormFactor& f) { return !is_parameter(f); });
    offer(by_state(states));
    Terms gathered = by_parameters(terms, states);
    const bool one_product = gathered.size() == 1 && terms.front().coefficient.sign() < 0 &&
                             std::ranges::none_of(states, [](const auto& group) { return group.first.empty(); });
    offer(std::move(gathered), one_product);
    if (pull_common) {
      if (const FormTerm common = common_factor(terms); !common.factors.empty())
        offer({with_sum(common, shortest(divided(terms, common), false))});
    }
    if (pull_common) {
      offer(by_common_coefficient(states));
      if (const Rational number = common_number(terms); !number.is_one())
        offer({with_sum({number, {}, {}}, shortest(divided(terms, {number, {}, {}}), false))});
    }
    offer(terms);
    return best;
  }

  FormTerm times(const std::vector<FormFactor>& factors, Terms sum) const {
    FormTerm product;
    if (sum.size() == 1)
      product = std::move(sum.front());
    else
      product.sums.push_back({std::move(sum), 1});
    product.factors.insert(product.factors.end(), factors.begin(), factors.end());
    sort_factors(product);
    return product;
  }

 private:
  bool is_parameter(const FormFactor& factor) const { return rank(canonicalizer_, factor).stage <= kLastParameter; }

  // Sort key. Terms with accelerations come first, then terms with velocities, then all others; among these, terms of parameters only are first.
  std::tuple<int, std::vector<std::pair<FactorRank, std::int32_t>>> order(const FormTerm& term) const {
    int stage = 3;
    std::vector<std::pair<FactorRank, std::int32_t>> state, parameters;
    for (const FormFactor& factor : term.factors) {
      const FactorRank place = rank(canonicalizer_, factor);
      if (place.stage == 10) stage = std::min(stage, 0);
      if (place.stage == 9) stage = std::min(stage, 1);
      (is_parameter(factor) ? parameters : state).emplace_back(place, -factor.twelfths);
    }
    std::ranges::reverse(state);
    state.push_back({{-1, 0, {}}, 0});  // end mark of the sort key: fewer factors of the state come first
    state.insert(state.end(), parameters.begin(), parameters.end());
    state.push_back({{99, 0, {}}, 0});  // end mark of the sort key: more parameters come first
    return {stage, std::move(state)};
  }

  // Terms grouped by some of their factors, in order of first appearance. Members keep their other factors.
  using Groups = std::vector<std::pair<std::vector<FormFactor>, Terms>>;
  template <class IsKey>
  Groups partition(const Terms& terms, const IsKey& is_key) const {
    Groups groups;
    for (const FormTerm& term : terms) {
      std::vector<FormFactor> key;
      FormTerm rest{term.coefficient, {}, term.sums};
      for (const FormFactor& factor : term.factors) (is_key(factor) ? key : rest.factors).push_back(factor);
      auto found = std::ranges::find(groups, key, [](const auto& group) { return group.first; });
      if (found == groups.end()) {
        groups.emplace_back(std::move(key), Terms());
        found = groups.end() - 1;
      }
      found->second.push_back(std::move(rest));
    }
    return groups;
  }

  Terms by_state(const Groups& states) const {
    Terms result;
    for (const auto& [state, coefficients] : states) {
      Terms gathered = parameters(coefficients);
      if (state.empty()) {
        // A group without factors of the state (parameters only) is not one product: its terms stay separate.
        result.insert(result.end(), gathered.begin(), gathered.end());
      } else {
        result.push_back(times(state, std::move(gathered)));
      }
    }
    return result;
  }

  // Gathers by products of parameters. Empty if this would split the coefficient of a product of the state.
  Terms by_parameters(const Terms& terms, const Groups& by_states) const {
    Terms result;
    if (by_states.size() < terms.size()) return result;
    for (auto& [key, states] : partition(terms, [&](const FormFactor& f) { return is_parameter(f); })) {
      const FormTerm common = common_factor(states);
      Terms rest = divided(states, common);
      if (rest.size() > 1 && key.empty() && common.factors.empty() && common.coefficient.is_one()) {
        result.insert(result.end(), rest.begin(), rest.end());
        continue;
      }
      FormTerm group = with_sum(common, std::move(rest));
      group.factors.insert(group.factors.end(), key.begin(), key.end());
      sort_factors(group);
      result.push_back(std::move(group));
    }
    return result;
  }

  // (e - f)*(x'^2 + 2*x'*y'): if all products of the state have the same sum of parameters as coefficient, up to a number, that sum is
  // factored out. Empty otherwise.
  Terms by_common_coefficient(const Groups& groups) const {
    const Terms& first = groups.front().second;
    if (groups.size() < 2 || first.size() < 2) return {};
    Terms states;
    for (const auto& [state, coefficients] : groups) {
      if (coefficients.size() != first.size()) return {};
      const Rational ratio = coefficients[0].coefficient / first[0].coefficient;
      for (std::size_t i = 0; i < first.size(); ++i)
        if (coefficients[i].factors != first[i].factors || coefficients[i].coefficient != ratio * first[i].coefficient)
          return {};
      states.push_back({ratio, state, {}});
    }
    const FormTerm common = common_factor(states);
    FormTerm product = with_sum(common, divided(states, common));
    const Terms gathered = parameters(first);
    FormTerm outer = gathered.size() == 1 ? gathered.front() : FormTerm{1, {}, {{gathered, 1}}};
    outer.coefficient = outer.coefficient * product.coefficient;
    outer.factors.insert(outer.factors.end(), product.factors.begin(), product.factors.end());
    outer.sums.insert(outer.sums.end(), product.sums.begin(), product.sums.end());
    sort_factors(outer);
    return {outer};
  }

  // The number that all coefficients equal up to sign, with the sign of the first; 1 if there is none.
  static Rational common_number(const Terms& terms) {
    const auto size = [](const Rational& x) { return x.sign() < 0 ? -x : x; };
    const Rational first = terms.front().coefficient;
    const bool shared =
        std::ranges::all_of(terms, [&](const FormTerm& t) { return size(t.coefficient) == size(first); });
    return shared && !size(first).is_one() ? first : Rational(1);
  }

  // a^2 - 2*a*b + b^2 as (a - b)^2; empty if the three terms are not a square.
  Terms square(const Terms& terms) const {
    const auto root = [](const FormTerm& term) -> std::optional<FormTerm> {
      const auto number = exact_sqrt(term.coefficient);
      if (!number || !term.sums.empty()) return std::nullopt;
      FormTerm half{*number, term.factors, {}};
      for (FormFactor& factor : half.factors) {
        if (factor.twelfths % 24 != 0) return std::nullopt;
        factor.twelfths /= 2;
      }
      return half;
    };
    for (std::size_t cross = 0; cross < 3; ++cross) {
      const auto a = root(terms[cross == 0 ? 1 : 0]), b = root(terms[cross == 2 ? 1 : 2]);
      if (!a || !b) continue;
      FormTerm product{Rational(2) * a->coefficient * b->coefficient, a->factors, {}};
      product.factors.insert(product.factors.end(), b->factors.begin(), b->factors.end());
      sort_factors(product);
      const FormTerm& middle = terms[cross];
      const bool minus = middle.coefficient == -product.coefficient;
      if (!(minus || middle.coefficient == product.coefficient) || middle.factors != product.factors) continue;
      FormTerm second = *b;
      if (minus) second.coefficient = -second.coefficient;
      return {FormTerm{1, {}, {{{*a, second}, 2}}}};
    }
    return {};
  }

  // A sum of products of parameters: common factors are taken out, then the factor that most terms share, and so on.
  Terms parameters(const Terms& terms) const {
    if (terms.size() < 2) return terms;
    const FormTerm common = common_factor(terms);
    if (!common.factors.empty() || !common.coefficient.is_one())
      return {with_sum(common, parameters(divided(terms, common)))};
    if (terms.size() == 3)
      if (Terms squared = square(terms); !squared.empty()) return squared;
    std::vector<std::pair<FormFactor, int>> count;
    for (const FormTerm& term : terms)
      for (const FormFactor& factor : term.factors) {
        const auto found = std::ranges::find(count, factor, [](const auto& c) { return c.first; });
        if (found == count.end())
          count.emplace_back(factor, 1);
        else
          ++found->second;
      }
    const auto better = [&](const auto& a, const auto& b) {
      if (std::tuple(a.second, a.first.twelfths) != std::tuple(b.second, b.first.twelfths))
        return std::tuple(a.second, a.first.twelfths) > std::tuple(b.second, b.first.twelfths);
      return rank(canonicalizer_, a.first) < rank(canonicalizer_, b.first);
    };
    const auto best = std::ranges::min_element(count, better);
    if (best == count.end() || best->second < 2) return terms;
    const auto has = [&](const FormTerm& term) {
      return std::ranges::find(term.factors, best->first) != term.factors.end();
    };
    Terms with, result;
    for (const FormTerm& term : terms)
      if (has(term)) with.push_back(term);
    // The gathered part is placed where its first term was; terms without the factor are gathered separately.
    bool placed = false;
    Terms without;
    for (const FormTerm& term : terms) {
      if (!has(term))
        without.push_back(term);
      else if (!std::exchange(placed, true)) {
        result.insert(result.end(), without.begin(), without.end());
        without.clear();
        const Terms gathered = parameters(with);
        result.insert(result.end(), gathered.begin(), gathered.end());
      }
    }
    const Terms rest = parameters(without);
    result.insert(result.end(), rest.begin(), rest.end());
    return result;
  }

  FormTerm with_sum(FormTerm common, Terms rest) const {
    if (rest.size() == 1) {
      common.coefficient = common.coefficient * rest.front().coefficient;
      common.factors.insert(common.factors.end(), rest.front().factors.begin(), rest.front().factors.end());
      common.sums = std::move(rest.front().sums);
      sort_factors(common);
    } else {
      common.sums.push_back({std::move(rest), 1});
    }
    return common;
  }

  void sort_factors(FormTerm& product) const {
    std::ranges::sort(product.factors, {}, [&](const FormFactor& f) { return rank(canonicalizer_, f); });
  }

  // The common factor of all terms. An integer is taken out only together with symbols, a fraction only if most coefficients are fractions.
  FormTerm common_factor(const Terms& terms) const {
    FormTerm common{1, terms.front().factors, {}};
    Rational numerators = terms.front().coefficient.numerator(), denominators = 1;
    std::size_t fractions = 0;
    bool minus = true;
    for (const FormTerm& term : terms) {
      std::vector<FormFactor> shared;
      for (const FormFactor& factor : common.factors)
        for (const FormFactor& other : term.factors)
          if (factor.same_base(other) && (factor.twelfths > 0) == (other.twelfths > 0))
            shared.push_back({factor.id, factor.trig,
                              factor.twelfths > 0 ? std::min(factor.twelfths, other.twelfths)
                                                  : std::max(factor.twelfths, other.twelfths)});
      common.factors = std::move(shared);
      numerators = gcd_if_short(numerators, term.coefficient.numerator());
      if (denominators.bits() <= kLongNumber) denominators = lcm(denominators, term.coefficient.denominator());
      fractions += !term.coefficient.is_integer();
      minus = minus && term.coefficient.sign() < 0;
    }
    if (numerators.sign() < 0) numerators = -numerators;
    const bool out = 2 * fractions > terms.size() && denominators.bits() <= kLongNumber;
    if (out)
      common.coefficient = numerators / denominators;
    else if (!common.factors.empty() && fractions == 0)
      common.coefficient = numerators;
    if (minus && (out || !common.factors.empty())) common.coefficient = -common.coefficient;
    return common;
  }

  static Terms divided(Terms terms, const FormTerm& by) {
    for (FormTerm& term : terms) {
      term.coefficient = term.coefficient / by.coefficient;
      for (const FormFactor& factor : by.factors)
        for (FormFactor& own : term.factors)
          if (own.same_base(factor)) own.twelfths -= factor.twelfths;
      std::erase_if(term.factors, [](const FormFactor& f) { return f.twelfths == 0; });
    }
    return terms;
  }

  const Canonicalizer& canonicalizer_;
};

int angle_cost(const Canonicalizer& canonicalizer, const Angle& angle) {
  int total = 0;
  for (const auto& [monomial, coefficient] : angle)
    total += 2 * static_cast<int>(canonicalizer.monomial(monomial).size()) +
             (coefficient.is_one() || coefficient.is_minus_one() ? 0 : 2);
  return total + 2 * (static_cast<int>(angle.size()) - 1);
}

int cost_of(const Canonicalizer& canonicalizer, const FormTerm& product) {
  int total = product.coefficient.is_one() || product.coefficient.is_minus_one() ? 0 : 2;
  for (const FormFactor& factor : product.factors) {
    total += 2;
    if (factor.trig != Trig::kOne) total += angle_cost(canonicalizer, canonicalizer.angle(factor.id));
    if (factor.twelfths != 12) total += 1;
    if (factor.trig == Trig::kOne && canonicalizer.generator(factor.id).kind == Generator::Kind::kSum)
      total += 2 * static_cast<int>(canonicalizer.generator(factor.id).arguments[0].size());
  }
  for (const FormTerm::SumPower& power : product.sums)
    total += 2 + (power.exponent != 1) + cost(canonicalizer, power.sum);
  return total;
}

}  // namespace

int cost(const Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum) {
  int total = sum.empty() ? 0 : 2 * (static_cast<int>(sum.size()) - 1);
  for (const FormTerm& product : sum) total += cost_of(canonicalizer, product);
  return total;
}

void multiply(FormTerm& product, const FormTerm& other, int exponent) {
  product.coefficient = product.coefficient * other.coefficient.power(exponent);
  for (FormFactor factor : other.factors) {
    factor.twelfths *= exponent;
    const auto own = std::ranges::find_if(product.factors, [&](const FormFactor& f) { return f.same_base(factor); });
    if (own == product.factors.end())
      product.factors.push_back(factor);
    else
      own->twelfths += factor.twelfths;
  }
  std::erase_if(product.factors, [](const FormFactor& f) { return f.twelfths == 0; });
  for (const FormTerm::SumPower& power : other.sums) product.sums.push_back({power.sum, power.exponent * exponent});
}

FactorRank rank(const Canonicalizer& canonicalizer, const FormFactor& factor) {
  if (factor.trig != Trig::kOne) return {12, factor.trig == Trig::kCos ? 0u : 1u, canonicalizer.angle_order(factor.id)};
  const Generator& g = canonicalizer.generator(factor.id);
  if (g.kind == Generator::Kind::kSum || g.kind == Generator::Kind::kFunction)
    return {11, 0, canonicalizer.generator_order(factor.id)};
  if (g.kind != Generator::Kind::kSymbol) return {0, static_cast<std::uint32_t>(g.prime), {}};
  const Symbol& symbol = canonicalizer.graph().symbol_info(g.symbol);
  const auto index = static_cast<std::uint32_t>(symbol.index);
  switch (symbol.kind) {
    case SymbolKind::kParameter: {
      static constexpr std::array<std::string_view, 4> kFirst = {"mM", "IJ", "kc", "g"};
      for (std::size_t i = 0; i < kFirst.size(); ++i)
        if (kFirst[i].find(symbol.name[0]) != std::string_view::npos) return {static_cast<int>(i) + 1, index, {}};
      return {kLastParameter, index, {}};
    }
    case SymbolKind::kInput:
    case SymbolKind::kShorthand:
      return {6, index, symbol.name};
    case SymbolKind::kMultiplier:
      return {7, index, {}};
    case SymbolKind::kTime:
      return {8, 0, {}};
    case SymbolKind::kCoordinate:
      return {8, 1 + index, {}};
    case SymbolKind::kVelocity:
    case SymbolKind::kQuasiVelocity:
      return {9, index, {}};
    case SymbolKind::kAcceleration:
    case SymbolKind::kQuasiAcceleration:
      return {10, index, {}};
  }
  return {13, index, {}};
}

std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering) {
  std::vector<FormTerm> terms;
  for (const PolynomialTerm& term : form) {
    FormTerm t{term.coefficient, {}, {}};
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial))
      t.factors.push_back({power.generator, Trig::kOne, power.twelfths});
    if (term.key.trig != Trig::kOne) t.factors.push_back({term.key.angle, term.key.trig, 12});
    terms.push_back(std::move(t));
  }
  return gather(canonicalizer, std::move(terms), gathering);
}

// Number of terms up to which common factors are searched. The search is quadratic in it, and nobody reads longer sums term by term.
constexpr std::size_t kMostGathered = 1000;

std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, std::vector<FormTerm> terms, Gathering gathering) {
  const Gatherer gatherer(canonicalizer);
  terms = gatherer.ordered(std::move(terms));
  return gathering == Gathering::kShortest && terms.size() <= kMostGathered ? gatherer.shortest(terms) : terms;
}

FormTerm times(const Canonicalizer& canonicalizer, std::vector<FormTerm> sum, const FormFactor& factor) {
  return Gatherer(canonicalizer).times({factor}, std::move(sum));
}

std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, const Angle& angle) {
  std::vector<FormTerm> terms;
  for (const auto& [monomial, coefficient] : angle) {
    FormTerm t{coefficient, {}, {}};
    const auto append = [&](std::uint32_t id) {
      for (const GeneratorPower& power : canonicalizer.monomial(id))
        t.factors.push_back({power.generator, Trig::kOne, power.twelfths});
    };
    const Monomial& m = canonicalizer.monomial(monomial);
    const Generator* sine = m.size() == 1 && m[0].twelfths == 12 ? &canonicalizer.generator(m[0].generator) : nullptr;
    if (sine && sine->kind == Generator::Kind::kSum) {
      // A sine inside the angle of a term, as in sin(a*sin(x)).
      const TermKey& key = sine->arguments[0].front().key;
      append(key.monomial);
      if (key.trig != Trig::kOne) t.factors.push_back({key.angle, key.trig, 12});
    } else {
      append(monomial);
    }
    std::ranges::sort(t.factors, {}, [&](const FormFactor& f) { return rank(canonicalizer, f); });
    terms.push_back(std::move(t));
  }
  return terms;
}

Expr expression(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum) {
  Graph& graph = canonicalizer.graph();
  std::vector<Expr> terms;
  for (const FormTerm& term : sum) {
    std::vector<Expr> factors{graph.constant(term.coefficient)};
    for (const FormFactor& f : term.factors) {
      if (f.trig == Trig::kOne) {
        factors.push_back(canonicalizer.expression(GeneratorPower{f.id, f.twelfths}));
      } else {
        const Expr angle = canonicalizer.expression(canonicalizer.angle(f.id));
        factors.push_back(graph.power(f.trig == Trig::kCos ? cos(angle) : sin(angle), Rational(f.twelfths, 12)));
      }
    }
    for (const FormTerm::SumPower& power : term.sums)
      factors.push_back(graph.power(expression(canonicalizer, power.sum), Rational(power.exponent)));
    terms.push_back(graph.product(factors));
  }
  return graph.sum(terms);
}

}  // namespace dalembert

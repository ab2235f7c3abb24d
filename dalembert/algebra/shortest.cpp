// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/shortest.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/algebra/squares.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxFactored = 60;     // limit on the terms of a form without denominators that is factored
constexpr std::size_t kMaxParenthesis = 12;  // limit on the terms of a sum in parentheses that is factored

enum class Denominators { kNone, kSimple, kSums };

// The kind of denominators. Roots and single sines in denominators may stay in separate terms; a sum justifies one common fraction.
Denominators denominators(const Canonicalizer& canonicalizer, const Polynomial& form) {
  auto found = Denominators::kNone;
  for (const PolynomialTerm& term : form)
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
      const Generator& g = canonicalizer.generator(power.generator);
      if (power.twelfths >= 0 || g.kind != Generator::Kind::kSum) continue;
      if (power.twelfths % 12 == 0 && g.arguments[0].size() > 1) return Denominators::kSums;
      found = Denominators::kSimple;
    }
  return found;
}

// Whether a polynomial may be the expansion of a shorter product: it has an even angle (sin² θ, sin θ cos θ), two terms that are a product
// of sines and cosines, or a square among three terms without angles.
bool may_factor(const Canonicalizer& canonicalizer, const Polynomial& form) {
  bool square = false, angles = false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const PolynomialTerm& term = form[i];
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial))
      square = square || power.twelfths >= 24;
    if (term.key.trig == Trig::kOne) continue;
    angles = true;
    const auto even = [](const auto& part) { return (part.second * Rational(1, 2)).is_integer(); };
    if (std::ranges::all_of(canonicalizer.angle(term.key.angle), even)) return true;
    for (std::size_t j = i + 1; j < form.size() && form[j].key.monomial == term.key.monomial; ++j)
      if (form[j].key.trig == term.key.trig &&
          (form[j].coefficient == term.coefficient || form[j].coefficient == -term.coefficient))
        return true;
  }
  return form.size() >= 3 && square && !angles;
}

// Whether a sum is certainly not a product of sums: it has at least three terms without a common number, each term has a factor that no
// other has, and each angle a part that no other has. Proof: write the sum as A g^k + B h^l + c, where g and h are such factors of two
// terms. A divisor without g and h divides both A and B, so it is a product of symbols. And -(B h^l + c)/A is not a power, as c is not 0
// and does not contain h. So A g^k + B h^l + c is irreducible (Capelli; Lang, Algebra, VI.9).
bool irreducible(const Canonicalizer& canonicalizer, const Polynomial& form) {
  if (form.size() < 3) return false;
  std::map<std::uint32_t, int> factors, parts;
  std::int64_t common = 0;
  for (const PolynomialTerm& term : form) {
    const auto number = term.coefficient.as_int();
    if (!number) return false;
    common = std::gcd(common, static_cast<std::int64_t>(*number));
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
      if (canonicalizer.generator(power.generator).kind == Generator::Kind::kSum) return false;
      ++factors[power.generator];
    }
    if (term.key.trig == Trig::kOne) continue;
    for (const auto& [part, coefficient] : canonicalizer.angle(term.key.angle)) ++parts[part];
  }
  const auto own_factor = [&](const GeneratorPower& power) { return factors.at(power.generator) == 1; };
  const auto own_part = [&](const auto& part) { return parts.at(part.first) == 1; };
  return common == 1 && std::ranges::all_of(form, [&](const PolynomialTerm& term) {
           return std::ranges::any_of(canonicalizer.monomial(term.key.monomial), own_factor) &&
                  (term.key.trig == Trig::kOne || std::ranges::any_of(canonicalizer.angle(term.key.angle), own_part));
         });
}

// Whether there are parentheses inside parentheses, which may be a product of two sums.
bool nested(const std::vector<FormTerm>& terms) {
  return std::ranges::any_of(terms, [](const FormTerm& term) {
    return std::ranges::any_of(term.sums, [](const FormTerm::SumPower& power) {
      return std::ranges::any_of(power.sum, [](const FormTerm& inner) { return !inner.sums.empty(); });
    });
  });
}

// Factors the sums in parentheses: e^2 - 2*e*f + f^2 becomes (e - f)^2.
void factor_parentheses(Canonicalizer& canonicalizer, std::vector<FormTerm>& terms) {
  for (FormTerm& term : terms) {
    std::vector<FormTerm::SumPower> sums;
    std::swap(sums, term.sums);
    for (FormTerm::SumPower& power : sums) {
      factor_parentheses(canonicalizer, power.sum);
      // Longer sums take long to factor and are rarely products.
      const bool promising = power.sum.size() >= 3 && power.sum.size() <= kMaxParenthesis;
      const auto form = promising ? canonicalizer.canonical(expression(canonicalizer, power.sum)) : std::nullopt;
      const bool sum = !form || form->empty() || irreducible(canonicalizer, *form);
      auto factored = !sum ? rational_form(canonicalizer, *form) : std::nullopt;
      if (!factored || factored->size() != 1 || cost(canonicalizer, *factored) >= cost(canonicalizer, power.sum)) {
        term.sums.push_back(std::move(power));
        continue;
      }
      multiply(term, factored->front(), power.exponent);
      std::ranges::sort(term.factors, {}, [&](const FormFactor& f) { return rank(canonicalizer, f); });
    }
  }
}

constexpr std::size_t kMaxOverBar = 60;  // limit on the terms of a numerator over a common denominator

// Whether all coefficients are integers and no term has a denominator.
bool is_whole(const Canonicalizer& canonicalizer, const Polynomial& sum) {
  return std::ranges::all_of(sum, [&](const PolynomialTerm& term) {
    return term.coefficient.is_integer() &&
           std::ranges::none_of(canonicalizer.monomial(term.key.monomial),
                                [](const GeneratorPower& power) { return power.twelfths < 0; });
  });
}

// Changes the signs of the sum if its first coefficient is negative. Returns the sign that was taken out.
int make_lead_positive(std::vector<FormTerm>& sum) {
  if (sum.front().coefficient.sign() > 0) return 1;
  for (FormTerm& term : sum) term.coefficient = -term.coefficient;
  return -1;
}

// Multiplies `quotient` by sum^power; a single term is merged into its factors.
void multiply_by(const Canonicalizer& canonicalizer, FormTerm& quotient, std::vector<FormTerm> sum, int power) {
  if (sum.size() > 1) {
    if (make_lead_positive(sum) < 0 && power % 2 != 0) quotient.coefficient = -quotient.coefficient;
    quotient.sums.push_back({std::move(sum), power});
    return;
  }
  FormTerm& product = sum.front();
  for (FormTerm::SumPower& inner : product.sums)
    if (make_lead_positive(inner.sum) < 0 && inner.exponent % 2 != 0) product.coefficient = -product.coefficient;
  multiply(quotient, product, power);
  std::ranges::sort(quotient.factors, {}, [&](const FormFactor& f) { return rank(canonicalizer, f); });
}

// Powers of the sums in a denominator, by generator.
using PowersBelow = std::map<std::uint32_t, int>;

bool is_sum_below(const Canonicalizer& canonicalizer, const GeneratorPower& power) {
  const Generator& g = canonicalizer.generator(power.generator);
  return power.twelfths < 0 && power.twelfths % 12 == 0 && g.kind == Generator::Kind::kSum && g.arguments[0].size() > 1;
}

Expr sum_of(Canonicalizer& canonicalizer, std::uint32_t generator) {
  return canonicalizer.expression(canonicalizer.generator(generator).arguments[0]);
}

// The numerator over the denominator `below`: each term times the factors that its own denominator lacks.
Expr above_the_bar(Canonicalizer& canonicalizer, const Polynomial& form, const PowersBelow& below) {
  std::vector<Graph::Term> terms;
  for (const PolynomialTerm& term : form) {
    std::vector<Expr> factors;
    auto lacks = below;
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
      if (is_sum_below(canonicalizer, power))
        lacks[power.generator] += power.twelfths / 12;
      else
        factors.push_back(canonicalizer.expression(power));
    }
    for (const auto& [generator, power] : lacks)
      if (power > 0) factors.push_back(canonicalizer.graph().power(sum_of(canonicalizer, generator), power));
    if (term.key.trig != Trig::kOne) {
      const Expr angle = canonicalizer.expression(canonicalizer.angle(term.key.angle));
      factors.push_back(term.key.trig == Trig::kCos ? cos(angle) : sin(angle));
    }
    terms.push_back({canonicalizer.graph().product(factors), term.coefficient});
  }
  return canonicalizer.graph().sum(terms);
}

// The quotient above/below, with the shorter of two forms of the numerator.
std::optional<FormTerm> shortest_quotient(Canonicalizer& canonicalizer, const Polynomial& above,
                                          const PowersBelow& below) {
  std::vector<std::vector<FormTerm>> numerators{shortest(canonicalizer, above)};
  if (auto factored = rational_form(canonicalizer, above)) numerators.push_back(*std::move(factored));
  std::optional<FormTerm> best;
  for (std::vector<FormTerm>& numerator : numerators) {
    FormTerm quotient;
    multiply_by(canonicalizer, quotient, std::move(numerator), 1);
    for (const auto& [generator, power] : below)
      multiply_by(canonicalizer, quotient, shortest(canonicalizer, canonicalizer.generator(generator).arguments[0]),
                  -power);
    if (!best || cost(canonicalizer, {quotient}) < cost(canonicalizer, {*best})) best = std::move(quotient);
  }
  return best;
}

// The form as one fraction with the existing denominators. (Lowest terms make a sum of sines in a denominator free of sines, which may
// lengthen both numerator and denominator.) Nothing if no denominator is a sum.
std::optional<FormTerm> over_one_bar(Canonicalizer& canonicalizer, const Polynomial& form) {
  PowersBelow below;
  for (const PolynomialTerm& term : form)
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial))
      if (is_sum_below(canonicalizer, power))
        below[power.generator] = std::max(below[power.generator], -power.twelfths / 12);
  if (below.empty() || form.size() > kMaxOverBar) return std::nullopt;
  for (const auto& [generator, power] : below)
    if (!is_whole(canonicalizer, canonicalizer.generator(generator).arguments[0])) return std::nullopt;

  Expr over = above_the_bar(canonicalizer, form, below);
  auto above = canonicalizer.canonical(over);
  const auto readable = [&] {
    return above && !above->empty() && above->size() <= kMaxOverBar &&
           denominators(canonicalizer, *above) != Denominators::kSums;
  };
  if (!readable()) return std::nullopt;
  // Cancel denominators that divide the numerator.
  for (auto& [generator, power] : below) {
    while (power > 0) {
      const auto quotient = canonicalizer.canonical(over / sum_of(canonicalizer, generator));
      const auto lowest = quotient ? rational_form(canonicalizer, *quotient) : std::nullopt;
      if (!lowest) break;
      const auto divides = [](const FormTerm& term) {
        return std::ranges::all_of(term.sums, [](const FormTerm::SumPower& sum) { return sum.exponent > 0; });
      };
      if (!std::ranges::all_of(*lowest, divides)) break;
      over = expression(canonicalizer, *lowest);
      above = canonicalizer.canonical(over);
      if (!readable()) return std::nullopt;
      --power;
    }
  }
  std::erase_if(below, [](const auto& entry) { return entry.second == 0; });

  return shortest_quotient(canonicalizer, *above, below);
}

}  // namespace

std::vector<FormTerm> shortest(Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<FormTerm> gathered = gather(canonicalizer, form, Gathering::kShortest);
  if (form.size() <= kMaxFactored) factor_parentheses(canonicalizer, gathered);
  gathered = with_squares(canonicalizer, form, std::move(gathered));
  const Denominators below = denominators(canonicalizer, form);
  const bool promising = may_factor(canonicalizer, form) || nested(gathered);
  if (below == Denominators::kNone && (form.size() < 2 || form.size() > kMaxFactored || !promising)) return gathered;
  auto other = rational_form(canonicalizer, form);
  if (!other) return gathered;
  if (below != Denominators::kSums)
    return cost(canonicalizer, *other) >= cost(canonicalizer, gathered) ? gathered : *std::move(other);
  if (auto bar = over_one_bar(canonicalizer, form)) {
    std::vector<FormTerm> one{*std::move(bar)};
    if (cost(canonicalizer, one) < cost(canonicalizer, *other)) return one;
  }
  return *std::move(other);
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/shortest.h"

#include <algorithm>

#include "dalembert/algebra/rational_form.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxFactored = 60;  // terms of a form without denominators

enum class Denominators { kNone, kSimple, kSums };

// Roots and single sines below the bar may stay in several terms; a sum there is worth one common fraction.
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

// Parentheses that factor: e^2 - 2*e*f + f^2 becomes (e - f)^2.
void factor_parentheses(Canonicalizer& canonicalizer, std::vector<FormTerm>& terms) {
  for (FormTerm& term : terms) {
    std::vector<FormTerm::SumPower> sums;
    std::swap(sums, term.sums);
    for (FormTerm::SumPower& power : sums) {
      factor_parentheses(canonicalizer, power.sum);
      const auto form = power.sum.size() < 3 ? std::nullopt : canonicalizer.canonical(expression(canonicalizer, power.sum));
      auto factored = form && !form->empty() ? rational_form(canonicalizer, *form) : std::nullopt;
      if (!factored || factored->size() != 1 || cost(canonicalizer, *factored) >= cost(canonicalizer, power.sum)) {
        term.sums.push_back(std::move(power));
        continue;
      }
      FormTerm& product = factored->front();
      term.coefficient = term.coefficient * product.coefficient.power(power.exponent);
      for (FormFactor& factor : product.factors) {
        factor.twelfths *= power.exponent;
        term.factors.push_back(factor);
      }
      for (FormTerm::SumPower& inner : product.sums) term.sums.push_back({std::move(inner.sum), inner.exponent * power.exponent});
      std::ranges::sort(term.factors, {}, [&](const FormFactor& f) { return rank(canonicalizer, f); });
    }
  }
}

}  // namespace

std::vector<FormTerm> shortest(Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<FormTerm> gathered = gather(canonicalizer, form, Gathering::kShortest);
  if (form.size() <= kMaxFactored) factor_parentheses(canonicalizer, gathered);
  const Denominators below = denominators(canonicalizer, form);
  if (below == Denominators::kNone && (form.size() < 2 || form.size() > kMaxFactored)) return gathered;
  auto other = rational_form(canonicalizer, form);
  if (!other) return gathered;
  if (below != Denominators::kSums && cost(canonicalizer, *other) >= cost(canonicalizer, gathered)) return gathered;
  return *std::move(other);
}

}  // namespace dalembert

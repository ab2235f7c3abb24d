// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/shortest.h"

#include <algorithm>

#include "dalembert/algebra/rational_form.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxFactored = 60;  // terms of a form without denominators

bool has_denominator(const Canonicalizer& canonicalizer, const Polynomial& form) {
  return std::ranges::any_of(form, [&](const PolynomialTerm& term) {
    return std::ranges::any_of(canonicalizer.monomial(term.key.monomial), [&](const GeneratorPower& power) {
      return power.twelfths < 0 && canonicalizer.generator(power.generator).kind == Generator::Kind::kSum;
    });
  });
}

}  // namespace

std::vector<FormTerm> shortest(Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<FormTerm> gathered = gather(canonicalizer, form, Gathering::kShortest);
  const bool quotient = has_denominator(canonicalizer, form);
  if (!quotient && (form.size() < 2 || form.size() > kMaxFactored)) {
    // sin 2θ alone is shorter as it stands than as a product.
    return gathered;
  }
  auto other = rational_form(canonicalizer, form);
  if (!other || cost(canonicalizer, *other) >= cost(canonicalizer, gathered)) return gathered;
  return *std::move(other);
}

}  // namespace dalembert

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

}  // namespace

std::vector<FormTerm> shortest(Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<FormTerm> gathered = gather(canonicalizer, form, Gathering::kShortest);
  const Denominators below = denominators(canonicalizer, form);
  if (below == Denominators::kNone && (form.size() < 2 || form.size() > kMaxFactored)) return gathered;
  auto other = rational_form(canonicalizer, form);
  if (!other) return gathered;
  if (below != Denominators::kSums && cost(canonicalizer, *other) >= cost(canonicalizer, gathered)) return gathered;
  return *std::move(other);
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/slips.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxTerms = 200;

// The terms in which two forms differ; terms that are the same in both are left out.
struct Remainders {
  Polynomial correct, claimed;
  bool changed = false;  // some term is in both forms with different coefficients
};

Remainders remainders(const Polynomial& correct, const Polynomial& claimed) {
  Remainders rest;
  std::size_t i = 0, j = 0;
  while (i < correct.size() || j < claimed.size()) {
    if (j == claimed.size() || (i < correct.size() && correct[i].key < claimed[j].key)) {
      rest.correct.push_back(correct[i++]);
    } else if (i == correct.size() || claimed[j].key < correct[i].key) {
      rest.claimed.push_back(claimed[j++]);
    } else {
      if (correct[i].coefficient != claimed[j].coefficient) {
        rest.changed = true;
        rest.correct.push_back(correct[i]);
        rest.claimed.push_back(claimed[j]);
      }
      ++i;
      ++j;
    }
  }
  return rest;
}

// Whether every term of one is a term of the other with sin for cos, or cos for sin.
bool exchanged(const Polynomial& a, const Polynomial& b) {
  if (a.size() != b.size() || a.empty()) return false;
  return std::ranges::all_of(a, [&](const PolynomialTerm& term) {
    if (term.key.trig == Trig::kOne) return false;
    TermKey key = term.key;
    key.trig = key.trig == Trig::kSin ? Trig::kCos : Trig::kSin;
    const auto found = std::ranges::find(b, key, &PolynomialTerm::key);
    return found != b.end() && (found->coefficient == term.coefficient || found->coefficient == -term.coefficient);
  });
}

// The factor between two formulas as text, if it is one product. Formulas of parameters alone always have some quotient.
std::string simple_factor(Canonicalizer& canonicalizer, const Expr& a, const Expr& b, Notation notation) {
  const auto k = constant_factor(canonicalizer, a, b);
  const auto form = k ? canonicalizer.canonical(*k) : std::nullopt;
  if (!form) return {};
  const std::vector<FormTerm> terms = shortest(canonicalizer, *form);
  return terms.size() == 1 && terms[0].sums.empty() ? print(canonicalizer, terms, notation) : "";
}

}  // namespace

std::string name_slip(Canonicalizer& canonicalizer, const Expr& correct, const Expr& claimed, Notation notation) {
  const auto text = [&](const Polynomial& form) {
    return print(canonicalizer, shortest(canonicalizer, form), notation);
  };
  if (const std::string factor = simple_factor(canonicalizer, correct, claimed, notation); !factor.empty())
    return fmt::format("{}the claim is {} times the correct formula", factor == "-1" ? "the sign is wrong: " : "",
                       factor);
  const auto right = canonicalizer.canonical(correct), wrong = canonicalizer.canonical(claimed);
  if (!right || !wrong || right->size() > kMaxTerms || wrong->size() > kMaxTerms) return {};
  const Remainders rest = remainders(*right, *wrong);
  if (rest.claimed.empty() && rest.correct.size() < right->size())
    return fmt::format("a part is missing: {}", text(rest.correct));
  if (rest.correct.empty() && rest.claimed.size() < wrong->size())
    return fmt::format("a part is too much: {}", text(rest.claimed));
  if (!rest.changed && exchanged(rest.correct, rest.claimed))
    return fmt::format("sin and cos are exchanged: {} should be {}", text(rest.claimed), text(rest.correct));
  // If only some of the terms differ, these may be off by a factor.
  if (rest.correct.size() == right->size()) return {};
  const std::string factor = simple_factor(canonicalizer, canonicalizer.expression(rest.correct),
                                           canonicalizer.expression(rest.claimed), notation);
  if (factor.empty()) return {};
  return factor == "-1"
             ? fmt::format("the sign of a part is wrong: {}", text(rest.claimed))
             : fmt::format("a part has the factor {}: {} should be {}", factor, text(rest.claimed), text(rest.correct));
}

std::string name_unit_slip(const Model& model, const Expr& correct, const Expr& claimed, bool energy) {
  if (claimed.is_constant()) return {};
  const auto right = model.dimension_of(correct), wrong = model.dimension_of(claimed);
  if (!right) return {};
  const Measure measure = energy ? Measure::kAny : Measure::kForce;
  if (wrong)
    return *right == *wrong ? ""
                            : fmt::format("the entry is in {}, the claim in {}", unit_name(*right, measure),
                                          unit_name(*wrong, measure));
  for (const SymbolId s : symbols_in(std::array{claimed}))
    if (!model.dimension_of(claimed.graph().symbol(s))) return {};
  return "the claim's terms do not have one unit";
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/squared_rows.h"

#include <algorithm>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/derive/state_relations.h"

namespace dalembert {
namespace {

// Whether each factor of a product that may be 0 has an exponent above 1.
bool is_power(const Expr& h, const KnownSigns& signs) {
  const Graph& graph = h.graph();
  if (h.op() != Op::kProduct) return false;
  return std::ranges::all_of(graph.items(h.id()), [&](const Graph::Item& item) {
    const Expr factor(&h.graph(), item.node);
    return graph.number(item) > Rational(1) || never_zero(factor, signs) || keeps_sign(factor, signs);
  });
}

bool is_product_of_powers(const std::vector<FormTerm>& terms) {
  constexpr int kTwelfths = 12;
  return terms.size() == 1 && !terms.front().sums.empty() &&
         std::ranges::all_of(terms.front().sums, [](const FormTerm::SumPower& sum) { return sum.exponent > 1; }) &&
         std::ranges::all_of(terms.front().factors, [](const FormFactor& f) { return f.twelfths > kTwelfths; });
}

}  // namespace

std::vector<int> squared_rows(const Equations& given) {
  const Equations eq = on_overlay(given);
  const KnownSigns signs = known_signs(*eq.model);
  Canonicalizer canonicalizer(*eq.graph, Canonicalizer::kMaxTerms, state_relations(eq));
  std::vector<int> rows;
  for (const int j : eq.holonomic) {
    const Expr& h = eq.h[static_cast<std::size_t>(j)];
    if (eq.is_unilateral(static_cast<std::size_t>(j)) || never_zero(h, signs)) continue;
    bool squared = keeps_sign(h, signs) || is_power(h, signs);
    if (!squared)
      if (const auto form = canonicalizer.canonical(h))
        if (const auto factors = rational_form(canonicalizer, *form)) squared = is_product_of_powers(*factors);
    if (squared) rows.push_back(j);
  }
  return rows;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/mapped_claims.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dalembert/analyze/audit/identities.h"

namespace dalembert {

AuditedClaim MappedClaims::statement(std::string entry) const {
  AuditedClaim claim;
  claim.source = source_;
  claim.entry = std::move(entry);
  claim.given = given_;
  return claim;
}

void MappedClaims::decide(AuditedClaim& claim, ClaimVerdict verdict, std::string note) {
  claim.verdict = verdict;
  claim.exact = verdict != ClaimVerdict::kUndecided;
  claim.note = std::move(note);
}

void MappedClaims::assume(AuditedClaim& claim, const std::vector<Expr>& nonzero,
                          const std::vector<SymbolId>& with_sign) {
  const auto add = [&](const std::string& text) {
    if (std::ranges::find(claim.assuming, text) == claim.assuming.end()) claim.assuming.push_back(text);
  };
  for (const Expr& e : nonzero)
    for (const std::string& text : must_not_vanish(canonicalizer_, e, signs_, notation_)) add(text);
  for (const SymbolId s : with_sign) add(sign_text(graph(), s, signs_, notation_));
}

bool MappedClaims::proved_equal(AuditedClaim& claim, const Conditions& conditions, const Expr& a, const Expr& b) {
  const Expr left = conditions.apply(a), right = conditions.apply(b);
  Identities identities(canonicalizer_, signs_);
  const bool by_form = proves_equal(canonicalizer_, left, right);
  if (!by_form && !proves_equal(canonicalizer_, identities.normalized(left), identities.normalized(right)))
    return false;
  GivenPoints points(graph(), conditions, std::array{a, b});
  if (look_at_points(points, a, b, Search::kAnyValue).points == 0) return false;
  decide(claim, ClaimVerdict::kProved);
  if (proves_equal(canonicalizer_, a, b)) return true;
  assume(claim, conditions.divisors(), conditions.positive());
  if (!by_form) assume(claim, identities.nonzero(), identities.signs_used());
  return true;
}

}  // namespace dalembert

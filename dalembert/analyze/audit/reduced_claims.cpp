// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/reduced_claims.h"

namespace dalembert {

Result<Expr> ReducedClaims::take(const EntryName& entry, Claim& claim) {
  if (!reduced_) reduced_ = build_reduced(eq_);
  if (!*reduced_) return reduced_->diagnostics();
  Result<Expr> value = reduced_entry(**reduced_, entry, claim.entry.span());
  if (value) rewrite(claim);
  return value;
}

std::shared_ptr<const LargeEntry> ReducedClaims::take_large(const EntryName& entry, Claim& claim) {
  if (entry.part != "J") return large_entry(eq_, entry, claim);
  if (!reduced_ || !*reduced_) return nullptr;
  const Reduced& reduced = **reduced_;
  // v̇ would depend on rates that are given, or on forces of friction.
  const bool others = !eq_.model->prescribed.empty() || !eq_.frictions.empty();
  if (!reduced.closed || !reduced.vdot.empty() || reduced.why != NoClosedForm::kTooLarge || others) return nullptr;
  rewrite(claim);
  return large_jacobian(eq_, reduced, entry);
}

void ReducedClaims::rewrite(Claim& claim) const {
  std::vector<Expr*> all{&claim.value, &claim.parts};
  for (ClaimCondition& condition : claim.given)
    all.insert(all.end(), {&condition.left, &condition.right, &condition.parts});
  for (Expr* e : all)
    if (*e) *e = in_quasi_velocities(eq_, **reduced_, *e);
}

Expr ReducedClaims::beside(const EntryName& entry, const std::string& part) const {
  if (!reduced_ || !*reduced_) return {};
  EntryName other = entry;
  other.part = part;
  const Result<Expr> value = reduced_entry(**reduced_, other, {});
  return value ? *value : Expr();
}

void ReducedClaims::add_rest(std::unordered_map<SymbolId, Expr>& at_rest) const {
  if (!reduced_ || !*reduced_) return;
  for (const ReducedVelocity& velocity : (*reduced_)->velocities)
    at_rest.emplace(velocity.vdot.symbol(), eq_.graph->constant(0));
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "dalembert/analyze/audit/auditor.h"
#include "dalembert/derive/state_relations.h"

namespace dalembert {

Auditor::Auditor(const Equations& equations, Notation notation)
    : eq_(on_overlay(equations)),
      claims_(eq_.model->claims),
      notation_(notation),
      graph_(*eq_.graph),
      canonicalizer_(graph_, Canonicalizer::kMaxTerms, state_relations(eq_)) {
  // Where the velocities of the equations are not q̇, claims speak of q̇ all the same. Frictions may have symbols of their own in the equations.
  Replacements symbols = motion_of_coordinates(eq_);
  symbols.merge(frictions_of_model(eq_));
  const auto read_in = [&](Expr& e) {
    if (e) e = substitute(graph_.adopt(e), symbols);
  };
  for (Claim& claim : claims_) {
    for (Expr* e : {&claim.value, &claim.parts}) read_in(*e);
    for (Expr& constant : claim.constants) constant = graph_.adopt(constant);
    for (ClaimCondition& condition : claim.given)
      for (Expr* e : {&condition.left, &condition.right, &condition.parts}) read_in(*e);
  }
  signs_ = known_signs(*eq_.model);
}

Result<AuditReport> Auditor::run() {
  for (Claim& claim : claims_) read(claim);
  if (!problems_.empty()) return problems_;
  AuditReport report;
  for (auto& [it, conditions] : cases_) report.claims.push_back(judge(std::move(it), conditions));
  return report;
}

void Auditor::read(Claim& claim) {
  const auto entry = read_entry(eq_, claim.entry);
  if (!entry) return report(entry.diagnostics());
  if (claim.equation && !entry->equation()) return report(equation_for_value(claim, *entry));
  Expr reduced;
  std::shared_ptr<const LargeEntry> large;
  if (entry->reduced()) {
    const auto value = reduced_.take(*entry, claim);
    if (!value) large = reduced_.take_large(*entry, claim);
    if (!value && !large) return report(value.diagnostics());
    if (value) reduced = *value;
  } else if (entry->of_connection() && solutions_.too_large(*entry)) {
    large = large_entry(eq_, *entry, claim);
  }
  Conditions conditions(canonicalizer_, signs_);
  require_values(conditions, claim);
  ClaimCase it{&claim, *entry, reduced, {}, {}, {}, nullptr, large, {}};
  // Conditions with a symbol alone on one side come first: they leave fewer choices of what to solve the others for.
  for (const bool alone : {true, false})
    for (const ClaimCondition& condition : claim.given)
      if (!it.refusal && (is_symbol(condition.left) || is_symbol(condition.right)) == alone)
        it.refusal = conditions.add(condition);
  cases_.emplace_back(std::move(it), std::move(conditions));
}

void Auditor::require_values(Conditions& conditions, const Claim& claim) {
  conditions.require_value(claim.parts);
  for (const ClaimCondition& condition : claim.given) conditions.require_value(condition.parts);
}

Diagnostics Auditor::equation_for_value(const Claim& claim, const EntryName& entry) const {
  Diagnostic d = error("E0240", fmt::format("an equation where the value of `{}` is expected", entry.text), claim.span);
  d.help.push_back("write what the entry equals, without `=`; `eom[…]` takes a whole equation");
  return {std::move(d)};
}

AuditedClaim Auditor::judge(ClaimCase it, Conditions& conditions) {
  const Claim& claim = *it.claim;
  AuditedClaim result;
  result.source = claim.source;
  result.entry = it.entry.text;
  result.claimed = claim.text;
  result.span = claim.span;
  for (const ClaimCondition& condition : claim.given) result.given.push_back(condition.text);
  if (it.refusal) {
    result.refusal = std::move(it.refusal);
    result.note = result.refusal->message;
    return result;
  }
  assume(result, conditions);
  Claim filled = claim;
  FreeConstants constants;
  if (!claim.constants.empty()) {
    constants = put_in_constants(it, filled, conditions, result);
    if (constants.values.empty()) {
      undecided(result, constants.why);
      return result;
    }
    it.claim = &filled;
  }
  if (it.large) {
    judge_large(it, conditions, result);
  } else if (it.entry.solved()) {
    judge_motion(it, conditions, result);
  } else if (it.entry.of_connection()) {
    judge_connection(it, conditions, result);
  } else {
    set_sides(it, direct_value(it), it.claim->value, conditions);
    decide(it, result, conditions);
  }
  if (!claim.constants.empty()) say_of_constants(constants, result);
  if (result.verdict == ClaimVerdict::kUndecided) result.difference.clear();
  return result;
}

FreeConstants Auditor::put_in_constants(const ClaimCase& it, Claim& filled, const Conditions& conditions,
                                        AuditedClaim& result) {
  Conditions used = conditions;
  Expr correct = it.entry.solved() ? Expr() : direct_value(it), claimed = filled.value;
  if (it.entry.solved() || it.large) {
    const ClosedForm* solved = it.large ? nullptr : solutions_.closed_form();
    if (!solved)
      return {.why = "constants of a claim about the motion are found by its closed form, which is not available"};
    used = Conditions(canonicalizer_, signs_);
    if (std::string problem = on_states(it, used); !problem.empty()) return {.why = std::move(problem)};
    const auto values = solutions_.values(*solved);
    correct = substitute(unknown_of(it.entry), values);
    claimed = substitute(claimed, values);
  }
  FreeConstants found =
      find_constants(canonicalizer_, signs_, filled.constants, it.entry, used.apply(correct), used.apply(claimed));
  if (found.values.empty()) return found;
  Replacements values;
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    values.emplace(filled.constants[k].symbol(), found.values[k]);
    result.constants.emplace_back(print(filled.constants[k], notation_),
                                  print_shortest(canonicalizer_, found.values[k], notation_));
  }
  for (Expr* e : {&filled.value, &filled.parts})
    if (*e) *e = substitute(*e, values);
  for (const Expr& divisor : found.divisors) assume(result, divisor, conditions);
  return found;
}

void Auditor::say_of_constants(const FreeConstants& constants, AuditedClaim& result) {
  if (result.verdict == ClaimVerdict::kProved)
    for (const std::size_t k : constants.positive)
      result.note = joined({result.note, fmt::format("only a power of {} is determined: the positive root is shown",
                                                     result.constants[k].first)});
  if (result.verdict != ClaimVerdict::kDisproved) return;
  const bool one = constants.values.size() == 1;
  if (!constants.only)
    return undecided(result, one ? "it is wrong with this value, and another may make it a multiple of the equation"
                                 : "it is wrong with these values, and others may make it a multiple of the equation");
  result.note = joined({one ? "no value of its constant makes it right: this was the only one possible"
                            : "no values of its constants make it right: these were the only ones possible",
                        result.note});
}

void Auditor::set_sides(ClaimCase& it, const Expr& correct, const Expr& claimed, const Conditions& conditions) {
  it.bare_correct = correct;
  it.bare_claimed = claimed;
  it.correct = conditions.apply(correct);
  it.claimed = conditions.apply(claimed);
}

void Auditor::judge_connection(ClaimCase& it, const Conditions& conditions, AuditedClaim& result) {
  const AuditedClaim blank = result;
  const Expr ground = entry_value(eq_, it.entry);
  set_sides(it, ground, it.claim->value, conditions);
  if (decide(it, result, conditions)) return;
  const LocalConnection* local = solutions_.local_connection();
  const Expr in_body = local ? body_axes_entry(eq_, *local, it.entry) : Expr();
  if (!in_body) return;
  const auto name = [&](int i) { return eq_.model->coordinates[static_cast<std::size_t>(i)].name; };
  const auto [x, y, theta] = local->placement;
  const std::string axes = fmt::format("in the axes of the body at {}, {}, {}", name(x), name(y), name(theta));
  if (proves_equal(canonicalizer_, conditions.apply(in_body), it.correct)) {
    // The formula is the same as in ground coordinates, or a mixed system has it in body axes only.
    if (local->mixed()) result.note = joined({axes, result.note});
    return;
  }
  ClaimCase turned = it;
  set_sides(turned, in_body, it.claim->value, conditions);
  AuditedClaim there = blank;
  const bool proved = decide(turned, there, conditions);
  if (proved || (there.verdict == ClaimVerdict::kUndecided && result.verdict == ClaimVerdict::kDisproved)) {
    result = std::move(there);
    result.note = joined({axes, result.note});
  } else if (result.verdict == ClaimVerdict::kDisproved) {
    const bool said = there.note.empty() || result.note.find(there.note) != std::string::npos;
    result.note = joined({fmt::format("this is in ground coordinates; {} it is {}{}", axes, there.correct,
                                      said ? "" : ", and " + there.note),
                          result.note});
  }
}

std::string to_text(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kProved:
      return "proved";
    case ClaimVerdict::kDisproved:
      return "disproved";
    case ClaimVerdict::kUndecided:
      return "undecided";
  }
  return {};
}

int AuditReport::count(ClaimVerdict verdict) const {
  return static_cast<int>(std::ranges::count(claims, verdict, &AuditedClaim::verdict));
}

Result<AuditReport> audit(const Equations& equations, Notation notation) { return Auditor(equations, notation).run(); }

}  // namespace dalembert

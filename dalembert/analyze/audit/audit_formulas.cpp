// SPDX-License-Identifier: Apache-2.0
// Two formulas compared by canonical forms and at points, and what is said of the verdict.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/analyze/audit/auditor.h"
#include "dalembert/analyze/audit/causes.h"
#include "dalembert/analyze/audit/counter_example.h"
#include "dalembert/analyze/audit/identities.h"
#include "dalembert/analyze/audit/limit.h"
#include "dalembert/analyze/audit/missing_conditions.h"
#include "dalembert/analyze/audit/motion_at.h"
#include "dalembert/analyze/audit/same_equation.h"
#include "dalembert/analyze/audit/slips.h"
#include "dalembert/base/text.h"
#include "dalembert/expr/differentiate.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxHintTerms = 400;
constexpr std::string_view kEnergies[] = {"T", "V", "L", "E"};

}  // namespace

bool Auditor::decide(const ClaimCase& it, AuditedClaim& result, const Conditions& conditions) {
  const bool equation = it.entry.equation();
  result.correct = equation ? print_equation(canonicalizer_, it.correct, notation_) + " = 0"
                            : print_shortest(canonicalizer_, it.correct, notation_);
  const std::string assumed = result.note;
  bool equal = proves_equal(canonicalizer_, it.correct, it.claimed);
  // Without any point at which both sides have a value, the claim stays undecided.
  const Evidence values =
      evidence(it, conditions, it.bare_correct, it.bare_claimed, equal ? Search::kAnyValue : Search::kDifference);
  if (values.points == 0) {
    result.correct.clear();
    const ComparedSides sides{it.bare_correct, it.bare_claimed, it.claim->value};
    undecided(result, explain_no_value(canonicalizer_, conditions, sides, notation_)
                          .value_or(it.motion ? "no state was found where the conditions hold and the equations "
                                                "determine the motion"
                                              : "no point was found at which both sides have a value"));
    return false;
  }
  std::string note;
  // Where no point shows a difference, identities between functions may prove equality.
  const bool by_identities = !equal && !values.difference && same_by_identities(it, conditions, result, note);
  equal = equal || by_identities;
  bool proved = equal;
  std::optional<EquationVerdict> same;
  if (!equal && equation) {
    const std::array original{it.bare_correct, it.bare_claimed};
    same = same_equation(canonicalizer_, conditions, it.correct, it.claimed, original);
    proved = same->kind == EquationVerdict::Kind::kSame;
    if (proved) note = same_up_to_a_factor(*same, conditions, result);
  } else if (!equal) {
    note = equivalence(it);
    proved = !note.empty();
  }
  if (proved) {
    result.verdict = ClaimVerdict::kProved;
    result.exact = true;
    result.note = joined({note, assumed});
    if (equal && !by_identities && proves_equal(canonicalizer_, it.bare_correct, it.bare_claimed))
      without_assumptions(result);
    return true;
  }
  if (values.difference && may_be_an_offset(it.entry.part, conditions, cleaned(it.correct), it.claimed)) {
    undecided(result, "it may be right up to a constant: no state was found at which the difference varies");
    return false;
  }
  const bool certain = same ? same->kind == EquationVerdict::Kind::kDifferent : values.difference.has_value();
  if (!certain) {
    undecided(result, same && values.difference ? same->reason : why_undecided(it, values.points));
    return false;
  }
  const bool multiple = same && same->factor;
  disprove(it, result, conditions, same ? same->where : values.difference, multiple, assumed);
  if (multiple && !same->factor.is_zero())
    result.note = joined({fmt::format("it is the equation times {}, which may be 0",
                                      print_shortest(canonicalizer_, same->factor, notation_)),
                          assumed});
  return false;
}

std::string Auditor::same_up_to_a_factor(const EquationVerdict& same, const Conditions& conditions,
                                         AuditedClaim& result) {
  const std::string factor = print_shortest(canonicalizer_, same.factor, notation_);
  const std::string note =
      factor == "-1" ? "the same equation with the opposite sign" : fmt::format("the same equation times {}", factor);
  assume(result, same.factor, conditions);
  assume(result, graph_.power(same.factor, Rational(-1)), conditions);
  for (const Expr& divisor : same.nonzero) assume(result, divisor, conditions);
  return joined({note, with_signs(same.signs_used, result)});
}

bool Auditor::same_by_identities(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result,
                                 std::string& note) {
  Identities identities(canonicalizer_, signs_);
  if (!proves_equal(canonicalizer_, identities.normalized(it.correct), identities.normalized(it.claimed))) return false;
  for (const Expr& divisor : identities.nonzero()) assume(result, divisor, conditions);
  note = with_signs(identities.signs_used(), result);
  return true;
}

Evidence Auditor::evidence(const ClaimCase& it, const Conditions& conditions, const Expr& a, const Expr& b,
                           Search search) {
  std::vector<Expr> formulas{a, b};
  if (!it.motion) {
    GivenPoints points(graph_, conditions, formulas);
    points.tell_symbols_of(it.claim->value);
    return look_at_points(points, a, b, search);
  }
  for (const auto* terms : {&it.motion->M.value, &it.motion->B, &it.motion->G, &it.motion->F, &it.motion->W.value,
                            &it.motion->gamma, &it.motion->accelerations()})
    formulas.insert(formulas.end(), terms->begin(), terms->end());
  formulas.push_back(it.claim->value);
  const std::vector<SymbolId> unknowns = unknowns_of_motion(*it.motion);
  GivenPoints points(graph_, conditions, formulas, unknowns);
  points.tell_symbols_of(it.claim->value);
  // The claim as it was written must have a value there too: the formulas put in for q̈ and λ may cancel a singular term.
  return look_at_points(points, a, b, search, [&](const EnclosedPoint& at) {
    std::optional<EnclosedPoint> moving = with_motion(*it.motion, at);
    return moving && enclose(it.claim->value, *moving) ? moving : std::nullopt;
  });
}

void Auditor::disprove(const ClaimCase& it, AuditedClaim& result, const Conditions& conditions,
                       const std::optional<Difference>& certain, bool at_that_point, const std::string& assumed) {
  result.verdict = ClaimVerdict::kDisproved;
  result.exact = true;
  // If a claimed equation is meant as the derived one times a factor, it is compared with that product.
  const auto scale = it.entry.equation() ? leading_factor(it) : std::nullopt;
  const Expr correct = scale ? *scale * it.correct : it.correct;
  result.difference = print_shortest(canonicalizer_, correct - it.claimed, notation_);
  // Symbols that cancel are left out of the counterexample, if the cleaned formulas still show a difference.
  const Expr a = cleaned(correct), b = cleaned(it.claimed);
  const Evidence shown =
      at_that_point ? Evidence{} : evidence(it, conditions.without_requirements(), a, b, Search::kDifference);
  result.point = counter_example(graph_, shown.difference ? *shown.difference : *certain, notation_);
  std::vector<std::string> notes;
  if (scale) {
    const std::string factor = print_shortest(canonicalizer_, *scale, notation_);
    if (factor != "1") notes.push_back(fmt::format("compared with the equation times {}", factor));
  }
  const std::string slip = slip_of(it, correct, conditions);
  if (!slip.empty()) notes.push_back(slip);
  notes.push_back(values_missing(it, conditions));
  if (!it.entry.equation()) {
    const bool energy = std::ranges::find(kEnergies, it.entry.part) != std::end(kEnergies);
    notes.push_back(name_unit_slip(*eq_.model, it.correct, it.claim->value, energy));
  }
  notes.push_back(assumed);
  result.note = joined(notes);
}

std::string Auditor::equivalence(const ClaimCase& it) {
  if (!may_have_offset(it.entry.part, cleaned(it.correct))) return {};
  if (const auto offset = constant_offset(canonicalizer_, it.correct, it.claimed))
    return fmt::format("up to the constant {}, which no equation of motion contains",
                       print_shortest(canonicalizer_, *offset, notation_));
  if (it.entry.part == "L" && it.claim->given.empty() && is_total_rate(it.claimed - it.correct))
    return "up to the rate of a function of positions and time, which no equation of motion contains; momenta and E "
           "differ";
  return {};
}

// d/dt(∂D/∂q̇) − ∂D/∂q = 0 for all q, q̇ and q̈ exactly if D is the rate of a function of q and t (Landau and Lifshitz, Mechanics, §2).
bool Auditor::is_total_rate(const Expr& difference) {
  if (!eq_.v_is_qdot() || contains(difference, SymbolKind::kInput)) return false;
  Replacements along = rates_of_state(eq_);
  for (const auto& [symbol, rate] : eq_.model->time_rates()) along.emplace(symbol, graph_.adopt(rate));
  const std::vector<Expr> momenta = gradient(difference, eq_.qd), forces = gradient(difference, eq_.q);
  const std::vector<Expr> rates = directional_derivative(momenta, along);
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (!proves_equal(canonicalizer_, rates[i], forces[i])) return false;
  return true;
}

std::optional<Expr> Auditor::leading_factor(const ClaimCase& it) {
  Replacements at_rest;
  for (const Expr& a : eq_.accelerations()) at_rest.emplace(a.symbol(), graph_.constant(0));
  reduced_.add_rest(at_rest);
  if (it.entry.part == "kinematic") at_rest.emplace(passive_rate(it).symbol(), graph_.constant(0));
  return constant_factor(canonicalizer_, it.correct - substitute(it.correct, at_rest),
                         it.claimed - substitute(it.claimed, at_rest));
}

std::string Auditor::slip_of(const ClaimCase& it, const Expr& correct, const Conditions& conditions) {
  if (it.entry.part == "kinematic" &&
      !std::ranges::binary_search(symbols_in(std::array{it.claimed}), passive_rate(it).symbol()))
    return fmt::format(
        "{} is not in it: velocities of passive coordinates belong on the left side, q_p' = -A q_a' - ...",
        print(passive_rate(it), notation_));
  if (contains(it.claimed, SymbolKind::kMultiplier)) {
    Replacements turned;
    for (const Expr& l : eq_.lambda) turned.emplace(l.symbol(), -l);
    if (proves_equal(canonicalizer_, correct, substitute(it.claimed, turned)))
      return "the sign of lambda is wrong: the constraint's force is +W^T lambda";
  }
  if (std::string cause = name_cause(eq_, reduced_, canonicalizer_, it.entry, it.claimed, notation_); !cause.empty())
    return cause;
  std::string slip = name_slip(canonicalizer_, correct, it.claimed, notation_);
  if (it.entry.part == "lambda" && slip.starts_with("the sign is wrong"))
    slip += " (lambda acts as +W^T lambda, pushing towards larger h)";
  // A wrong sign or factor explains the difference. Missing or extra terms may have another reason: a constraint that the claim takes for granted.
  if (slip.empty() || slip.starts_with("a part is")) return joined({slip, conditions_missing(it, conditions)});
  // A claim that is right on every motion that satisfies the constraints has no slip, even if its sign is wrong: both sides may be 0 there.
  if (it.entry.solved())
    if (std::string missing = conditions_missing(it, conditions); !missing.empty()) return missing;
  return slip;
}

std::string Auditor::conditions_missing(const ClaimCase& it, const Conditions& conditions) {
  // Intermediate forms may be far larger than both sides, so the limit of terms for this hint is low.
  Canonicalizer brief(graph_, kMaxHintTerms, canonicalizer_.relations());
  return missing_conditions(eq_, conditions.with(brief), symbols_in(std::array{it.correct, it.claimed}), canonicalizer_,
                            notation_, [&](const Conditions& with) { return same_with(it, with, brief); });
}

std::string Auditor::values_missing(const ClaimCase& it, const Conditions& conditions) {
  Canonicalizer brief(graph_, kMaxHintTerms, canonicalizer_.relations());
  return missing_values(*eq_.model, conditions.with(brief), cleaned(it.correct), it.claimed, notation_,
                        [&](const Conditions& with) { return same_with(it, with, brief); });
}

bool Auditor::same_with(const ClaimCase& it, const Conditions& with, Canonicalizer& canonicalizer) {
  const Expr left = with.apply(it.correct), right = with.apply(it.claimed);
  return proves_equal(canonicalizer, left, right) ||
         (it.entry.equation() && constant_factor(canonicalizer, left, right));
}

std::string Auditor::why_undecided(const ClaimCase& it, int points) {
  const Openness open = openness(canonicalizer_, it.correct, it.claimed);
  const std::string equal = fmt::format("equal at {} random points", points);
  if (open.too_large) return equal + ", but too large to decide exactly";
  if (open.opaque.empty()) return equal + ", but not decided exactly";
  return equal + fmt::format(", but identities of {} are not decided", join_words(open.opaque, ""));
}

void Auditor::without_assumptions(AuditedClaim& result) {
  result.assuming.clear();
  result.note.clear();
}

void Auditor::assume(AuditedClaim& result, const Conditions& conditions) {
  for (const Expr& divisor : conditions.divisors()) assume(result, divisor, conditions);
  result.note = joined({result.note, with_signs(conditions.positive(), result)});
}

std::string Auditor::with_signs(const std::vector<SymbolId>& symbols, AuditedClaim& result) const {
  std::vector<std::string> names;
  for (const SymbolId s : symbols) names.push_back(sign_text(graph_, s, signs_, notation_));
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(result.assuming, name) != result.assuming.end();
  });
  if (names.empty()) return {};
  result.assuming.insert(result.assuming.end(), names.begin(), names.end());
  return "with " + join_words(names, "");
}

void Auditor::assume(AuditedClaim& result, const Expr& nonzero, const Conditions& conditions) {
  for (std::string& text : must_not_vanish(canonicalizer_, nonzero, conditions.signs(), notation_))
    if (std::ranges::find(result.assuming, text) == result.assuming.end()) result.assuming.push_back(std::move(text));
}

std::string Auditor::joined(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes)
    if (!note.empty()) text += (text.empty() ? "" : "; ") + note;
  return text;
}

Expr Auditor::cleaned(const Expr& e) {
  const auto form = canonicalizer_.canonical(e);
  return form ? canonicalizer_.expression(*form) : e;
}

}  // namespace dalembert

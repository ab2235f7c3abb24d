// SPDX-License-Identifier: Apache-2.0
// Claims about q̈ and λ, and about entries whose formulas are too large to be written.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "dalembert/analyze/audit/auditor.h"
#include "dalembert/analyze/audit/counter_example.h"
#include "dalembert/analyze/audit/missing_conditions.h"
#include "dalembert/analyze/audit/motion_at.h"
#include "dalembert/base/text.h"

namespace dalembert {
namespace {

constexpr const char* kOfFriction =
    "it is not right for every friction force, and which of them acts depends on the state";

}  // namespace

void Auditor::judge_motion(ClaimCase& it, const Conditions& conditions, AuditedClaim& result) {
  it.claimed = conditions.apply(it.claim->value);
  if (said_by_an_equation(it, conditions, result)) return;
  // Conditions on q̈ and λ become conditions on the state.
  Conditions states(canonicalizer_, signs_);
  if (const std::string problem = on_states(it, states); !problem.empty()) return undecided(result, problem);
  assume(result, states);
  // Free multipliers are tried first, because a claim that gives q̈ in terms of λ usually leaves λ unknown.
  std::optional<AuditedClaim> with_multipliers;
  if (it.entry.part == "qdd" && contains(it.claim->value, SymbolKind::kMultiplier))
    if (const ClosedForm* free = solutions_.free_motion()) {
      ClaimCase open = it;
      set_sides(open, free->qdd[static_cast<std::size_t>(it.entry.row)],
                substitute(it.claim->value, solutions_.values(*free)), states);
      open.motion = solutions_.free_equations();
      AuditedClaim found = result;
      if (decide(open, found, states)) {
        result = std::move(found);
        return;
      }
      with_multipliers = std::move(found);
    }
  if (depends_on_open_multipliers(it, states, result)) return;
  AuditedClaim closed = result;
  if (const ClosedForm* solved = solutions_.closed_form()) {
    ClaimCase put_in = it;
    const auto values = solutions_.values(*solved);
    set_sides(put_in, substitute(unknown_of(it.entry), values), substitute(it.claim->value, values), states);
    put_in.motion = &solutions_.motion();
    if (solutions_.contains_given_forces(cleaned(put_in.correct - put_in.claimed)))
      return undecided(result, kOfFriction);
    if (decide(put_in, closed, states) && with_multipliers)
      closed.note = joined({"once lambda is put in", closed.note});
  } else {
    judge_in_numbers(it, states, closed);
  }
  if (const WithoutDependentRows* dependent = solutions_.dependent(); dependent != nullptr) {
    closed.note = joined({closed.note, dependent->says});
    for (const Expr& divisor : dependent->divisors) assume(closed, divisor, states);
  }
  // A claim that fails only with free multipliers is not disproved, because the true multipliers may satisfy it.
  const bool both = with_multipliers && with_multipliers->verdict == ClaimVerdict::kDisproved &&
                    closed.verdict == ClaimVerdict::kDisproved;
  result = both ? *std::move(with_multipliers) : std::move(closed);
}

std::string Auditor::on_states(const ClaimCase& it, Conditions& states) {
  require_values(states, *it.claim);
  const std::vector<SymbolId> unknowns = unknowns_of_motion(eq_);
  const auto moves = [&](const ClaimCondition& condition) {
    const std::array sides{condition.left, condition.right};
    return std::ranges::any_of(symbols_in(sides),
                               [&](SymbolId s) { return std::ranges::find(unknowns, s) != unknowns.end(); });
  };
  for (const bool motion : {false, true})
    for (const bool alone : {true, false})
      for (const ClaimCondition& condition : it.claim->given) {
        if ((is_symbol(condition.left) || is_symbol(condition.right)) != alone || moves(condition) != motion) continue;
        Expr left = condition.left, right = condition.right;
        if (motion) {
          const ClosedForm* solved = solutions_.closed_form();
          if (!solved)
            return "conditions on accelerations and multipliers need their closed form, which is not available";
          const auto values = solutions_.values(*solved);
          left = substitute(left, values);
          right = substitute(right, values);
        }
        const auto outcome = states.add(left, right);
        if (outcome != Conditions::Outcome::kAdded && outcome != Conditions::Outcome::kRedundant)
          return fmt::format("the condition `{}` on the state cannot be substituted", condition.text);
      }
  return {};
}

void Auditor::undecided(AuditedClaim& result, const std::string& reason) {
  result.verdict = ClaimVerdict::kUndecided;
  result.exact = false;
  result.note = joined({reason, result.note});
}

Expr Auditor::unknown_of(const EntryName& entry) const {
  return (entry.part == "qdd" ? eq_.accelerations() : eq_.lambda)[static_cast<std::size_t>(entry.row)];
}

bool Auditor::said_by_an_equation(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result) {
  const Expr unknown = conditions.apply(unknown_of(it.entry));
  const auto proved = [&](const std::string& note) {
    result.verdict = ClaimVerdict::kProved;
    result.exact = true;
    result.correct = print_shortest(canonicalizer_, it.claimed, notation_);
    result.note = joined({note, result.note});
  };
  const std::array formulas{unknown_of(it.entry), it.claim->value};
  if (!unknown.same(unknown_of(it.entry)) && proves_equal(canonicalizer_, unknown, it.claimed)) {
    GivenPoints points(graph_, conditions, formulas);
    if (look_at_points(points, formulas[0], formulas[1], Search::kAnyValue).points == 0) return false;
    proved("it follows from the conditions alone");
    return true;
  }
  const auto row = equation_that_says_it(it, it.claimed, conditions);
  if (!row) return false;
  // If the same row proves the claim without the conditions, the verdict makes no assumption about their divisors.
  const auto anyway = result.assuming.empty()
                          ? std::nullopt
                          : equation_that_says_it(it, it.claim->value, Conditions(canonicalizer_, signs_));
  const bool rests = !anyway || anyway->says != row->says;
  if (!rests) without_assumptions(result);
  assume(result, rests ? conditions.apply(row->coefficient) : row->coefficient, conditions);
  proved(row->says);
  return true;
}

std::optional<SayingRow> Auditor::equation_that_says_it(const ClaimCase& it, const Expr& claimed,
                                                        const Conditions& conditions) {
  return row_that_says_it(eq_, canonicalizer_, conditions, it.entry, {unknown_of(it.entry), claimed, it.claim->value});
}

bool Auditor::follows_from_rows(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result) {
  const auto sum = combine_rows(solutions_.motion(), canonicalizer_, conditions,
                                by_independent_rows(unknown_of(it.entry)), by_independent_rows(it.claim->value));
  if (!sum) return false;
  for (const Expr& divisor : sum->divisors) assume(result, divisor, conditions);
  result.verdict = ClaimVerdict::kProved;
  result.exact = true;
  result.correct = print_shortest(canonicalizer_, it.claimed, notation_);
  result.note = joined({"it follows from " + join_words(sum->rows, ""), result.note});
  return true;
}

Expr Auditor::by_independent_rows(const Expr& e) {
  const WithoutDependentRows* dependent = solutions_.dependent();
  return dependent == nullptr ? e : substitute(e, dependent->multipliers);
}

bool Auditor::depends_on_open_multipliers(const ClaimCase& it, const Conditions& states, AuditedClaim& result) {
  const WithoutDependentRows* dependent = solutions_.dependent();
  if (dependent == nullptr) return false;
  const Expr difference = cleaned(states.apply(by_independent_rows(unknown_of(it.entry) - it.claim->value)));
  const std::vector<SymbolId> symbols = symbols_in(std::array{difference});
  if (std::ranges::none_of(dependent->open, [&](SymbolId s) { return std::ranges::binary_search(symbols, s); }))
    return false;
  undecided(result, (it.entry.part == "lambda" ? "the equations do not determine it: "
                                               : "it depends on multipliers that the equations do not determine: ") +
                        dependent->says);
  return true;
}

void Auditor::judge_in_numbers(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result) {
  const Expr unknown = by_independent_rows(unknown_of(it.entry)), claimed = by_independent_rows(it.claim->value);
  const MotionComparison motion = compare_motion(solutions_.motion(), conditions, unknown, claimed);
  if (!motion.difference && motion.points > 0 && follows_from_rows(it, conditions, result)) return;
  if (!motion.difference)
    return undecided(
        result,
        motion.points == 0
            ? "no closed form is at hand, and no state determines all multipliers: rows may follow from others"
            : fmt::format("equal at {} random points, but no closed form is at hand to decide it", motion.points));
  if (solutions_.given_forces() != nullptr) return undecided(result, kOfFriction);
  result.verdict = ClaimVerdict::kDisproved;
  result.exact = true;
  result.point = counter_example(graph_, *motion.difference, notation_);
  result.note = joined({"the closed form is too long to write: compared in numbers", result.note});
  std::vector<SymbolId> moving = symbols_in(std::array{it.claim->value});
  for (const auto* list : {&eq_.q, &eq_.qd, &eq_.v})
    for (const Expr& e : *list) moving.push_back(e.symbol());
  std::ranges::sort(moving);
  result.note = joined(
      {result.note, missing_conditions(eq_, conditions, moving, canonicalizer_, notation_, [&](const Conditions& with) {
         return combine_rows(eq_, canonicalizer_, with, unknown_of(it.entry), it.claim->value).has_value();
       })});
  ClaimCase turned = it;
  turned.claimed = -it.claimed;
  if (equation_that_says_it(turned, turned.claimed, conditions))
    result.note = joined({"the sign is wrong", result.note});
}

void Auditor::judge_large(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result) {
  const LargeEntry& large = *it.large;
  Conditions states = conditions;
  if (const std::string problem = add_states(large, states); !problem.empty()) return undecided(result, problem);
  assume(result, states);
  const Expr& claimed = it.claim->value;
  const MotionComparison found = compare_motion(large.system, states, large.value, claimed);
  if (!found.difference)
    return undecided(
        result, found.points == 0
                    ? "its formula is too large to write, and no state was found that determines it"
                    : fmt::format("equal at {} random points, but its formula is too large to write", found.points));
  result.verdict = ClaimVerdict::kDisproved;
  result.exact = true;
  result.point = counter_example(graph_, *found.difference, notation_);
  const MotionComparison turned = compare_motion(large.system, states, large.value, -claimed);
  const bool agrees = !it.entry.equation() && !turned.difference && turned.points > 0;
  result.note = joined(
      {"its formula is too large to write: compared in numbers",
       agrees ? fmt::format("with the opposite sign it is equal at {} random points", turned.points) : std::string(),
       result.note});
}

}  // namespace dalembert

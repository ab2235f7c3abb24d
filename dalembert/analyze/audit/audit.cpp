// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/analyze/audit/audit_solutions.h"
#include "dalembert/analyze/audit/causes.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/analyze/audit/counter_example.h"
#include "dalembert/analyze/audit/free_constants.h"
#include "dalembert/analyze/audit/identities.h"
#include "dalembert/analyze/audit/large_entry.h"
#include "dalembert/analyze/audit/limit.h"
#include "dalembert/analyze/audit/missing_conditions.h"
#include "dalembert/analyze/audit/motion_at.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/analyze/audit/reduced_claims.h"
#include "dalembert/analyze/audit/row_combination.h"
#include "dalembert/analyze/audit/same_equation.h"
#include "dalembert/analyze/audit/slips.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxHintTerms = 400;
constexpr std::string_view kEnergies[] = {"T", "V", "L", "E"};

using Replacements = std::unordered_map<SymbolId, Expr>;

// A claim while it is judged: both sides with the conditions put in, and without them (bare_…).
struct Case {
  const Claim* claim = nullptr;
  EntryName entry;
  Expr correct, claimed;
  Expr bare_correct, bare_claimed;
  // The equations that were solved for q̈ and λ: only points at which the solution is unique count. Null for entries of the equations themselves.
  const Equations* motion = nullptr;
  std::shared_ptr<const LargeEntry> large;  // what determines the entry, where its formula is too large to be written
  std::optional<Diagnostic> refusal;        // a condition cannot be used, so the claim is not judged
};

class Auditor {
 public:
  Auditor(const Equations& equations, Notation notation)
      : eq_(on_overlay(equations)),
        claims_(eq_.model->claims),
        notation_(notation),
        graph_(*eq_.graph),
        canonicalizer_(graph_, Canonicalizer::kMaxTerms, state_relations(eq_)) {
    for (Claim& claim : claims_) {
      for (Expr* e : {&claim.value, &claim.parts}) *e = graph_.adopt(*e);
      for (Expr& constant : claim.constants) constant = graph_.adopt(constant);
      for (ClaimCondition& condition : claim.given)
        for (Expr* e : {&condition.left, &condition.right, &condition.parts}) *e = graph_.adopt(*e);
    }
    signs_ = known_signs(*eq_.model);
  }

  Result<AuditReport> run() {
    for (Claim& claim : claims_) read(claim);
    if (!problems_.empty()) return problems_;
    AuditReport report;
    for (auto& [it, conditions] : cases_) report.claims.push_back(judge(std::move(it), conditions));
    return report;
  }

 private:
  void read(Claim& claim) {
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
    Case it{&claim, *entry, reduced, {}, {}, {}, nullptr, large, {}};
    // Conditions with a symbol alone on one side come first: they leave fewer choices of what to solve the others for.
    for (const bool alone : {true, false})
      for (const ClaimCondition& condition : claim.given)
        if (!it.refusal && (is_symbol(condition.left) || is_symbol(condition.right)) == alone)
          it.refusal = conditions.add(condition);
    cases_.emplace_back(std::move(it), std::move(conditions));
  }

  static void require_values(Conditions& conditions, const Claim& claim) {
    conditions.require_value(claim.parts);
    for (const ClaimCondition& condition : claim.given) conditions.require_value(condition.parts);
  }

  static bool is_symbol(const Expr& e) { return e.op() == Op::kSymbol; }

  void report(const Diagnostics& problems) { problems_.insert(problems_.end(), problems.begin(), problems.end()); }

  Diagnostics equation_for_value(const Claim& claim, const EntryName& entry) const {
    Diagnostic d =
        error("E0240", fmt::format("an equation where the value of `{}` is expected", entry.text), claim.span);
    d.help.push_back("write what the entry equals, without `=`; `eom[…]` takes a whole equation");
    return {std::move(d)};
  }

  // --- the verdict

  AuditedClaim judge(Case it, Conditions& conditions) {
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

  Expr direct_value(const Case& it) const { return it.entry.reduced() ? it.correct : entry_value(eq_, it.entry); }

  // --- constants whose values are to be found

  // Puts the values of the claim's constants into `filled`; empty, with the reason, where they are not found.
  FreeConstants put_in_constants(const Case& it, Claim& filled, const Conditions& conditions, AuditedClaim& result) {
    Conditions used = conditions;
    Expr correct = it.entry.solved() ? Expr() : direct_value(it), claimed = filled.value;
    if (it.entry.solved() || it.large) {
      const ClosedForm* solved = it.large ? nullptr : solutions_.closed_form();
      if (!solved)
        return {.why = "constants of a claim about the motion are found by its closed form, which is not available"};
      used = Conditions(canonicalizer_, signs_);
      if (std::string problem = on_states(it, used); !problem.empty()) return {.why = std::move(problem)};
      correct = (it.entry.part == "qdd" ? solved->qdd : solved->lambda)[static_cast<std::size_t>(it.entry.row)];
      claimed = substitute(claimed, solutions_.values(*solved));
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

  static void say_of_constants(const FreeConstants& constants, AuditedClaim& result) {
    if (result.verdict != ClaimVerdict::kDisproved) return;
    const bool one = constants.values.size() == 1;
    if (!constants.only)
      return undecided(result,
                       one ? "it is wrong with this value, and another may make it a multiple of the equation"
                           : "it is wrong with these values, and others may make it a multiple of the equation");
    result.note = joined({one ? "no value of its constant makes it right: this was the only one possible"
                              : "no values of its constants make it right: these were the only ones possible",
                          result.note});
  }

  static void set_sides(Case& it, const Expr& correct, const Expr& claimed, const Conditions& conditions) {
    it.bare_correct = correct;
    it.bare_claimed = claimed;
    it.correct = conditions.apply(correct);
    it.claimed = conditions.apply(claimed);
  }

  // Judges a claim about the connection: in ground coordinates and, where that gives no proof, in body axes (if the model has a local connection).
  void judge_connection(Case& it, const Conditions& conditions, AuditedClaim& result) {
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
    Case turned = it;
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

  // Judges a claim about λ or q̈. Each may be claimed in terms of the other.
  void judge_motion(Case& it, const Conditions& conditions, AuditedClaim& result) {
    it.claimed = conditions.apply(it.claim->value);
    if (said_by_an_equation(it, conditions, result)) return;
    const auto at = static_cast<std::size_t>(it.entry.row);
    // Conditions on q̈ and λ become conditions on the state.
    Conditions states(canonicalizer_, signs_);
    if (const std::string problem = on_states(it, states); !problem.empty()) return undecided(result, problem);
    assume(result, states);
    // Free multipliers are tried first, because a claim that gives q̈ in terms of λ usually leaves λ unknown.
    std::optional<AuditedClaim> with_multipliers;
    if (it.entry.part == "qdd" && contains(it.claim->value, SymbolKind::kMultiplier))
      if (const ClosedForm* free = solutions_.free_motion()) {
        Case open = it;
        set_sides(open, free->qdd[at], substitute(it.claim->value, solutions_.values(*free)), states);
        open.motion = solutions_.free_equations();
        AuditedClaim found = result;
        if (decide(open, found, states)) {
          result = std::move(found);
          return;
        }
        with_multipliers = std::move(found);
      }
    AuditedClaim closed = result;
    if (const ClosedForm* solved = solutions_.closed_form()) {
      Case put_in = it;
      const auto values = solutions_.values(*solved);
      set_sides(put_in, (it.entry.part == "qdd" ? solved->qdd : solved->lambda)[at],
                substitute(it.claim->value, values), states);
      put_in.motion = &eq_;
      if (decide(put_in, closed, states) && with_multipliers)
        closed.note = joined({"once lambda is put in", closed.note});
    } else {
      judge_in_numbers(it, states, closed);
    }
    // A claim that fails only with free multipliers is not disproved, because the true multipliers may satisfy it.
    const bool both = with_multipliers && with_multipliers->verdict == ClaimVerdict::kDisproved &&
                      closed.verdict == ClaimVerdict::kDisproved;
    result = both ? *std::move(with_multipliers) : std::move(closed);
  }

  // Collects the conditions of a claim about the motion in `states`, with closed forms put in for q̈ and λ. Returns why that cannot be done, else "".
  std::string on_states(const Case& it, Conditions& states) {
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
          if ((is_symbol(condition.left) || is_symbol(condition.right)) != alone || moves(condition) != motion)
            continue;
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

  static void undecided(AuditedClaim& result, const std::string& reason) {
    result.verdict = ClaimVerdict::kUndecided;
    result.exact = false;
    result.note = joined({reason, result.note});
  }

  Expr unknown_of(const EntryName& entry) const {
    return (entry.part == "qdd" ? eq_.accelerations() : eq_.lambda)[static_cast<std::size_t>(entry.row)];
  }

  // --- proofs by a row of the KKT system

  bool said_by_an_equation(const Case& it, const Conditions& conditions, AuditedClaim& result) {
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

  std::optional<SayingRow> equation_that_says_it(const Case& it, const Expr& claimed, const Conditions& conditions) {
    return row_that_says_it(eq_, canonicalizer_, conditions, it.entry,
                            {unknown_of(it.entry), claimed, it.claim->value});
  }

  // Proves the claim as a linear combination of a few equations, if there is one.
  bool follows_from_rows(const Case& it, const Conditions& conditions, AuditedClaim& result) {
    const auto sum = combine_rows(eq_, canonicalizer_, conditions, unknown_of(it.entry), it.claim->value);
    if (!sum) return false;
    for (const Expr& divisor : sum->divisors) assume(result, divisor, conditions);
    result.verdict = ClaimVerdict::kProved;
    result.exact = true;
    result.correct = print_shortest(canonicalizer_, it.claimed, notation_);
    result.note = joined({"it follows from " + join_words(sum->rows, ""), result.note});
    return true;
  }

  // Judges a claim about which no closed form is at hand: numbers can still disprove it.
  void judge_in_numbers(const Case& it, const Conditions& conditions, AuditedClaim& result) {
    const MotionComparison motion = compare_motion(eq_, conditions, unknown_of(it.entry), it.claim->value);
    if (!motion.difference && motion.points > 0 && follows_from_rows(it, conditions, result)) return;
    if (!motion.difference)
      return undecided(
          result,
          motion.points == 0
              ? "no closed form is at hand, and no state determines all multipliers: rows may follow from others"
              : fmt::format("equal at {} random points, but no closed form is at hand to decide it", motion.points));
    result.verdict = ClaimVerdict::kDisproved;
    result.exact = true;
    result.point = counter_example(graph_, *motion.difference, notation_);
    result.note = joined({"the closed form is too long to write: compared in numbers", result.note});
    std::vector<SymbolId> moving = symbols_in(std::array{it.claim->value});
    for (const auto* list : {&eq_.q, &eq_.qd, &eq_.v})
      for (const Expr& e : *list) moving.push_back(e.symbol());
    std::ranges::sort(moving);
    result.note =
        joined({result.note,
                missing_conditions(eq_, conditions, moving, canonicalizer_, notation_, [&](const Conditions& with) {
                  return combine_rows(eq_, canonicalizer_, with, unknown_of(it.entry), it.claim->value).has_value();
                })});
    Case turned = it;
    turned.claimed = -it.claimed;
    if (equation_that_says_it(turned, turned.claimed, conditions))
      result.note = joined({"the sign is wrong", result.note});
  }

  // Judges a claim about an entry whose formula is too large to be written, by enclosures at random states.
  void judge_large(const Case& it, const Conditions& conditions, AuditedClaim& result) {
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

  // --- proofs by formulas

  // Decides the claim by formulas and fills `result`; true when it is proved.
  bool decide(const Case& it, AuditedClaim& result, const Conditions& conditions) {
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
      if (proved) {
        const std::string factor = print_shortest(canonicalizer_, same->factor, notation_);
        note = factor == "-1" ? "the same equation with the opposite sign"
                              : fmt::format("the same equation times {}", factor);
        assume(result, same->factor, conditions);
        assume(result, graph_.power(same->factor, Rational(-1)), conditions);
      }
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

  // Whether identities between functions prove both sides equal. Their assumptions are added to `result` and `note`.
  bool same_by_identities(const Case& it, const Conditions& conditions, AuditedClaim& result, std::string& note) {
    Identities identities(canonicalizer_, signs_);
    if (!proves_equal(canonicalizer_, identities.normalized(it.correct), identities.normalized(it.claimed)))
      return false;
    for (const Expr& divisor : identities.nonzero()) assume(result, divisor, conditions);
    note = with_signs(identities.signs_used(), result);
    return true;
  }

  // Compares both sides in numbers. Where the motion is solved for, only states with a unique motion count.
  Evidence evidence(const Case& it, const Conditions& conditions, const Expr& a, const Expr& b, Search search) {
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

  void disprove(const Case& it, AuditedClaim& result, const Conditions& conditions,
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
    if (!it.entry.equation()) {
      const bool energy = std::ranges::find(kEnergies, it.entry.part) != std::end(kEnergies);
      notes.push_back(name_unit_slip(*eq_.model, it.correct, it.claim->value, energy));
    }
    notes.push_back(assumed);
    result.note = joined(notes);
  }

  // The note for a claimed energy that is right up to a constant, which no equation of motion contains; empty for energies without variables.
  std::string equivalence(const Case& it) {
    if (!may_have_offset(it.entry.part, cleaned(it.correct))) return {};
    const auto offset = constant_offset(canonicalizer_, it.correct, it.claimed);
    if (!offset) return {};
    return fmt::format("up to the constant {}, which no equation of motion contains",
                       print_shortest(canonicalizer_, *offset, notation_));
  }

  // The factor k for which the claim's terms with accelerations (in a kinematic equation: with the passive velocity)
  // are k times those of the derived equation.
  std::optional<Expr> leading_factor(const Case& it) {
    Replacements at_rest;
    for (const Expr& a : eq_.accelerations()) at_rest.emplace(a.symbol(), graph_.constant(0));
    reduced_.add_rest(at_rest);
    if (it.entry.part == "kinematic") at_rest.emplace(passive_rate(it).symbol(), graph_.constant(0));
    return constant_factor(canonicalizer_, it.correct - substitute(it.correct, at_rest),
                           it.claimed - substitute(it.claimed, at_rest));
  }

  Expr passive_rate(const Case& it) const { return eq_.qd[static_cast<std::size_t>(it.entry.row)]; }

  // --- notes on a verdict

  std::string slip_of(const Case& it, const Expr& correct, const Conditions& conditions) {
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

  // Names constraints with which the claim would be right, because it may have been meant to hold on them only.
  std::string conditions_missing(const Case& it, const Conditions& conditions) {
    // Intermediate forms may be far larger than both sides, so the limit of terms for this hint is low.
    Canonicalizer brief(graph_, kMaxHintTerms, canonicalizer_.relations());
    return missing_conditions(eq_, conditions.with(brief), symbols_in(std::array{it.correct, it.claimed}),
                              canonicalizer_, notation_, [&](const Conditions& with) {
                                const Expr left = with.apply(it.correct), right = with.apply(it.claimed);
                                return proves_equal(brief, left, right) ||
                                       (it.entry.equation() && constant_factor(brief, left, right));
                              });
  }

  std::string why_undecided(const Case& it, int points) {
    const Openness open = openness(canonicalizer_, it.correct, it.claimed);
    const std::string equal = fmt::format("equal at {} random points", points);
    if (open.too_large) return equal + ", but too large to decide exactly";
    if (open.opaque.empty()) return equal + ", but not decided exactly";
    return equal + fmt::format(", but identities of {} are not decided", join_words(open.opaque, ""));
  }

  // --- assumptions of a verdict

  static void without_assumptions(AuditedClaim& result) {
    result.assuming.clear();
    result.note.clear();
  }

  void assume(AuditedClaim& result, const Conditions& conditions) {
    for (const Expr& divisor : conditions.divisors()) assume(result, divisor, conditions);
    result.note = joined({result.note, with_signs(conditions.positive(), result)});
  }

  // The text "with L > 0" for the parameters whose sign is no assumption yet. It is then added to the assumptions.
  std::string with_signs(const std::vector<SymbolId>& symbols, AuditedClaim& result) const {
    std::vector<std::string> names;
    for (const SymbolId s : symbols) names.push_back(sign_text(graph_, s, signs_, notation_));
    std::erase_if(names, [&](const std::string& name) {
      return std::ranges::find(result.assuming, name) != result.assuming.end();
    });
    if (names.empty()) return {};
    result.assuming.insert(result.assuming.end(), names.begin(), names.end());
    return "with " + join_words(names, "");
  }

  void assume(AuditedClaim& result, const Expr& nonzero, const Conditions& conditions) {
    for (std::string& text : must_not_vanish(canonicalizer_, nonzero, conditions.signs(), notation_))
      if (std::ranges::find(result.assuming, text) == result.assuming.end()) result.assuming.push_back(std::move(text));
  }

  static std::string joined(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes)
      if (!note.empty()) text += (text.empty() ? "" : "; ") + note;
    return text;
  }

  // `e` without symbols that cancel; `e` itself where its canonical form is too large.
  Expr cleaned(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    return form ? canonicalizer_.expression(*form) : e;
  }

  bool contains(const Expr& e, SymbolKind kind) const { return depends_on_kind(e, kind); }

  const Equations eq_;
  std::vector<Claim> claims_;  // claims of the model, in the overlay graph
  Notation notation_;
  Graph& graph_;
  Canonicalizer canonicalizer_;
  KnownSigns signs_;
  ReducedClaims reduced_{eq_};
  AuditSolutions solutions_{eq_};
  std::vector<std::pair<Case, Conditions>> cases_;
  Diagnostics problems_;
};

}  // namespace

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

// SPDX-License-Identifier: Apache-2.0
// Judges the claims of one model: audit() of analyze/audit.h. Inside analyze only.
//
//   audit.cpp           reads claims and their conditions, and chooses how each is judged
//   audit_motion.cpp    claims about q̈ and λ, and about entries that are too large to be written
//   audit_formulas.cpp  two formulas, by canonical forms and at points; what is said of the verdict
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/audit/audit_solutions.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/analyze/audit/free_constants.h"
#include "dalembert/analyze/audit/large_entry.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/analyze/audit/reduced_claims.h"
#include "dalembert/analyze/audit/row_combination.h"
#include "dalembert/analyze/audit/same_equation.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

// A claim while it is judged: both sides with the conditions put in, and without them (bare_…).
struct ClaimCase {
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
  Auditor(const Equations& equations, Notation notation);

  Result<AuditReport> run();

 private:
  using Replacements = std::unordered_map<SymbolId, Expr>;

  void read(Claim& claim);

  static void require_values(Conditions& conditions, const Claim& claim);

  static bool is_symbol(const Expr& e) { return e.op() == Op::kSymbol; }

  void report(const Diagnostics& problems) { problems_.insert(problems_.end(), problems.begin(), problems.end()); }

  Diagnostics equation_for_value(const Claim& claim, const EntryName& entry) const;

  // --- the verdict

  AuditedClaim judge(ClaimCase it, Conditions& conditions);

  Expr direct_value(const ClaimCase& it) const { return it.entry.reduced() ? it.correct : entry_value(eq_, it.entry); }

  // --- constants whose values are to be found

  // Puts the values of the claim's constants into `filled`; empty, with the reason, where they are not found.
  FreeConstants put_in_constants(const ClaimCase& it, Claim& filled, const Conditions& conditions,
                                 AuditedClaim& result);

  static void say_of_constants(const FreeConstants& constants, AuditedClaim& result);

  static void set_sides(ClaimCase& it, const Expr& correct, const Expr& claimed, const Conditions& conditions);

  // Judges a claim about the connection: in ground coordinates and, where that gives no proof, in body axes (if the model has a local connection).
  void judge_connection(ClaimCase& it, const Conditions& conditions, AuditedClaim& result);

  // Judges a claim about λ or q̈. Each may be claimed in terms of the other.
  void judge_motion(ClaimCase& it, const Conditions& conditions, AuditedClaim& result);

  // Collects the conditions of a claim about the motion in `states`, with closed forms put in for q̈ and λ. Returns why that cannot be done, else "".
  std::string on_states(const ClaimCase& it, Conditions& states);

  static void undecided(AuditedClaim& result, const std::string& reason);

  Expr unknown_of(const EntryName& entry) const;

  // --- proofs by a row of the KKT system

  bool said_by_an_equation(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result);

  std::optional<SayingRow> equation_that_says_it(const ClaimCase& it, const Expr& claimed,
                                                 const Conditions& conditions);

  // Proves the claim as a linear combination of a few equations, if there is one.
  bool follows_from_rows(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result);

  // The expression with multipliers that are not unique by those of the rows that are left (dependent_rows.h).
  Expr by_independent_rows(const Expr& e);
  // Whether what is claimed depends on multipliers that the equations do not determine; says so then.
  bool depends_on_open_multipliers(const ClaimCase& it, const Conditions& states, AuditedClaim& result);

  // Judges a claim about which no closed form is at hand: numbers can still disprove it.
  void judge_in_numbers(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result);

  // Judges a claim about an entry whose formula is too large to be written, by enclosures at random states.
  void judge_large(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result);

  // --- proofs by formulas

  // Decides the claim by formulas and fills `result`; true when it is proved.
  bool decide(const ClaimCase& it, AuditedClaim& result, const Conditions& conditions);

  // The note for an equation that was proved to be the same times a factor; what that takes for granted is added to `result`.
  std::string same_up_to_a_factor(const EquationVerdict& same, const Conditions& conditions, AuditedClaim& result);

  // Whether identities between functions prove both sides equal. Their assumptions are added to `result` and `note`.
  bool same_by_identities(const ClaimCase& it, const Conditions& conditions, AuditedClaim& result, std::string& note);

  // Compares both sides in numbers. Where the motion is solved for, only states with a unique motion count.
  Evidence evidence(const ClaimCase& it, const Conditions& conditions, const Expr& a, const Expr& b, Search search);

  void disprove(const ClaimCase& it, AuditedClaim& result, const Conditions& conditions,
                const std::optional<Difference>& certain, bool at_that_point, const std::string& assumed);

  // The note for a claimed energy that is right up to a constant, or a Lagrangian that is up to a rate; empty for energies without variables.
  std::string equivalence(const ClaimCase& it);

  // Whether it is proved to be the rate of a function of positions and time.
  bool is_total_rate(const Expr& difference);

  // The factor k for which the claim's terms with accelerations (in a kinematic equation: with the passive velocity)
  // are k times those of the derived equation.
  std::optional<Expr> leading_factor(const ClaimCase& it);

  Expr passive_rate(const ClaimCase& it) const { return eq_.qd[static_cast<std::size_t>(it.entry.row)]; }

  // --- notes on a verdict

  std::string slip_of(const ClaimCase& it, const Expr& correct, const Conditions& conditions);

  // Names constraints with which the claim would be right, because it may have been meant to hold on them only.
  std::string conditions_missing(const ClaimCase& it, const Conditions& conditions);

  // Names values of parameters of the model with which the claim would be right, because it may have been written with numbers.
  std::string values_missing(const ClaimCase& it, const Conditions& conditions);

  // Whether the claim is proved under these conditions.
  static bool same_with(const ClaimCase& it, const Conditions& with, Canonicalizer& canonicalizer);

  std::string why_undecided(const ClaimCase& it, int points);

  // --- assumptions of a verdict

  static void without_assumptions(AuditedClaim& result);

  void assume(AuditedClaim& result, const Conditions& conditions);

  // The text "with L > 0" for the parameters whose sign is no assumption yet. It is then added to the assumptions.
  std::string with_signs(const std::vector<SymbolId>& symbols, AuditedClaim& result) const;

  void assume(AuditedClaim& result, const Expr& nonzero, const Conditions& conditions);

  static std::string joined(const std::vector<std::string>& notes);

  // `e` without symbols that cancel; `e` itself where its canonical form is too large.
  Expr cleaned(const Expr& e);

  bool contains(const Expr& e, SymbolKind kind) const { return depends_on_kind(e, kind); }

  const Equations eq_;
  std::vector<Claim> claims_;  // claims of the model, in the overlay graph
  Notation notation_;
  Graph& graph_;
  Canonicalizer canonicalizer_;
  KnownSigns signs_;
  ReducedClaims reduced_{eq_};
  AuditSolutions solutions_{eq_, canonicalizer_, signs_};
  std::vector<std::pair<ClaimCase, Conditions>> cases_;
  Diagnostics problems_;
};

}  // namespace dalembert

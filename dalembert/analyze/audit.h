// SPDX-License-Identifier: Apache-2.0
// Formulas that a person derived, held against the equations: Model::claims, the [[claim]]s of a model file.
//
// A claim names an entry (derive/entry.h) and says what it equals. Both sides are brought to canonical form, where
// equality of trigonometric polynomials and their quotients is decided; what lies outside is compared at random points.
//
//   given        the equations hold, and nothing else does: r = L says nothing of dot(r), a constraint holds only if given
//   eom[q]       is an equation, so a factor of numbers and parameters does not matter; it is named
//   V, L, E      a constant of numbers and parameters does not matter; it is named
//   qdd, lambda  may be claimed in terms of λ and q̈: by M q̈ = F − B − G + Wᵀλ with free λ, else with their closed forms
//                put in. Coordinates that are prescribed move as they like: q̈_a belongs to the state, and what makes them
//                do so is an unknown, actuation(alpha), beside λ
//
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/counter_example.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"

namespace dalembert {

enum class ClaimVerdict { kProved, kDisproved, kUndecided };
std::string to_text(ClaimVerdict verdict);

struct AuditedClaim {
  std::string source, entry;  ///< entry with every index by name
  std::string claimed;        ///< as written
  std::vector<std::string> given;
  Span span;  ///< of what is claimed
  ClaimVerdict verdict = ClaimVerdict::kUndecided;
  bool exact = false;                 ///< certain: a proof, or a point at which both sides certainly differ
  std::vector<std::string> assuming;  ///< what the verdict takes for granted: "y != 0", "L > 0"
  std::string correct;     ///< the right formula in its shortest form; of an equation with "= 0"; empty where unknown
  std::string difference;  ///< right − claimed in its shortest form; empty unless they differ
  std::optional<CounterExample> point;
  std::optional<Diagnostic>
      refusal;       ///< E0241 or E0242: conditions that cannot be used, so that the claim is undecided
  std::string note;  ///< what kind of slip it is, up to what it holds, why it is undecided; may be empty
};

struct AuditReport {
  std::vector<AuditedClaim> claims;  ///< in the order of the model
  int count(ClaimVerdict verdict) const;
};

/// Decides every claim of the model whose conditions can be used; the others are refused, each for itself. Errors: E0230
/// no such entry, E0240 an equation where a value should be.
Result<AuditReport> audit(const Equations& equations, Notation notation = Notation::kText);

}  // namespace dalembert

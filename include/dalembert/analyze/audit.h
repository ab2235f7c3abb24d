// SPDX-License-Identifier: Apache-2.0
// Checks formulas that a person derived against the equations: Model::claims, the [[claim]]s of a model file.
//
// A claim names an entry (derive/entry.h) and says what it equals. Both sides are brought to canonical form, in which
// equality of trigonometric polynomials and their quotients is decided. Other formulas are compared at random points.
//
//   given        only the equations given are assumed: r = L says nothing of dot(r), and a constraint holds only if it is given
//   eom[q]       is an equation, so that it may be claimed up to a factor of numbers and parameters; the factor is named
//   V, L, E      may be claimed up to a constant of numbers and parameters; the constant is named
//   qdd, lambda  may be claimed in terms of λ and q̈. A claim is compared with the solution of M q̈ = F − B − G + Wᵀλ for
//                free λ, else with the closed forms put in. The q̈_a of prescribed coordinates belong to the state, and the
//                force that moves such a coordinate is an unknown like λ: actuation(alpha)
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
  std::string source, entry;  ///< where the claim is from; the entry that it is about, with every index by name
  std::string claimed;        ///< the claim as it was written
  std::vector<std::string> given;
  Span span;  ///< place of the claimed formula
  ClaimVerdict verdict = ClaimVerdict::kUndecided;
  bool exact = false;                 ///< certain: a proof, or a point at which both sides certainly differ
  std::vector<std::string> assuming;  ///< what the verdict takes for granted: "y != 0", "L > 0"
  std::string correct;     ///< the right formula in its shortest form, with "= 0" for an equation; empty where unknown
  std::string difference;  ///< right − claimed in its shortest form; empty unless they differ
  std::optional<CounterExample> point;
  std::optional<Diagnostic>
      refusal;       ///< E0241 or E0242: conditions that cannot be used, so that the claim is undecided
  std::string note;  ///< the mistake, the constant or factor up to which it holds, or why it is undecided; may be empty
};

struct AuditReport {
  std::vector<AuditedClaim> claims;  ///< one for each claim, in the order of the model
  int count(ClaimVerdict verdict) const;
};

/// Decides every claim of the model whose conditions can be used; each of the others has a refusal. Errors: E0230 no
/// such entry, E0240 an equation where a value should be.
Result<AuditReport> audit(const Equations& equations, Notation notation = Notation::kText);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Checks formulas that a person derived against the equations: Model::claims, the [[claim]]s of a model file.
//
// A claim names an entry (derive/equations.h) and says what it equals. Both sides are brought to canonical form, in which
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
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// The values of the symbols at a point where a claim fails, and the values of the claim and the right formula there.
struct CounterExample {
  std::vector<std::pair<std::string, Rational>> at;  ///< values by printed name ("theta'"), in the order of the model
  /// Another symbol of the claim, whose value follows from `at` by the conditions or the equations.
  struct Follower {
    std::string name;
    double value = 0;
    std::string digits;  ///< the digits of its value that are certain, ten at most
  };
  std::vector<Follower> follows;
  double correct = 0, claimed = 0, difference = 0;
  std::string correct_digits, claimed_digits;  ///< enough digits to tell the two apart
  std::string difference_digits;
};

enum class ClaimVerdict { kProved, kDisproved, kUndecided };
std::string to_text(ClaimVerdict verdict);

struct AuditedClaim {
  std::string source, entry;  ///< where the claim is from; the entry that it is about, with every index by name
  std::string claimed;        ///< the claim as it was written
  std::vector<std::string> given;
  Span span;  ///< place of the claimed formula
  ClaimVerdict verdict = ClaimVerdict::kUndecided;
  bool exact = false;  ///< certain: a proof, or a point at which both sides certainly differ
  std::vector<std::pair<std::string, std::string>> constants = {};  ///< of a claim with constants: their values
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

struct ModelComparison {
  /// True where both have the same coordinates and rows: the equations of motion and the rows of the constraints were
  /// compared term by term. Otherwise the accelerations of the coordinates that both have, and the multipliers of the
  /// rows that both have, were compared on states that satisfy the constraints of both; or, where these accelerations have no closed form, the
  /// equations of motion as with a map.
  bool equations = false;
  /// True where the first model makes the claims about the second, because the second has more coordinates.
  bool swapped = false;
  std::vector<std::string> without;     ///< names of the coordinates that only one of the two has
  std::vector<std::string> as_numbers;  ///< parameters that only the claiming model has; their values are used
  /// The formulas of a map as they were written, by the coordinate of the other model. With a map the claims are the rows of the other model,
  /// "freedoms" and, where these are proved, one equation of motion for each velocity that the constraints of the first leave free.
  std::vector<std::pair<std::string, std::string>> map = {};
  AuditReport report;
};

/// Checks the equations of `other` as claims about `equations`, or the other way round where only `other` has all coordinates
/// of both. Symbols with the same name are the same. With a `map`, the coordinates of `other` that it names are formulas of those of
/// `equations`, its points and parameters and t, and the two are compared as motions (audit/compare_mapped.h). Errors: E0243 the models
/// cannot be compared, with the reason; E0231 the motion of the claiming model has no closed form; E0241, E0242 a constraint cannot be used
/// as a condition; E0434 a map that names no coordinate or leaves one out; E0437 a map without full rank; those of formulas.
Result<ModelComparison> compare_models(const Equations& equations, const Equations& other,
                                       Notation notation = Notation::kText,
                                       const std::vector<StudyStatement::Named>& map = {});

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The statements of a comparison of two models, and how they are proved on the states of the first. Inside analyze only.
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/analyze/audit/nonzero.h"

namespace dalembert {

class MappedClaims {
 public:
  /// `source`: the model that makes the claims. The other arguments must outlive this.
  MappedClaims(Canonicalizer& canonicalizer, const KnownSigns& signs, Notation notation, std::string source)
      : canonicalizer_(canonicalizer), signs_(signs), notation_(notation), source_(std::move(source)) {}

  /// What every statement is given from now on.
  void give(std::string text) { given_.push_back(std::move(text)); }
  AuditedClaim statement(std::string entry) const;
  static void decide(AuditedClaim& claim, ClaimVerdict verdict, std::string note = {});
  /// What a proof on states takes for granted: that nothing by which it divided is 0.
  void assume(AuditedClaim& claim, const std::vector<Expr>& nonzero, const std::vector<SymbolId>& with_sign);
  /// Whether the two are equal where the conditions hold, and have a value somewhere there: decided in the claim, if so.
  bool proved_equal(AuditedClaim& claim, const Conditions& conditions, const Expr& a, const Expr& b);
  std::string text(const Expr& e) { return print_shortest(canonicalizer_, e, notation_); }

  Canonicalizer& canonicalizer() { return canonicalizer_; }
  Graph& graph() { return canonicalizer_.graph(); }
  const KnownSigns& signs() const { return signs_; }
  Notation notation() const { return notation_; }

 private:
  Canonicalizer& canonicalizer_;
  const KnownSigns& signs_;
  Notation notation_;
  std::string source_;
  std::vector<std::string> given_;
};

}  // namespace dalembert

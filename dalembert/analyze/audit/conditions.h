// SPDX-License-Identifier: Apache-2.0
// Equations that are assumed to hold, each solved for one symbol, which is replaced wherever it occurs. Inside analyze only.
//
// Solving c s + d = 0 divides by c. Where c may be 0 the solution s = −d/c is one of several, so "c is not 0" becomes
// an assumption of everything that follows; where the other conditions make c vanish there is no solution.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/nonzero.h"

namespace dalembert {

class Conditions {
 public:
  Conditions(Canonicalizer& canonicalizer, KnownSigns signs)
      : canonicalizer_(&canonicalizer), signs_(std::move(signs)) {}

  enum class Outcome {
    kAdded,
    kRedundant,      ///< follows from the earlier conditions
    kContradiction,  ///< can never hold together with the earlier conditions
    kUnsolvable,     ///< no symbol is alone on one side, occurs linearly, or is a squared parameter
    kDividesByZero,  ///< linear in a symbol, but its coefficient is 0 by the other conditions
  };
  /// Adds left = right. The symbol to solve for is chosen first by the safety of the division, then in this order:
  /// accelerations, multipliers, velocities, coordinates, inputs, parameters.
  Outcome add(const Expr& left, const Expr& right);
  /// Adds a condition of a claim. Errors: E0241 it cannot be solved, E0242 it contradicts the others.
  std::optional<Diagnostic> add(const ClaimCondition& condition);
  /// Names symbols that further conditions are solved for only where no other symbol will do.
  void solve_last(std::vector<SymbolId> symbols) { last_ = std::move(symbols); }

  /// A copy of the conditions that solves further ones with another canonicalizer of the graph.
  Conditions with(Canonicalizer& canonicalizer) const {
    Conditions copy = *this;
    copy.canonicalizer_ = &canonicalizer;
    return copy;
  }

  Expr apply(const Expr& expression) const { return substitute_all(expression); }
  const StateRelations& relations() const { return canonicalizer_->relations(); }

  /// Requires that `parts` has a value at every point of comparison. `parts` is a formula as it was written, before
  /// terms cancelled.
  void require_value(const Expr& parts) {
    if (parts && !parts.is_constant()) required_.push_back(parts);
  }
  const std::vector<Expr>& required() const { return required_; }
  Conditions without_requirements() const {
    Conditions copy = *this;
    copy.required_.clear();
    return copy;
  }

  struct Solved {
    SymbolId symbol;
    Expr value;
  };
  const std::vector<Solved>& solved() const { return solved_; }
  /// The solved symbols and their values as a map; no value contains a symbol that is solved for.
  const std::unordered_map<SymbolId, Expr>& replacements() const { return replacements_; }
  /// Divisors that may be 0, with the conditions put in.
  std::vector<Expr> divisors() const;
  /// Parameters that are assumed positive, because only their square is known, or to have the sign of their value,
  /// because something was divided by them.
  const std::vector<SymbolId>& positive() const { return positive_; }
  const KnownSigns& signs() const { return signs_; }

 private:
  struct Solution {
    Solved solved;
    Expr divisor;
    std::vector<SymbolId> positive;
  };
  Expr substitute_all(const Expr& expression) const;
  bool contains(const Expr& expression, SymbolId symbol);
  bool vanishes(const Expr& expression);
  enum class Divisor { kNumber, kKnown, kAny };
  Divisor safety(const Expr& divisor) const;
  std::optional<Solution> linear(const Expr& zero, SymbolId symbol, Divisor divisor);
  std::optional<Solution> square(const Expr& zero, SymbolId symbol);
  bool keeps_divisors(const Solution& solution);
  void put_in(const Solution& solution);

  Canonicalizer* canonicalizer_;
  KnownSigns signs_;
  std::vector<Solved> solved_;
  std::unordered_map<SymbolId, Expr> replacements_;
  std::vector<Expr> divisors_, required_;
  std::vector<SymbolId> positive_, last_;
};

}  // namespace dalembert

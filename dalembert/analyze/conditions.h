// SPDX-License-Identifier: Apache-2.0
// Equations that are taken to hold, each solved for one symbol and put in wherever that stands. Inside analyze only.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/algebra/canonical.h"

namespace dalembert {

class Conditions {
 public:
  explicit Conditions(Canonicalizer& canonicalizer) : canonicalizer_(&canonicalizer) {}

  enum class Outcome {
    kAdded,
    kRedundant,      ///< follows from the earlier ones
    kContradiction,  ///< can never hold beside them
    kUnsolvable,     ///< no symbol to solve for: one that stands alone on a side, stands linearly, or is a parameter's
                     ///< square
  };
  /// left = right. An acceleration is solved for rather than a velocity, that rather than a coordinate, that rather
  /// than a parameter.
  Outcome add(const Expr& left, const Expr& right);

  /// The same conditions, further ones to be solved with another canonicalizer of the graph.
  Conditions with(Canonicalizer& canonicalizer) const {
    Conditions copy = *this;
    copy.canonicalizer_ = &canonicalizer;
    return copy;
  }

  Expr apply(const Expr& expression) const { return substitute_all(expression); }

  struct Solved {
    SymbolId symbol;
    Expr value;
  };
  const std::vector<Solved>& solved() const { return solved_; }
  /// Parameters that were taken to be positive, because only their square is known.
  const std::vector<SymbolId>& positive() const { return positive_; }

 private:
  Expr substitute_all(const Expr& expression) const;
  bool contains(const Expr& expression, SymbolId symbol);
  bool vanishes(const Expr& expression);
  enum class Divisor { kNumber, kParameters, kAny };
  std::optional<Solved> linear(const Expr& zero, SymbolId symbol, Divisor divisor);
  std::optional<Solved> square(const Expr& zero, SymbolId symbol);

  Canonicalizer* canonicalizer_;
  std::vector<Solved> solved_;
  std::unordered_map<SymbolId, Expr> replacements_;
  std::vector<SymbolId> positive_;
};

}  // namespace dalembert

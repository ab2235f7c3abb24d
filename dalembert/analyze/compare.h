// SPDX-License-Identifier: Apache-2.0
// Two formulas side by side. Inside analyze only.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"

namespace dalembert {

struct Comparison {
  ZeroTest difference = ZeroTest::kUndecided;
  bool exact = false;               ///< decided by canonical forms alone
  bool too_large = false;           ///< no canonical form
  int points = 0;                   ///< random points at which both have a value
  std::vector<std::string> opaque;  ///< functions between which no relation is known: "sqrt", "exp"
};
/// Whether a = b. Without a single point where both have a value it is undecided.
Comparison compare(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// A point with short coordinates at which a and b differ clearly; the same on every machine.
struct Difference {
  std::vector<std::pair<SymbolId, Rational>> at;
  double a = 0, b = 0;
  bool clear = false;  ///< by far more than round-off
};
std::optional<Difference> where_they_differ(const Expr& a, const Expr& b);

/// k, of numbers and parameters and not zero, with b = k a. Decided exactly; nothing when it is not.
std::optional<Expr> constant_factor(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// b − a where that is made of numbers and parameters alone.
std::optional<Expr> constant_offset(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// In the shortest form; as the graph has it where that is too large to find.
std::string print_shortest(Canonicalizer& canonicalizer, const Expr& expression, Notation notation);
/// The same for what is linear in accelerations and multipliers: one term for each of them.
std::string print_equation(Canonicalizer& canonicalizer, const Expr& expression, Notation notation);

}  // namespace dalembert

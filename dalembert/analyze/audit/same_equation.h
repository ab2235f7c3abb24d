// SPDX-License-Identifier: Apache-2.0
// Decides whether two equations a = 0 and b = 0 are the same equation of motion. Inside analyze only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/conditions.h"

namespace dalembert {

struct EquationVerdict {
  enum class Kind {
    kSame,       ///< b = factor·a; where the factor is not 0 the equations are equivalent
    kDifferent,  ///< certainly: `where` is a point at which one holds and the other does not
    kOpen,
  } kind = Kind::kOpen;
  Expr factor;                      ///< the factor between a and b; null where there is none
  std::optional<Difference> where;  ///< a point where they differ, with the values of a and b there
  std::string reason;               ///< why the answer is kOpen
  // What a proof by identities between functions (identities.h) takes for granted.
  std::vector<Expr> nonzero = {};         ///< is not 0
  std::vector<SymbolId> signs_used = {};  ///< parameters that have the sign of their value
};

/// Compares two equations whose left sides a and b are not identically equal. The conditions are put in in a and b, but
/// not in `original`. Proofs are exact, by canonical forms or else by identities between functions. A difference is shown at a point where a = 0 by the choice of a symbol in which
/// a is linear, and b is certainly not 0, or the other way round.
EquationVerdict same_equation(Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& a, const Expr& b,
                              std::span<const Expr> original);

}  // namespace dalembert

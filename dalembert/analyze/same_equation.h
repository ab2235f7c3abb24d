// SPDX-License-Identifier: Apache-2.0
// Whether two equations a = 0 and b = 0 say the same of the motion. Inside analyze only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/compare.h"
#include "dalembert/analyze/conditions.h"

namespace dalembert {

struct EquationVerdict {
  enum class Kind {
    kSame,       ///< b = factor·a, and where the factor is not 0 both say the same
    kDifferent,  ///< certainly: `where` is a point at which one holds and the other does not
    kOpen,
  } kind = Kind::kOpen;
  Expr factor;                      ///< the factor between a and b; null where there is none
  std::optional<Difference> where;  ///< with the values of a and b
  std::string reason;               ///< why the answer is kOpen
};

/// Compares two equations whose left sides a and b are not identically equal. The conditions are put in in a and b, but
/// not in `original`. Proofs are exact. A difference is shown at a point where a = 0 by the choice of a symbol in which
/// a is linear, and b is certainly not 0, or the other way round.
EquationVerdict same_equation(Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& a, const Expr& b,
                              std::span<const Expr> original);

}  // namespace dalembert

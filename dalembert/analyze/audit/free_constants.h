// SPDX-License-Identifier: Apache-2.0
// Finds constants for which a claim would be right: names in its formula whose values are not given. Inside analyze only.
//
// Let r(x, c) = A(x) + Σ B_k(x) c_k have to be 0 at every state x. At as many states as there are constants this is a linear system whose entries
// are formulas of parameters. Products of constants (c², c d, 1/c) are unknowns of their own, of which constants follow where they are
// factors beside known ones. Where its determinant is not 0, no other c can be right, and whether this one is, is judged as any other claim.
#pragma once

#include <string>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct FreeConstants {
  std::vector<Expr> values = {};    ///< formulas of parameters, one for each constant; empty where they were not found
  bool only = true;                 ///< no other values can be right
  std::vector<Expr> divisors = {};  ///< the values are the only ones where none of these is 0
  std::vector<std::size_t> positive =
      {};                ///< constants of which a power alone is determined, by their places: the positive roots
  std::string why = {};  ///< why they were not found
};

/// Constants for which `claimed` may equal `correct`. Of an equation, `claimed` = 0 is to be the same as `correct` = 0; of an energy the
/// two may differ by a constant. Both must be sums of products of powers of the constants.
FreeConstants find_constants(Canonicalizer& canonicalizer, const KnownSigns& signs, const std::vector<Expr>& constants,
                             const EntryName& entry, const Expr& correct, const Expr& claimed);

}  // namespace dalembert

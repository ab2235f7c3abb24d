// SPDX-License-Identifier: Apache-2.0
// Sums by powers of a root, as people write second derivatives of a distance s = √S:
//   s̈ at q̈ = 0 is (½ S̈)/√S − (½ Ṡ)²/S^(3/2).
// Over one bar the numerator is S·½S̈ − (½Ṡ)², in which the three sums are multiplied out.
#pragma once

#include <optional>
#include <vector>

#include "dalembert/algebra/gather.h"

namespace dalembert {

/// The form with one term for each power of its roots of sums; what each power is multiplied with is written by itself. Parts of a sum
/// that have no symbol in common are factored apart: (x - X)*(x' - X') + (y - Y)*(y' - Y').
/// Nothing unless it takes at most three quarters of the operations of `than`, an expression for the same with 60 operations or more, and
/// is proved to equal it; nothing if the form has more than 2,000 terms.
std::optional<std::vector<FormTerm>> by_powers_of_roots(Canonicalizer& canonicalizer, const Polynomial& form,
                                                        const Expr& than);

}  // namespace dalembert

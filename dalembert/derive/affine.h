// SPDX-License-Identifier: Apache-2.0
// Whether an expression is affine in some symbols, told by its structure: w1(rest)*s1 + w2(rest)*s2 + ... + a(rest).
#pragma once

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// A symbol of `wrt` that is in `e` in another way than times a coefficient free of them: under a power or a
/// function, as a divisor, in a condition, times another one. Null where e is affine as it is written; terms that
/// merely cancel count. Functions without a slope (sign, comparisons) count too, unlike in derivatives.
Expr not_affine_in(const Expr& e, const Variables& wrt);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Whether an expression is affine in some symbols, judged by its structure: w1(rest)*s1 + w2(rest)*s2 + ... + a(rest).
#pragma once

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// A symbol of `wrt` in which `e` is not affine as it is written: the symbol is in a power, a function, a divisor or a
/// condition, or multiplied by another symbol of `wrt`. Null where `e` is affine. Terms that would cancel count, and so
/// do functions whose derivative is 0 (sign, comparisons).
Expr not_affine_in(const Expr& e, const Variables& wrt);

}  // namespace dalembert

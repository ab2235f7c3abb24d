// SPDX-License-Identifier: Apache-2.0
// Sums of products, built in a fixed order. C++ does not fix which operand of + is evaluated first, and terms are sorted by creation:
// without these functions the same program would print different formulas with another compiler.
#pragma once

#include "dalembert/expr/expr.h"

namespace dalembert {

/// The sum a b + c d.
inline Expr sum_of_products(const Expr& a, const Expr& b, const Expr& c, const Expr& d) {
  const Expr first = a * b;
  return first + c * d;
}
/// The difference a b − c d.
inline Expr difference_of_products(const Expr& a, const Expr& b, const Expr& c, const Expr& d) {
  const Expr first = a * b;
  return first - c * d;
}

}  // namespace dalembert

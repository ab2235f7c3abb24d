// SPDX-License-Identifier: Apache-2.0
// Sums of products, built one after the other. Which operand of + is built first C++ leaves to the compiler, and orders of
// terms follow from that: the same program would print otherwise elsewhere.
#pragma once

#include "dalembert/expr/expr.h"

namespace dalembert {

/// a b + c d
inline Expr sum_of_products(const Expr& a, const Expr& b, const Expr& c, const Expr& d) {
  const Expr first = a * b;
  return first + c * d;
}
/// a b − c d
inline Expr difference_of_products(const Expr& a, const Expr& b, const Expr& c, const Expr& d) {
  const Expr first = a * b;
  return first - c * d;
}

}  // namespace dalembert

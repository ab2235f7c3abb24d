// SPDX-License-Identifier: Apache-2.0
// Limits on exact constants: they may not grow without bound, nor leave the range of doubles.
#pragma once

#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// Whether `value` has at most 16,384 bits and is computable: as doubles, the value, its numerator and its denominator are finite, and the
/// value is 0 only if it is exactly 0.
bool is_in_range(const Rational& value);

/// Whether all numbers of `expression` are in range: its constant, coefficient or coefficients of terms. Like terms are combined in it already.
bool are_numbers_in_range(const Expr& expression);

/// Watches the terms of a sum while they are read. In 1 + 1/2 + 1/3 + … each number is short, but their sum is not; the problem is reported
/// before the sum is built.
class LikeTerms {
 public:
  /// False if consecutive terms that differ only in their coefficient add up to a coefficient that is out of range.
  bool add(const Expr& term);

 private:
  std::vector<Graph::Item> factors_;
  Rational sum_ = 0;
};

}  // namespace dalembert

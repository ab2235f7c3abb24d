// SPDX-License-Identifier: Apache-2.0
// Exact constants may not grow without bound, nor leave the range of numbers that can be computed with.
#pragma once

#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// At most 16,384 bits; as doubles, the value, its numerator and its denominator are finite, and 0 only if they are.
bool is_in_range(const Rational& value);

/// Of an expression's own constant, coefficient or coefficients of its terms: terms that are alike have met.
bool are_numbers_in_range(const Expr& expression);

/// Terms of a sum as they come. Of 1 + 1/2 + 1/3 + … each number is short and the sum is not: told before it is made.
class LikeTerms {
 public:
  /// False where numbers of terms in a row that differ by a number only add up to one that is out of range.
  bool add(const Expr& term);

 private:
  std::vector<Graph::Item> factors_;
  Rational sum_ = 0;
};

}  // namespace dalembert

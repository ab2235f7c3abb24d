// SPDX-License-Identifier: Apache-2.0
// A point at which expressions are enclosed, and what is certain of their values there (enclosure.h).
#pragma once

#include <string>
#include <unordered_map>

#include "dalembert/algebra/interval.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// A point: each symbol has a number, a range, or a formula (`defined`) of symbols that have one.
struct EnclosedPoint {
  std::unordered_map<SymbolId, Rational> value;
  std::unordered_map<SymbolId, Interval> range;  ///< ranges of symbols whose value is not known
  const std::unordered_map<SymbolId, Expr>* defined = nullptr;
};

enum class Sign { kNegative, kZero, kPositive, kNoValue, kUnknown };

/// The comparison of two values.
struct Separation {
  enum class Outcome {
    kEqual,    ///< both values are the same rational number
    kDiffer,   ///< the values are certainly different
    kClose,    ///< both have a value; whether they differ is open
    kNoValue,  ///< at least one certainly has no value, or a number of `nonzero` is 0
    kUnknown,  ///< whether both have a value is open
  };
  Outcome outcome = Outcome::kUnknown;
  double a = 0, b = 0, difference = 0;                ///< the values and their difference, as nearest doubles
  std::string a_digits, b_digits, difference_digits;  ///< digits as text, if a and b differ: enough to tell them apart
  bool sharp = false;                                 ///< all digits are correct
  bool has_values() const { return outcome <= Outcome::kClose; }
};

}  // namespace dalembert

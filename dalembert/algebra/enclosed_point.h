// SPDX-License-Identifier: Apache-2.0
// Where expressions are enclosed, and what can be certain of their values there (enclosure.h).
#pragma once

#include <string>
#include <unordered_map>

#include "dalembert/algebra/interval.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// Where expressions are enclosed: a number for each symbol, or a formula of symbols that have one.
struct EnclosedPoint {
  std::unordered_map<SymbolId, Rational> value;
  std::unordered_map<SymbolId, Interval> range;  ///< of symbols that are only known to lie in one
  const std::unordered_map<SymbolId, Expr>* defined = nullptr;
};

enum class Sign { kNegative, kZero, kPositive, kNoValue, kUnknown };

/// Two values side by side.
struct Separation {
  enum class Outcome {
    kEqual,    ///< both are the same rational number
    kDiffer,   ///< they are certainly different
    kClose,    ///< both have a value; whether they differ is open
    kNoValue,  ///< at least one certainly has none, or a number of `nonzero` is 0
    kUnknown,  ///< whether they have a value is open
  };
  Outcome outcome = Outcome::kUnknown;
  double a = 0, b = 0, difference = 0;                ///< nearest doubles
  std::string a_digits, b_digits, difference_digits;  ///< where they differ: enough digits to tell a from b
  bool sharp = false;                                 ///< the digits are all right
  bool has_values() const { return outcome <= Outcome::kClose; }
};

}  // namespace dalembert

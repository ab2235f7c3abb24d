// SPDX-License-Identifier: Apache-2.0
// The functions that expressions may call: the one list that parser, dimension rules, messages and documentation
// follow.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dalembert/expr/expr.h"

namespace dalembert {

enum class FunctionRule {
  kPure,   // pure numbers in, a pure number out: sin, exp
  kSame,   // the argument's dimension: abs, min
  kRoot,   // its square root
  kRatio,  // arguments of one dimension in, a pure number out: atan2, sign
};

struct FunctionInfo {
  std::string_view name;
  int arguments;
  FunctionRule rule;
  Expr (*one)(const Expr&);
  Expr (*two)(const Expr&, const Expr&);
};

std::span<const FunctionInfo> functions();
/// Null when there is no such function.
const FunctionInfo* find_function(std::string_view name);
/// What to write instead of a function that is not known.
std::string help_for_function(std::string_view word);

}  // namespace dalembert

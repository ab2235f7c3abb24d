// SPDX-License-Identifier: Apache-2.0
// The functions that expressions may call: the one list that parser, dimension rules, messages and documentation
// follow.
#pragma once

#include <span>
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

}  // namespace dalembert

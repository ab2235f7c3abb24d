// SPDX-License-Identifier: Apache-2.0
// Which sines and cosines follow from others: those of α ± β cost four operations once α and β have theirs, against two
// dozen for a sine of its own.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// angle = first + sign · second; both are arguments of sines or cosines as well.
struct AngleSum {
  NodeId first = 0, second = 0;
  int sign = 1;
};

/// By argument of a sine or cosine that occurs in `expressions`: how to make it from others. Angles of one symbol come
/// first, so they are never made from sums. The absolute error stays about that of rounding α ± β. O(nodes + angles²
/// log).
std::unordered_map<NodeId, AngleSum> find_angle_sums(std::span<const Expr> expressions);

}  // namespace dalembert

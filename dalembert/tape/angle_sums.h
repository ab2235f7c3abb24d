// SPDX-License-Identifier: Apache-2.0
// Which sines and cosines follow from others: those of α ± β cost four operations once those of α and β are known,
// against two dozen for a sine computed directly.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// angle = first + sign · second; sines or cosines of both occur as well.
struct AngleSum {
  NodeId first = 0, second = 0;
  int sign = 1;
};

/// For each argument of a sine or cosine in `expressions` that is a sum of two others: these two. A single symbol is
/// never split. The absolute error of the results is about that of rounding α ± β. O(nodes + angles² log).
std::unordered_map<NodeId, AngleSum> find_angle_sums(std::span<const Expr> expressions);

}  // namespace dalembert

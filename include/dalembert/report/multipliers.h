// SPDX-License-Identifier: Apache-2.0
// The meaning of each multiplier for a designer: its unit, the force it produces, and the direction in which it pushes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct MultiplierMeaning {
  std::string row;   ///< name of the constraint row, such as "pin.x"
  std::string unit;  ///< unit of λ in SI: J/[h] or W/[η]; empty where the model gives no units
  /// Such as "force of the pin on A along x; B feels the opposite", "tension of the rod is -lambda(rod)".
  std::string words;
  std::vector<std::pair<int, Expr>> force;  ///< (coordinate, coefficient): the generalized force is coefficient · λ
};

/// One meaning for each constraint row, in order. λ_j > 0 pushes towards a larger left side h_j (or η_j) of row j.
std::vector<MultiplierMeaning> explain_multipliers(const Equations& equations);

}  // namespace dalembert

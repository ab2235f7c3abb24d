// SPDX-License-Identifier: Apache-2.0
// The answer to what the frictions do at a state: the modes that are consistent, each with its forces.
#pragma once

#include <string>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// What one friction does: stick, or slide in a direction.
struct FrictionState {
  int direction = 0;  ///< slides: the sign that v_s has or is about to take; 0: sticks
  int load = 1;       ///< the sign of N that is assumed
  bool operator==(const FrictionState&) const = default;
};
using FrictionMode = std::vector<FrictionState>;  ///< one state for each friction

/// A mode that is consistent with its own result.
struct FrictionSolution {
  FrictionMode mode;
  std::vector<double> qdd, multipliers;  ///< v̇; λ, then f
};

/// The modes in which the motion may continue from a state.
struct FrictionAnswer {
  /// The solutions differ in v̇ or in a force; the one with the most sticking frictions comes first.
  std::vector<FrictionSolution> solutions;
  bool complete = true;  ///< all modes were tried; else solutions holds the first that was found
};

/// Describes a solution for a diagnostic: "corner slides forwards with a friction of -0.9 N and N > 0".
std::string to_text(const FrictionSolution& solution, const Names& names, int rows);
/// Explains that a state has no consistent mode, or several; empty where there is exactly one.
std::string describe(const FrictionAnswer& answer, const Names& names, int rows);

}  // namespace dalembert

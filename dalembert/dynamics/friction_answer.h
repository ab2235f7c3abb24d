// SPDX-License-Identifier: Apache-2.0
// What frictions do at a state, as an answer: states of each that are consistent together, with the forces they have.
#pragma once

#include <string>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// What a friction does.
struct FrictionState {
  int direction = 0;  ///< slides: the sign of v_s, or that which v_s is about to take; 0: sticks
  int load = 1;       ///< the sign of N that is assumed
  bool operator==(const FrictionState&) const = default;
};
using FrictionMode = std::vector<FrictionState>;  ///< of each friction

/// A mode that is consistent with its own result.
struct FrictionSolution {
  FrictionMode mode;
  std::vector<double> qdd, multipliers;  ///< v̇; λ, then f
};

/// What the state at a time may go on with.
struct FrictionAnswer {
  std::vector<FrictionSolution> solutions;  ///< that differ in v̇ or in a force; the least that slides comes first
  bool complete = true;                     ///< all modes were tried; else solutions holds the first that was found
};

/// In words, for a diagnostic: "corner slides (+), N = 3.1 N, friction -0.9 N".
std::string to_text(const FrictionSolution& solution, const Names& names, int rows);
/// Why a state has no motion, or no single one; empty where it has one.
std::string describe(const FrictionAnswer& answer, const Names& names, int rows);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Equations of motion in quasi-velocities that contain no coordinates, or only some, and can be solved without the
// others (theory §4). They have the same form as all other equations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct ClosedEquations {
  Equations equations;         ///< the closed equations, made by reduced_motion(), without constraint rows
  std::vector<bool> left_out;  ///< by coordinate: neither v̇ nor the rates of the coordinates that stay depend on it
  /// Names of the model's outputs that cannot be written without the coordinates left out; all others are outputs of `equations`.
  std::vector<std::string> lost_outputs = {};
};

/// Equations in the quasi-velocities that the model states, where M_r v̇ + b = 0 contains no coordinate; all
/// coordinates are left out. No value where the model states no quasi-velocities, where the reduction fails, or where
/// coordinates remain. The outputs are rewritten on the constraints, with multipliers replaced by their formulas.
std::optional<ClosedEquations> closed_equations(const Equations& equations);

/// Equations in quasi-velocities without some coordinates on which the equations with constraints depend, such as the heading
/// of a rolling disk. Steady states of these equations are relative equilibria of the system. For small systems without
/// prescribed coordinates and friction whose velocities are q̇; no value for others, and where no such coordinate drops out.
std::optional<ClosedEquations> relative_equations(const Equations& equations);

}  // namespace dalembert

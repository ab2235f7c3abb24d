// SPDX-License-Identifier: Apache-2.0
// Equations of motion in quasi-velocities that stand alone (theory §4), as equations like any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct ClosedEquations {
  Equations equations;         ///< reduced_motion(): no constraint rows
  std::vector<bool> left_out;  ///< N: coordinates that the rates of v, and of the coordinates that stay, do not contain
  /// Outputs of the model that have no formula without the coordinates left out; the others are outputs of the equations.
  std::vector<std::string> lost_outputs = {};
};

/// With the quasi-velocities that the model states, where M_r v̇ + b = 0 contains no coordinate: all are left out. Nothing
/// where the model states none, where they cannot be reduced to, or where coordinates remain. Outputs on the constraints,
/// multipliers put in.
std::optional<ClosedEquations> closed_equations(const Equations& equations);

/// With quasi-velocities in which more coordinates drop out than nothing depends on while the constraints stand: the
/// heading of a disk that rolls. Steady states of these equations are relative equilibria. Small systems without
/// prescribed coordinates and frictions whose velocities are rates; nothing where no more drop out.
std::optional<ClosedEquations> relative_equations(const Equations& equations);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Relative equilibria without elimination: motions that are steady except for coordinates that only the constraints contain.
//
// Let some velocities v_f follow from the others v_i by W v + a = 0. If the rates of v_i and of the coordinates that
// stay do not depend on the coordinates left out, the flow of v_i and of the coordinates that stay can be studied
// alone. For example, a disk rolls in circles with constant lean, ψ' and φ', while its heading ψ is in the constraints.
// Sets of velocities v_f are tried; exact derivatives at random states tell what the rates depend on. Velocities are q̇
// here; for velocities along the axes of a body see relative_equations (derive/closed_equations.h).
#pragma once

#include <optional>
#include <vector>

#include "dalembert/analyze/stability/steady.h"

namespace dalembert {

struct RelativeCoordinates {
  std::vector<bool> left_out;  ///< SteadySystem::left_out: more than the cyclic coordinates
  std::vector<bool> follows;   ///< SteadySystem::follows: velocities that follow from the others
};

/// For a system with Pfaffian rows and constant inputs, near a consistent state. No value where only cyclic coordinates can be left out.
std::optional<RelativeCoordinates> find_relative_coordinates(const SteadySystem& system, const State& state);

}  // namespace dalembert

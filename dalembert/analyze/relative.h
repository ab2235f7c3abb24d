// SPDX-License-Identifier: Apache-2.0
// Relative equilibria without elimination: motions that are steady but for coordinates that only the constraints contain.
//
// Let some velocities v_f follow from the others v_i by W v + a = 0. Where the rates of v_i, and of the coordinates that stay,
// contain none of the coordinates left out, the flow of the coordinates that stay and of v_i stands alone: a disk rolls
// in circles with constant lean, ψ', φ', while its heading ψ is in the constraints. Which velocities may follow is tried;
// what is contained is decided by the exact slopes at random states. Velocities are rates of coordinates: velocities along
// a body's axes are those of relative_equations (derive/closed_equations.h).
#pragma once

#include <optional>
#include <vector>

#include "dalembert/analyze/steady.h"

namespace dalembert {

struct RelativeCoordinates {
  std::vector<bool> left_out;  ///< SteadySystem::left_out: more than nothing depends on
  std::vector<bool> follows;   ///< SteadySystem::follows
};

/// Of a system with Pfaffian rows and constant inputs, near a consistent state; nothing where no more can be left out than
/// nothing depends on anyway.
std::optional<RelativeCoordinates> find_relative_coordinates(const SteadySystem& system, const State& state);

}  // namespace dalembert

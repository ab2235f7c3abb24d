// SPDX-License-Identifier: Apache-2.0
// Coordinates without inertia that no constraint determines: the mass matrix is singular, and the equation of such a coordinate is
// algebraic. Often it can be stated as a constraint: a massless node between springs, or a multiplier that a Lagrangian contains by hand.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

/// The coordinates with an empty row of M and an empty column of W that nothing drives.
std::vector<std::size_t> massless_coordinates(const Equations& equations);

/// What to write instead, for up to three such coordinates; empty where there is none, or where velocities are not rates of coordinates.
///
///   y, a node     0 = ∂V/∂y − F_y becomes the constraint ∂V/∂y − F_y = 0, whose multiplier is 0 where the equation determines y
///   z, a λ        in L − z C the equation of z is C = 0: the constraint C, whose multiplier is −z
std::vector<std::string> help_for_massless(const Equations& equations);

/// W0301 where no accelerations exist at a state, with the cause: "no accelerations can be computed at the start: singular".
std::optional<Diagnostic> no_accelerations(const BuiltModel& system, const State& state, const std::string& where);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The reduced equations as a system of their own, that compiles and runs like any other.
#pragma once

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

/// q̇ = S v + s₀, M_r v̇ + b = 0 as equations of motion without constraints, whose velocities are the quasi-velocities
/// (theory §4): N = S, n₀ = s₀, M = M_r, B = b, G = F = 0, with the energies and their balance in q and v. The state
/// has n coordinates and n − rank W velocities. Positions must begin where the holonomic rows hold; errors of
/// integration are not projected out of them. The model states no constraints, quasi-velocities, outputs and claims.
/// Built in the graph of `reduced`, which must come from these equations. Errors: E0231 the power of moving constraints
/// needs multipliers that have no closed form.
Result<Equations> reduced_motion(const Equations& equations, const Reduced& reduced);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Compares two models whose coordinates are not the same: one's are formulas of the other's. Inside analyze only.
//
// Let q' = φ(q, t) be the map, J = ∂φ/∂q, and q̇ = Z u + z the velocities that the constraints of `here` leave free. The image of every
// motion of `here` is one of `there`, and every motion of `there` near it is such an image, if
//
//   the rows of `there` hold at φ(q, t), J q̇ + ∂φ/∂t on every state that keeps those of `here`,
//   J Z has full rank, and there are as many freedoms here and there: n − rank W = n' − rank W',
//   Zᵀ eom = 0 and (J Z)ᵀ eom' = 0 are the same equations, with eom' at φ, φ̇ and φ̈.
//
// Where velocities v are not q̇ (attitudes), they take the place of q̇: v' = 4 N'ᵀ φ̇ of a quaternion φ of norm 1, which is proved.
// One-sided constraints are left out of all this and compared row by row. Forces that depend on multipliers, and those of contacts beside them, are taken for given (given_forces.h), the same in
// both, and their laws are compared one by one (mapped_loads.h). What is not proved in this way is compared at states where every contact is open and every friction slides.
//
// The forces of constraints are in neither: Zᵀ Wᵀ = 0 (theory §4). Two motions certainly differ where (J Z)ᵀ eom' is not 0 with the q̈ of
// `here`, which is enclosed (motion_at.h).
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/audit.h"
#include "dalembert/model/statements.h"

namespace dalembert {

/// E0243 with the reason, and what may be done.
Diagnostics cannot_compare(std::string why, std::string help = {});

/// The statements that were decided: each row of `there`, each contact of both, "freedoms", and one equation for each free velocity of `here`. Equations are
/// compared where the rows and freedoms are proved to be the same. Without a map all coordinates of `there` are those of `here` with their
/// names. Errors: those of read_coordinate_map(); E0243; E0437 a map without full rank.
Result<ModelComparison> compare_mapped(const Equations& here, const Equations& there,
                                       const std::vector<StudyStatement::Named>& map, Notation notation);

}  // namespace dalembert

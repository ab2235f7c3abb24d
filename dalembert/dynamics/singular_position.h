// SPDX-License-Identifier: Apache-2.0
// Finds the singular position near a point at which an assembly stopped.
//
// At a singular position W has a lower rank than nearby. Along the directions that W has lost, h grows only with the
// square of the distance, so all points within about √tolerance satisfy h to the tolerance. Only the singular position
// itself has the lower rank. It satisfies
//
//   h(q) = 0,   W(q) V = 0,   BᵀV = 1                                                                    (1)
//
// where V has one column for each dimension of null(W). (1) is regular in (q, V) where branches cross, so Newton's
// steps (Gauss–Newton, with W differentiated by differences) converge to round-off.
// Source: Leykin, Verschelde & Zhao, Newton's method with deflation for isolated singularities, Theoretical Computer Science 359
// (2006) 111.
#pragma once

#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct Workspace;

/// Moves q to a singular position that is so close that h is zero to the tolerance there as well as at q. Held
/// coordinates stay. False if there is no such position. For systems up to kSmallSystem with position constraints.
bool reach_singular_position(const Dynamics& dynamics, double t, std::vector<double>& q,
                             const std::vector<bool>& hold_position = {});
/// The same, with a workspace of the caller.
bool reach_singular_position(const Dynamics& dynamics, double t, std::vector<double>& q, Workspace& workspace,
                             const std::vector<bool>& hold_position);

}  // namespace dalembert

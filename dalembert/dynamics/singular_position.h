// SPDX-License-Identifier: Apache-2.0
// The singular position beside a point at which an assembly stopped.
//
// Where W has a lower rank than beside it, h grows with the square of the distance d: all positions within √(residual)
// satisfy h, and at none of them but the singular one W has its rank. There
//
//   h(q) = 0,   W(q) V = 0,   BᵀV = 1                                                                    (1)
//
// for as many columns of V as motions are left; (1) is regular in (q, V) where branches cross, so Newton's steps (of
// least squares, with W differentiated by differences) end at round-off.
// Source: Leykin, Verschelde & Zhao, Newton's method with deflation for isolated singularities, Theoretical Computer Science 359
// (2006) 111.
#pragma once

#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

/// Moves q to a singular position that the residuals of h cannot tell it from, if there is one; says whether. What is
/// held stays. For systems up to kSmallSystem with constraints of position.
bool reach_singular_position(const Dynamics& dynamics, double t, std::vector<double>& q,
                             const std::vector<bool>& hold_position = {});

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Conserved momenta where the velocities v are not the rates of the coordinates: frames whose attitude is a quaternion.
//
// Along a motion ṗ = s + Wᵀλ with s = Nᵀ ∂L/∂q − ω × ∂L/∂ω + F. So p·ξ is constant where W ξ = 0 and s·ξ + p·ξ̇ = 0 identically.
// Looked at: every single velocity (ξ a unit vector), and turns of each frame about the ground's axes, alone (ξ = Rᵀ e_k
// for its ω) and together with its origin where that is three coordinates (r × and Rᵀ e_k).
#pragma once

#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// `F`: the forces to count with. Not where v = q̇.
std::vector<ConservedQuantity> find_frame_momenta(const Equations& equations, const std::vector<Expr>& F,
                                                  Canonicalizer& canonicalizer);

}  // namespace dalembert

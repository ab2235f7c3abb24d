// SPDX-License-Identifier: Apache-2.0
// Conserved momenta of systems whose velocities v are not q̇, because attitudes of frames are quaternions.
//
// Along a motion ṗ = s + Wᵀλ with s = Nᵀ ∂L/∂q − ω × ∂L/∂ω + F. So p·ξ is constant where W ξ = 0 and s·ξ + p·ξ̇ = 0
// identically. The candidates are every single velocity (ξ a unit vector) and turns of each frame about a ground axis
// e_k: of the frame alone (ξ = Rᵀ e_k for its ω) and, where its origin r is three coordinates, of the frame with its
// origin (e_k × r for ṙ, Rᵀ e_k for ω).
#pragma once

#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// The momenta that are proven constant. `F`: generalized forces, nv entries. Only for equations with v other than q̇.
std::vector<ConservedQuantity> find_frame_momenta(const Equations& equations, const std::vector<Expr>& F,
                                                  Canonicalizer& canonicalizer);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Momenta that every motion conserves: Noether's theorem for translations and rotations of the coordinates.
//
// Along a field ξ(q) the momentum p·ξ, p = ∂L/∂q̇, changes at the rate
//   d/dt (p·ξ) = (∂L/∂q + F)·ξ + p·ξ̇ + λᵀ W ξ,
// so it is constant when the first two terms cancel identically and W ξ = 0 on the constraints, holonomic or not. The
// fields are
//   ξ_i = c_i + Σ_j A_ij q_j,   A_ij = −A_ji, of coordinates i, j with one unit,
// and W ξ = C h with constant C is 0 where h = 0. That is linear in c, A, C: the solutions are found in numbers at
// random points (with the parameters fixed), read as rational numbers times powers of parameters, and kept where the
// canonical forms prove them. Nothing that is not proven is listed; what has another form, or is too large, is not
// found. Source: E. Noether, Invariante Variationsprobleme, Nachr. Ges. Wiss. Göttingen 1918; with constraints: J. I.
// Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS 1972, ch. III.
#pragma once

#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// First those of cyclic coordinates, "p[phi]", in the order of the model; then those of other translations and of
/// rotations, for systems of at most 100 coordinates. `F` are the forces with what is known of the inputs put in.
/// Cost: where nothing is conserved as many evaluations of ∂L/∂q, F, W as there are unknowns, after constraints.
std::vector<ConservedQuantity> find_momenta(const Equations& equations, const std::vector<Expr>& F,
                                            Canonicalizer& canonicalizer);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Momenta that every motion conserves: Noether's theorem for translations and rotations of the coordinates.
//
// Along a field ξ(q) the momentum p·ξ, p = ∂L/∂q̇, changes at the rate
//   d/dt (p·ξ) = (∂L/∂q + F)·ξ + p·ξ̇ + λᵀ W ξ.
// So it is constant where the first two terms cancel identically and W ξ = 0 on the constraints, holonomic or not. The
// fields searched are
//   ξ_i = c_i + Σ_j A_ij q_j,   A_ij = −A_ji, where coordinates i and j have the same unit,
// with W ξ = C h for a constant C, which is 0 where h = 0. These conditions are linear in c, A and C. Their solutions are
// found in numbers at random points (with fixed parameters), read as rational numbers times powers of parameters, and kept
// where canonical forms prove them. Only proven momenta are listed; momenta of another form, or too large ones, are not
// found. Source: E. Noether, Invariante Variationsprobleme, Nachr. Ges. Wiss. Göttingen 1918; with constraints: J. I.
// Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS 1972, ch. III.
#pragma once

#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// The conserved momenta: first of cyclic coordinates, "p[phi]", in the order of the model; then, in systems of at most 100
/// coordinates, of other translations and of rotations. `F`: generalized forces, with constant inputs replaced by their values.
/// Cost where nothing is conserved: about one evaluation of ∂L/∂q, F and W for each unknown that the constraints leave.
std::vector<ConservedQuantity> find_momenta(const Equations& equations, const std::vector<Expr>& F,
                                            Canonicalizer& canonicalizer);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Judges stability by the eigenvalues of a linearisation, and by other means where these do not decide.
//
// Eigenvalues that are zero are found as exact zeros: null spaces are split off one after the other (a staircase), so
// that a double zero does not appear as ±1e-8, and the other eigenvalues are as accurate as without the zeros. Each
// zero is then explained by a cyclic coordinate, or by a family of equilibria or steady motions, which a step along it
// confirms. The other eigenvalues decide. A linearisation decides nothing where an unexplained zero or an imaginary
// pair is left, except where a conserved energy has a minimum (Lagrange and Dirichlet). Where the equations have no
// derivative, the pieces that meet there decide (one_sided.h), or nothing does; then there are no modes.
// Sources: Golub & Van Loan, Matrix Computations, 4th ed., §7.6.4 (staircase); Khalil, theorems 4.7 and 8.1;
// Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS 1972, ch. V.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

Stability judge_stability(const SteadySystem& system, const Equations& equations, const LinearMotion& motion);

/// The eigenvalues alone, in the order of Stability::modes. The `zeros` smallest ones count as 0; others that pass
/// through 0 as a parameter changes keep their values.
std::vector<std::complex<double>> eigenvalues_of(const LinearMotion& motion, std::size_t zeros);

}  // namespace dalembert

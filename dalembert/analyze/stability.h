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

#include "dalembert/analyze/linearize.h"
#include "dalembert/analyze/stability_verdict.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct Mode {
  std::complex<double> eigenvalue;
  std::vector<std::complex<double>> shape;  ///< one entry for each state, the largest is 1; empty for a zero eigenvalue
};

struct Stability {
  std::vector<Mode> modes;           ///< one for each state, by descending real part; of a pair Im > 0 first
  std::size_t zeros = 0;             ///< number of eigenvalues that are zero
  std::vector<std::string> because;  ///< explanations of the zeros, or of the verdict
  std::size_t unexplained = 0;       ///< zeros without an explanation
  std::vector<std::string> family;   ///< states along which a family of equilibria or steady motions extends
  /// The reason where nothing can be decided and eigenvalues do not show it; else empty.
  std::string undecided = {};
  StabilityVerdict verdict =
      StabilityVerdict::kNone;  ///< kNone where the state is neither an equilibrium nor a steady motion
};

Stability judge_stability(const SteadySystem& system, const Equations& equations, const LinearMotion& motion);

/// The eigenvalues alone, in the order of Stability::modes. The `zeros` smallest ones count as 0; others that pass
/// through 0 as a parameter changes keep their values.
std::vector<std::complex<double>> eigenvalues_of(const LinearMotion& motion, std::size_t zeros);

}  // namespace dalembert

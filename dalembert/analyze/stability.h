// SPDX-License-Identifier: Apache-2.0
// What the eigenvalues of a linearisation say, and what they do not say.
//
// Eigenvalues that are zero are found as such: null spaces are split off one after the other (a staircase), so that a
// double zero does not come out as ±1e-8 and what remains is as accurate as if it were alone. Then each zero is explained,
// by a coordinate that nothing depends on or by a family of equilibria or steady motions, which is followed for a step
// to see that it is one; what is left decides. A linearisation decides nothing where an unexplained zero or an imaginary
// pair is left, but for the least of a conserved energy (Lagrange and Dirichlet). Where the equations have no derivative their
// sides decide (one_sided.h), or nothing does; there are no modes then.
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
  std::vector<std::complex<double>> shape;  ///< by state, the largest 1; of a zero eigenvalue empty
};

struct Stability {
  std::vector<Mode> modes;           ///< as many as states: by descending real part, of a pair the positive one first
  std::size_t zeros = 0;             ///< eigenvalues that are zero
  std::vector<std::string> because;  ///< what they come from
  std::size_t unexplained = 0;       ///< zeros that none of these explain
  std::vector<std::string> family;   ///< states along which a family of equilibria or steady motions extends
  /// Why nothing is decided where eigenvalues do not say it: kMarginal then, without modes. Empty elsewhere.
  std::string undecided = {};
  StabilityVerdict verdict =
      StabilityVerdict::kNone;  ///< kNone where the state is neither an equilibrium nor a steady motion
};

Stability judge_stability(const SteadySystem& system, const Equations& equations, const LinearMotion& motion);

/// The eigenvalues alone, in the order of Stability::modes, of which as many count as zero as are smallest. For those
/// that pass through zero as a parameter changes.
std::vector<std::complex<double>> eigenvalues_of(const LinearMotion& motion, std::size_t zeros);

}  // namespace dalembert

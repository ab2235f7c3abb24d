// SPDX-License-Identifier: Apache-2.0
// Stability where the equations have no derivative: at a kink or a jump of a condition, abs, sign, min, max, floor.
//
// The guards that are 0 at the point (dynamics/switching.h) divide its neighbourhood into pieces, one for each choice of
// their sides s, each with smooth equations of its own:  s_k g_k(x) > 0. What decides, and nothing else does:
//   the pieces agree to first order                        their linearisation, whatever is chosen at the limit itself
//   a piece accelerates from rest into itself              unstable
//   an eigenvector of a real eigenvalue > 0 lies inside    unstable: so does a half of that piece's unstable manifold
//   one coordinate, energy conserved                       the first derivative of V that is not 0, on each side
//   no force at all along a free coordinate, into a piece  unstable: it drifts off at constant speed
//   energy conserved, and in every piece V is least:       stable (Lagrange and Dirichlet ask for no derivative)
//     ∇V = Wᵀλ + Σ μ_k s_k ∇g_k with μ ≥ 0, and the Hessian of V − λ·h − Σ μ_k s_k g_k positive where
//     W d = 0 and ∇g_k·d = 0 of all μ_k > 0
//   one freedom, in each piece ẍ = −k x − c ẋ, k, c > 0    asymptotically stable (½ẋ² + ½k x² is continuous and falls)
// Sources: Nocedal & Wright, Numerical Optimization, 2nd ed., theorem 12.6; Leine & van de Wouw, Stability and Convergence
// of Mechanical Systems with Unilateral Constraints, Springer 2008, ch. 5.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/linearize.h"
#include "dalembert/analyze/stability_verdict.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct OneSided {
  std::vector<std::string> guards;          ///< that are 0 here, as text
  std::optional<LinearMotion> linear = {};  ///< of the pieces, where these agree: nothing else is said then
  /// Those of a piece, where all pieces have others than the equations at the limit itself.
  std::shared_ptr<const EquationDerivatives> derivatives = {};
  std::optional<StabilityVerdict> verdict;  ///< nothing where none of the above decides
  std::string because;                      ///< what decides, or why nothing does
};

/// Nothing where no guard is 0 at the point, or those that are are velocities whose pieces agree: |v|v.
std::optional<OneSided> judge_one_sided(const SteadySystem& system, const Equations& equations,
                                        const LinearMotion& motion);

}  // namespace dalembert

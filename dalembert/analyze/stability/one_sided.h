// SPDX-License-Identifier: Apache-2.0
// Stability where the equations have no derivative: at a kink or a jump of a condition, abs, sign, min, max, floor.
//
// The guards that are 0 at the point (dynamics/switching.h) divide its neighbourhood into pieces, one for each choice
// of their signs s:  s_k g_k(x) > 0. Each piece has smooth equations of its own. Only these cases are decided:
//   the pieces agree to first order                        their linearisation decides, whatever holds at the limit itself;
//                                                          a family, only where the equations along it are the same everywhere;
//                                                          a conserved energy, only where it is continuous
//   a piece accelerates from rest into itself              unstable
//   an eigenvector of a real eigenvalue > 0 lies inside    unstable: half of that piece's unstable manifold lies inside too
//   one coordinate, energy conserved                       the first derivative of V that is not 0 decides, on each side
//   no force at all along a free coordinate, into a piece  unstable: it drifts off at constant speed
//   energy conserved, V has a minimum in every piece:      stable (Lagrange and Dirichlet need no derivative)
//     ∇V = Wᵀλ + Σ μ_k s_k ∇g_k with μ ≥ 0, and the Hessian of V − λ·h − Σ μ_k s_k g_k is positive for the d with
//     W d = 0 and ∇g_k·d = 0 for all k with μ_k > 0
//   one freedom, in each piece ẍ = −k x − c ẋ, k, c > 0    asymptotically stable (½ẋ² + ½k x² is continuous and falls,
//     and the pieces are separated by positions alone      where x = 0 is all that separates them)
// Sources: Nocedal & Wright, Numerical Optimization, 2nd ed., theorem 12.6; Leine & van de Wouw, Stability and Convergence
// of Mechanical Systems with Unilateral Constraints, Springer 2008, ch. 5.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/sides.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct OneSided {
  std::vector<std::string> guards;          ///< guards that are 0 at the point, as text
  std::optional<LinearMotion> linear = {};  ///< linearisation of the pieces, where they agree; then no verdict
  /// The derivatives of a piece, where those of all pieces differ from those of the equations at the limit itself.
  std::shared_ptr<const EquationDerivatives> derivatives = {};
  std::shared_ptr<const Sides> sides = {};  ///< with `linear`: the pieces that meet here
  bool differentiable =
      false;  ///< the pieces agree to first order, with the equations at the limit as well, but the linearisation does not decide
  std::optional<StabilityVerdict> verdict;  ///< no value where none of the cases in the file's header applies
  std::string because;                      ///< reason for the verdict, or why there is none
};

/// No value where no guard is 0 at the point.
std::optional<OneSided> judge_one_sided(const SteadySystem& system, const Equations& equations,
                                        const LinearMotion& motion);

}  // namespace dalembert

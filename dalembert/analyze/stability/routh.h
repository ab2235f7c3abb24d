// SPDX-License-Identifier: Apache-2.0
// Stability of steady motions by conserved quantities (Routh, Lyapunov): where the energy, among all states near it with the same momenta, is least or
// greatest at a steady motion, except along cyclic coordinates, the motion is stable.
//
//   ∇(E − Σ c_k p_k − μ·h − ν·ḣ) = 0 at the motion, and the second variation of that function is definite on the changes of state that keep h, ḣ and
//   all p_k, apart from one direction for each cyclic coordinate
//
// Source: Leine & van de Wouw, Stability and Convergence of Mechanical Systems with Unilateral Constraints, Springer 2008, ch. 5.
#pragma once

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// For a conservative system with holonomic constraints whose velocities are rates of coordinates; false where it is none, or too large.
bool is_stable_by_momenta(const SteadySystem& system, const Equations& equations, const LinearMotion& motion);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Stability as formulas, for up to four states: the Jacobian J of the flow, its characteristic polynomial and the conditions
// of Routh and Hurwitz under which all its roots have negative real parts.
//
//   det(s − J) = sⁿ + a₁ sⁿ⁻¹ + … + aₙ,   (−1)ᵏ aₖ = Σ of the principal minors of size k
//
// Source: F. R. Gantmacher, The Theory of Matrices, vol. 2, Chelsea 1959, ch. XV.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

inline constexpr std::size_t kMostFormulaStates = 4;

/// The formulas at the point of a linearisation. Coordinates that are 0 or a multiple of π/2 there, and velocities that
/// are 0 (at an equilibrium all), are put in; other values and parameters stay symbols. For systems without
/// constraints, in q̇ or in other velocities, whose accelerations have a closed form.
StabilityFormulas derive_stability(const Equations& equations, const LinearMotion& motion);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The kernel functions that solve the KKT system themselves (dynamics/kernel.h), as tapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dalembert/derive/equations.h"
#include "dalembert/tape/tape.h"
#include "dalembert/tape/tape_jacobian.h"

namespace dalembert {

/// What tapes are for: derivatives have tapes of their own.
enum class KktUse : std::uint8_t { kEvaluate, kDifferentiate };

/// Tapes in single-assignment form, like those of flatten().
struct KktTapes {
  Tape accelerations;
  Tape position_step = {}, velocity_step = {};  ///< with kEvaluate
  /// With kDifferentiate: x = (v̇, λ) as x + K⁻¹ r(y, x), with r = 0 the residual of K x = (f, γ). Its derivative K⁻¹ ∂r/∂y contains none of the factors of K, so that
  /// it takes 0 to 60 % fewer instructions than that of `accelerations`.
  Tape by_residuals = {};
  /// With kDifferentiate: x and λ of ⎡M −Wᵀ; −W −D⎤ (x, λ) = (b, c), and two trust numbers, with b and c in the places of v̇ and λ among the arguments; W are the holonomic
  /// rows, or all. The steps onto the constraints are x for b = 0 and the residual c; the matrix is symmetric, so λ for c = 0 is what they transpose.
  Tape position_solution = {}, velocity_solution = {};
  std::size_t operations_as_derived = 0;  ///< operations of `accelerations` for the equations as derive() gives them
};

/// Empty where no order of elimination works for every state (a coordinate without mass that no row gives alone, an empty row), or where the
/// factors are so full that a loop over a dense matrix is faster than instructions.
std::optional<KktTapes> make_kkt_tapes(const Equations& equations, KktUse use = KktUse::kEvaluate);

/// How make_jacobian() differentiates KktTapes::by_residuals: nv rows of v̇, then m of λ. These numbers and the two trust numbers are the values that may follow.
JacobianRows rows_by_residuals(std::size_t nv, std::size_t m, bool with_values);

/// Whether make_kkt_tapes() gives tapes, found without making them. Meant for systems of more than 100 velocities and
/// rows, whose equations make_kkt_tapes() does not simplify first.
bool has_kkt_tapes(const Equations& equations);

}  // namespace dalembert

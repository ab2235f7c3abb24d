// SPDX-License-Identifier: Apache-2.0
// Bounds of the accelerations and multipliers at a point. Inside analyze only.
#pragma once

#include <functional>
#include <optional>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// The symbols that the equations determine at a state: q̈ of all but prescribed coordinates, λ, and the actuations of
/// the prescribed ones.
std::vector<SymbolId> unknowns_of_motion(const Equations& equations);

/// The point with bounds of q̈ and λ. An approximate inverse R of the KKT matrix K with ‖I − RK‖ < 1 proves that K is
/// regular, and bounds the error of the solution (Rump, Verification methods, Acta Numerica 19 (2010) §10). No value
/// where that fails: the motion may not be unique there. O((N+m)³). For a prescribed coordinate α, the point or its
/// conditions must give α̈, and the actuation F_α is one of the unknowns:
///
///   M q̈ − Wᵀλ − Σ e_α F_α = F − B − G,   W q̈ = −γ,   q̈_α = α̈
std::optional<EnclosedPoint> with_motion(const Equations& equations, const EnclosedPoint& point);

struct MotionComparison {
  int points = 0;  ///< number of random states at which the motion is certainly unique
  /// A state where `unknown` (its value a by the KKT system) differs from the claimed formula (its value b).
  std::optional<Difference> difference;
};

/// Compares `claimed` with `unknown` at random states. Both may contain q̈ and λ; `unknown` is mostly a symbol of these.
/// The conditions must not contain symbols of unknowns_of_motion().
MotionComparison compare_motion(const Equations& equations, const Conditions& conditions, const Expr& unknown,
                                const Expr& claimed);

}  // namespace dalembert

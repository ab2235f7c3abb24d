// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers at a point, in bounds. Inside analyze only.
#pragma once

#include <functional>
#include <optional>

#include "dalembert/analyze/compare.h"
#include "dalembert/analyze/conditions.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// What the equations determine at a state: q̈, but for prescribed coordinates, λ, and what the prescribed ones take.
std::vector<SymbolId> unknowns_of_motion(const Equations& equations);

/// The point with (q̈, λ) in bounds besides: an approximate inverse R of the KKT matrix K proves with ‖I − RK‖ < 1 that
/// K is regular, and bounds what the solution is off by (Rump, Verification methods, Acta Numerica 19 (2010) §10).
/// Nothing where that fails: there the motion may not be unique. O((N+m)³). Of a prescribed coordinate α the point has α̈,
/// or its conditions have, and the actuation F_α is one of the unknowns:
///
///   M q̈ − Wᵀλ − Σ e_α F_α = F − B − G,   W q̈ = −γ,   q̈_α = α̈
std::optional<EnclosedPoint> with_motion(const Equations& equations, const EnclosedPoint& point);

struct MotionComparison {
  int points = 0;                        ///< random states at which the motion is certainly unique
  std::optional<Difference> difference;  ///< a: what the KKT system gives for the unknown, b: what is claimed
};

/// Holds `claimed`, which may contain q̈ and λ, against `unknown`, one of their symbols, at random states. The
/// conditions must not be about what the equations determine.
MotionComparison compare_motion(const Equations& equations, const Conditions& conditions, const Expr& unknown,
                                const Expr& claimed);

}  // namespace dalembert

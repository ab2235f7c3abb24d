// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers as formulas, for systems small enough that the formulas are worth reading.
//
//   ⎡ M  −Wᵀ ⎤ ⎡ q̈ ⎤   ⎡ F − B − G ⎤
//   ⎣ W   0  ⎦ ⎣ λ ⎦ = ⎣    −γ     ⎦        by elimination on expressions, every entry kept in lowest terms
#pragma once

#include <optional>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct ClosedForm {
  std::vector<Expr> qdd;     ///< N
  std::vector<Expr> lambda;  ///< m
};

/// The limit for a closed form that somebody asked for.
inline constexpr int kAskedCost = 2000;

/// Nothing when the system is singular as a matrix of formulas (redundant rows, singular M), or too large: an entry
/// grew beyond `max_cost` (algebra/gather.h) on the way.
std::optional<ClosedForm> solve_closed_form(const Equations& equations, int max_cost = kAskedCost);

}  // namespace dalembert

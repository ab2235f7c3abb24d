// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers as formulas, for systems small enough that the formulas are worth reading.
//
//   ⎡ M  −Wᵀ ⎤ ⎡ q̈ ⎤   ⎡ F − B − G ⎤
//   ⎣ W   0  ⎦ ⎣ λ ⎦ = ⎣    −γ     ⎦        by elimination on expressions, every entry kept in lowest terms
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct ClosedForm {
  std::shared_ptr<Graph> graph;  ///< of the formulas: an overlay of that of the equations (expr.h)
  std::vector<Expr> qdd;         ///< N
  std::vector<Expr> lambda;      ///< m
  std::vector<Expr> actuation;   ///< of each prescribed coordinate; their q̈ stand for themselves in everything
};

/// The limit for a closed form that somebody asked for.
inline constexpr int kAskedCost = 2000;

enum class NoClosedForm {
  kTooLarge,  ///< an entry grew beyond the cost (algebra/gather.h) on the way
  kSingular,  ///< as a matrix of formulas: rows that follow from others, a motion without inertia
  kFriction,  ///< forces that depend on multipliers: the system is not symmetric
  kNoPivot,   ///< what is left has no entry on the diagonal: a coordinate without inertia of its own
};
/// "the system is singular …": what is after "no closed form:".
std::string_view to_text(NoClosedForm why);

/// Nothing where there is none; then `why`, when given, says why.
std::optional<ClosedForm> solve_closed_form(const Equations& equations, int max_cost = kAskedCost,
                                            NoClosedForm* why = nullptr);
/// The same, built in the graph of the equations.
std::optional<ClosedForm> build_closed_form(const Equations& equations, int max_cost = kAskedCost,
                                            NoClosedForm* why = nullptr);

}  // namespace dalembert

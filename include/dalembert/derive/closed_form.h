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
  std::shared_ptr<Graph> graph;  ///< graph of the formulas: an overlay of the graph of the equations (expr.h)
  std::vector<Expr> qdd;         ///< q̈ of each of the N coordinates
  std::vector<Expr> lambda;      ///< λ of each of the m constraint rows
  std::vector<Expr> actuation;   ///< force at each prescribed coordinate, whose q̈ remains a symbol in all formulas
};

/// The largest cost of a formula (algebra/gather.h) in a closed form that the user asked for.
inline constexpr int kAskedCost = 2000;

enum class NoClosedForm {
  kTooLarge,  ///< an entry exceeded the largest cost (algebra/gather.h) during the elimination
  kSingular,  ///< the matrix of formulas is singular: redundant rows, or a motion without inertia
  kFriction,  ///< friction, or forces that depend on multipliers: the matrix is not symmetric
  kNoPivot,   ///< no entry is left on the diagonal: a coordinate without inertia of its own
};
/// The reason as text, to follow "no closed form: ": "the system is singular …".
std::string_view to_text(NoClosedForm why);

/// Accelerations and multipliers as formulas of cost `max_cost` at most (algebra/gather.h). No value where there is no
/// closed form; the reason is then written to `why`, if given.
std::optional<ClosedForm> solve_closed_form(const Equations& equations, int max_cost = kAskedCost,
                                            NoClosedForm* why = nullptr);
/// The same closed form, built in the graph of the equations.
std::optional<ClosedForm> build_closed_form(const Equations& equations, int max_cost = kAskedCost,
                                            NoClosedForm* why = nullptr);

}  // namespace dalembert

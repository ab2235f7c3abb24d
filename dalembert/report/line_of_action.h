// SPDX-License-Identifier: Apache-2.0
// Constraints that are distances without saying so: r - L, sqrt(x^2 + y^2) - L.
#pragma once

#include <optional>
#include <string>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// The two points along whose line the force of a holonomic row acts, and its sign.
struct LineOfAction {
  std::string from, to;  ///< names with quotes, or "the origin"
  bool pushes = true;    ///< λ > 0 pushes the points apart; else it pulls them together
};

/// Whether h of row `row` is ± the distance d of two points but for a constant: ∂h/∂q_i = ±∂d/∂q_i, by the zero test. The points are those of the
/// model, the centres of its bodies and the origin, up to 12 in all. Nothing where that is not proved, or the sign is not known.
std::optional<LineOfAction> find_line_of_action(const Equations& equations, int row);

}  // namespace dalembert

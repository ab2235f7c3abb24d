// SPDX-License-Identifier: Apache-2.0
// Chooses quasi-velocities v where the model states none: those in which S of q̇ = S v + s₀ prints shortest.
#pragma once

#include <memory>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/derive/short_forms.h"

namespace dalembert {

/// A choice: nv rows of N coefficients (null: 0) that complete the independent rows of W to a regular matrix.
struct VelocityChoice {
  std::vector<std::vector<Expr>> Y;
  int cost = 0;  ///< cost of S and Y as printed (algebra/gather.h); a division by a function of the state costs much
};

/// The best choices, in ascending order of cost. Candidates are rates of coordinates and, for every two entries of a
/// Pfaffian row of W, the direction that they leave free: (cos θ, sin θ) for (−sin θ, cos θ). A single column of S may
/// be cleared of a denominator. Not empty where anything can move.
/// `rows`: the independent rows of W; `most_tried`: largest number of terms of all formulas on the way; `shortened`: cache
/// of formulas, made with the same `max_cost`.
std::vector<VelocityChoice> choose_quasi_velocities(const Equations& equations, const std::vector<int>& rows,
                                                    int max_cost, std::size_t most_tried,
                                                    const std::shared_ptr<Shortened>& shortened);

}  // namespace dalembert

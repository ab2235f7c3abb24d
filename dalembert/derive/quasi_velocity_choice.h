// SPDX-License-Identifier: Apache-2.0
// Quasi-velocities for people, where the model states none: those in which S prints shortest.
#pragma once

#include <memory>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/derive/short_forms.h"

namespace dalembert {

/// nv rows of N coefficients (null: 0) that complete the independent rows of W.
struct VelocityChoice {
  std::vector<std::vector<Expr>> Y;
  int cost = 0;  ///< of S and Y as printed; dividing by a function of the state is dear
};

/// The best ones, by what S costs. Candidates are rates of coordinates and, beside each two entries of a row of W, the
/// direction that they leave free: (cos θ, sin θ) beside (−sin θ, cos θ). A single column of S may be cleared of a
/// denominator.
/// `rows`: the independent ones of W; `most_tried`: terms of all formulas on the way; `shortened`: with the same `max_cost`.
/// Not empty where anything can move.
std::vector<VelocityChoice> choose_quasi_velocities(const Equations& equations, const std::vector<int>& rows,
                                                    int max_cost, std::size_t most_tried,
                                                    const std::shared_ptr<Shortened>& shortened);

}  // namespace dalembert

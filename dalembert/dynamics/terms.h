// SPDX-License-Identifier: Apache-2.0
// Every term of the equations as numbers, at one state.
#pragma once

#include <string>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"

namespace dalembert {

struct Terms {
  std::vector<double> M;         ///< the entries of Layout::M
  std::vector<double> B, G, F;   ///< nv
  std::vector<double> W;         ///< the entries of Layout::W
  std::vector<double> a, gamma;  ///< m
  Energy energy;
  KktSolution solution;         ///< q̈, λ; its status says whether they mean anything
  std::vector<double> outputs;  ///< NaN where they need q̈ or λ and there are none

  bool has_motion() const { return solution.status == KktStatus::kOk; }
};

Terms evaluate_terms(const Dynamics& dynamics, const State& state);

/// Names of the entries that are NaN or infinite: "B[theta]".
std::vector<std::string> not_finite(const Dynamics& dynamics, const Terms& terms);

/// Why accelerations do not exist where M is singular on the motions that W allows: the coordinates that have no
/// inertia, by name, or that some motion has none.
std::string explain_no_inertia(const Dynamics& dynamics, const Terms& terms);

/// Rows of W that follow from the rows before them, in the order of the model. Time O(m² n).
std::vector<int> dependent_rows(const Dynamics& dynamics, const State& state);
/// The row at which W reaches the rank of all coordinates; −1 where freedoms are left, or above 1,000 rows.
int last_freedom_row(const Dynamics& dynamics, const State& state);

}  // namespace dalembert

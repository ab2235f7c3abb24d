// SPDX-License-Identifier: Apache-2.0
// All terms of the equations of motion, evaluated at one state.
#pragma once

#include <string>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"

namespace dalembert {

struct Terms {
  std::vector<double> M;         ///< the entries of Layout::M
  std::vector<double> B, G, F;   ///< nv numbers each
  std::vector<double> W;         ///< the entries of Layout::W
  std::vector<double> a, gamma;  ///< m numbers each
  Energy energy;
  KktSolution solution;         ///< q̈ and λ; valid only if its status is kOk
  std::vector<double> outputs;  ///< NaN for an output that needs q̈ or λ if these do not exist

  bool has_motion() const { return solution.status == KktStatus::kOk; }
};

Terms evaluate_terms(const Dynamics& dynamics, const State& state);

/// Names of the entries that are NaN or infinite, such as "B[theta]".
std::vector<std::string> not_finite(const Dynamics& dynamics, const Terms& terms);

/// Explains why accelerations do not exist where M is not positive definite on the motions that W allows: names the negative entries M_ii or the
/// coordinates without inertia or, if there are none, says that some motion has no inertia, or a negative one.
std::string explain_no_inertia(const Dynamics& dynamics, const Terms& terms);
/// Names the coordinates without inertia that no constraint and no friction determines: with them no accelerations exist, whatever the frictions do. Where
/// there are none, names those that frictions alone determine, which they do only while they stick. Empty if there are none of these either.
std::string explain_undetermined(const Dynamics& dynamics, const Terms& terms);

/// Rows of W that are linear combinations of earlier rows, in the order of the model. O(m² n).
std::vector<int> dependent_rows(const Dynamics& dynamics, const State& state);
/// The row at which the rank of W reaches nv, so that no freedom is left; −1 where freedoms
/// are left, or above 1,000 rows.
int last_freedom_row(const Dynamics& dynamics, const State& state);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Every term of the equations as numbers, at one state.
#pragma once

#include <vector>

#include "apps/dalembert/system.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"

namespace dalembert::app {

struct Terms {
  std::vector<double> M;         ///< the entries of Layout::M
  std::vector<double> B, G, F;   ///< N
  std::vector<double> W;         ///< the entries of Layout::W
  std::vector<double> a, gamma;  ///< m
  Energy energy;
  KktSolution solution;         ///< q̈, λ; its status says whether they mean anything
  std::vector<double> outputs;  ///< NaN where they need q̈ or λ and there are none

  bool has_motion() const { return solution.status == KktStatus::kOk; }
};

Terms evaluate_terms(const System& system, const State& state);

/// Names of the entries that are NaN or infinite: "B[theta]".
/// Why accelerations do not exist where M is singular on the motions that W allows: the coordinates that have no
/// inertia, by name, or that some motion has none.
std::string explain_no_inertia(const System& system, const State& state);
/// W0104 where the kinetic energy of one coordinate alone is negative.
Diagnostics inertia_warnings(const System& system, const State& state);

std::vector<std::string> not_finite(const System& system, const Terms& terms);

}  // namespace dalembert::app

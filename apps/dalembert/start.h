// SPDX-License-Identifier: Apache-2.0
// The consistent start that check, assemble and simulate speak of.
#pragma once

#include <string>

#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/report/run_json.h"

namespace dalembert::app {

struct Start {
  InitialState initial;  ///< as the model says
  Assembly assembly;

  int rank() const { return assembly.rank; }  ///< Assembly::kUnknownRank where that is too large to be told
  int freedoms() const { return static_cast<int>(assembly.state.v.size()) - assembly.rank; }
};

/// E0506 where a spline that constraints and energies may contain has no samples between two times.
void require_samples(const System& system, double from, double to);

/// W0104 where the kinetic energy of one coordinate alone is negative, unless the model was warned of already.
Diagnostics inertia_warnings(const System& system, const State& state);

/// Assembles from the model's initial values.
Start find_start(const System& system);

/// E0301, E0302 or E0303 with the constraint and the held values marked in the model file. For a start that failed.
Diagnostic explain_start(const System& system, const Start& start);

/// 1 where the prescribed coordinates are wrong, 3 where no start was found.
int exit_code_of_start(const Diagnostic& failure);
/// E0321 when a prescribed coordinate is determined already at the start, by the constraints and those prescribed before
/// it: then its actuation is not determined.
Diagnostics overdetermined(const System& system, const Start& start);

/// W0205 when rows of W depend on each other at the start: which, and which multipliers are not unique.
/// Which constraint takes the last freedom, where none is left: "nothing can move: `extra` takes the last freedom".
std::string why_nothing_moves(const System& system, const Start& start);
Diagnostics redundancy_warnings(const System& system, const Start& start);

/// "held  theta = 1.0472 rad …", "moved  phi by …": lines for people.
std::string describe_start(const System& system, const Start& start);

/// "3 velocities - rank 2 = 1 freedom"
std::string describe_freedoms(const System& system, const Start& start);
/// null when unknown
Json freedoms_json(const System& system, const Start& start);
/// {"q": [names], "qd": [names]}
Json held_json(const System& system, const Start& start);

}  // namespace dalembert::app

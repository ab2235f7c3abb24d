// SPDX-License-Identifier: Apache-2.0
// The consistent start of a model, and what is wrong or doubtful about it.
#pragma once

#include <optional>
#include <string>

#include "dalembert/analyze/redundancy.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct ModelStart {
  InitialState initial;  ///< as the model says
  Assembly assembly;
  /// Of W there, for small systems (kSmallSystem) that were assembled: rows that differ hardly count as well, other than for
  /// the solver, whose rank assembly.rank is.
  std::optional<ConstraintRank> decided = {};

  int rank() const { return decided ? decided->rank : assembly.rank; }  ///< Assembly::kUnknownRank where too large
  int freedoms() const { return static_cast<int>(assembly.state.v.size()) - rank(); }
};

/// W0104 where the kinetic energy of one coordinate alone is negative, unless the model was warned of already.
Diagnostics inertia_warnings(const BuiltModel& system, const State& state);

/// Assembles from the model's initial values; whether there is such a state, the assembly says. E0506 where a spline has no
/// samples at that time.
Result<ModelStart> find_model_start(const BuiltModel& system);

/// E0301, E0302, E0303 or E0321 with the constraint and the held values marked in the model. For a start that failed.
Diagnostic explain_start(const BuiltModel& system, const ModelStart& start);

/// E0321 when a prescribed coordinate is determined already at the start, by the constraints and those prescribed before
/// it: then its actuation is not determined.
Diagnostics overdetermined(const BuiltModel& system, const ModelStart& start);

/// Which constraint takes the last freedom, where none is left: "nothing can move: `extra` takes the last freedom".
std::string why_nothing_moves(const BuiltModel& system, const ModelStart& start);
/// W0205 when rows of W depend on each other at the start: which, and which multipliers are not unique.
Diagnostics redundancy_warnings(const BuiltModel& system, const ModelStart& start);

/// W0209 of rows that are nearly dependent.
Diagnostics near_redundancy_warnings(const BuiltModel& system, const ModelStart& start);

/// "3 velocities - rank 2 = 1 freedom"
std::string describe_freedoms(const BuiltModel& system, const ModelStart& start);
/// null when unknown
Json freedoms_json(const BuiltModel& system, const ModelStart& start);
/// {"q": [names], "qd": [names]}
Json held_json(const BuiltModel& system, const ModelStart& start);

}  // namespace dalembert

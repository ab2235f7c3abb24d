// SPDX-License-Identifier: Apache-2.0
// The consistent start of a model, with its errors and warnings.
#pragma once

#include <optional>
#include <string>

#include "dalembert/analyze/redundancy.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct ModelStart {
  InitialState initial;  ///< initial values as stated in the model
  Assembly assembly;
  /// Rank of W at the assembled start, for systems of at most kSmallSystem velocities and rows. It counts nearly
  /// dependent rows as independent; the solver does not: its rank is assembly.rank.
  std::optional<ConstraintRank> decided = {};

  int rank() const { return decided ? decided->rank : assembly.rank; }  ///< kUnknownRank if the system is too large
  int freedoms() const { return static_cast<int>(assembly.state.v.size()) - rank(); }
};

/// W0104 if the kinetic energy is negative for one coordinate moving alone, unless the model has this warning already.
Diagnostics inertia_warnings(const BuiltModel& system, const State& state);

/// Assembles from the model's initial values; `assembly` says whether a consistent state was found. Errors: E0506 if a
/// spline has no samples at the start time.
Result<ModelStart> find_model_start(const BuiltModel& system);

/// E0301, E0302, E0303 or E0321 for a start that failed, with the constraint and the held values marked in the model.
Diagnostic explain_start(const BuiltModel& system, const ModelStart& start);

/// E0321 if the constraints and the coordinates prescribed earlier already determine a prescribed coordinate at the
/// start: its actuation is not unique then.
Diagnostics overdetermined(const BuiltModel& system, const ModelStart& start);

/// Names the constraint that takes the last freedom: "nothing can move: `extra` takes the last freedom".
std::string why_nothing_moves(const BuiltModel& system, const ModelStart& start);
/// W0205 if rows of W are dependent at the start, with these rows and the multipliers that are not unique.
Diagnostics redundancy_warnings(const BuiltModel& system, const ModelStart& start);

/// W0209 for rows that are nearly dependent.
Diagnostics near_redundancy_warnings(const BuiltModel& system, const ModelStart& start);

/// The freedoms as text, such as "3 velocities - rank 2 = 1 freedom".
std::string describe_freedoms(const BuiltModel& system, const ModelStart& start);
/// Number of freedoms; null if unknown.
Json freedoms_json(const BuiltModel& system, const ModelStart& start);
/// The held coordinates and velocities: {"q": [names], "qd": [names]}.
Json held_json(const BuiltModel& system, const ModelStart& start);

}  // namespace dalembert

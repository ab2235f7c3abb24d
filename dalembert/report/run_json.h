// SPDX-License-Identifier: Apache-2.0
// A run, a state and the terms there as JSON: what `dalembert simulate --json` and `eval --json` print. Every row of a run is
// in store/json.h.
#pragma once

#include <vector>

#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/model/model.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// {"status", "reason", "t_end", …, "verdict", "events", "initial", "final"} of a run from `start`; of none where the
/// trajectory has no rows.
Json run_json(const Trajectory& run, const Assembly& start, const Names& names, double compile_seconds);

/// {"model", "t", …, "M", "B", …, "qdd", "lambda", "energy", "residual", "rank", "units", "outputs"}
Json terms_json(const Model& model, const Dynamics& dynamics, const State& state, const Terms& terms);

/// null where the rank, or what is counted by it, is not known
Json rank_json(int rank);
/// Of W without the rows of prescribed coordinates; `rank`: of all rows.
int rank_of_constraints(const Dynamics& dynamics, const State& state, int rank);
/// {"q": {…}, "qd": {…}} of what assembly moved, by how much.
Json moved_json(const Names& names, const Assembly& start);
/// {"position": {row: h}, "velocity": {row: Wq̇ + a}} at a state.
Json residual_json(const Dynamics& dynamics, const State& state);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Runs, states and terms as JSON: the output of `dalembert simulate --json` and `eval --json`. store/json.h writes all
// rows of a run.
#pragma once

#include <vector>

#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/model/model.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// {"status", "reason", "t_end", …, "verdict", "events", "initial", "final"} of a run from `start`. A trajectory
/// without rows has no initial and final values.
Json run_json(const Trajectory& run, const Assembly& start, const Names& names, double compile_seconds);

/// The terms at a state: {"model", "t", …, "M", "B", …, "qdd", "lambda", "energy", "residual", "rank", "units",
/// "outputs"}.
Json terms_json(const Model& model, const Dynamics& dynamics, const State& state, const Terms& terms);

/// A rank, or a number that follows from a rank; null if it is unknown.
Json rank_json(int rank);
/// Rank of W without the rows of prescribed coordinates. `rank`: rank of all rows.
int rank_of_constraints(const Dynamics& dynamics, const State& state, int rank);
/// {"q": {…}, "qd": {…}}: the values that assembly changed, and by how much.
Json moved_json(const Names& names, const Assembly& start);
/// Residuals at a state: {"position": {row: h}, "velocity": {row: Wq̇ + a}}.
Json residual_json(const Dynamics& dynamics, const State& state);

}  // namespace dalembert

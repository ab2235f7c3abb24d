// SPDX-License-Identifier: Apache-2.0
// What the command prints with --json of equations, audits, runs and terms (docs/command-line.md names the members). store/run_files.h writes all rows
// of a run.
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/audit.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/model/model.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// Matrices with more columns are written as lists of entries [row, column, text], indices from 0.
inline constexpr int kMostJsonColumns = 1000;

/// `only`: the wanted parts (equation_parts()); if empty, all parts except the closed forms "lambda" and "qdd".
Json equations_json(const Equations& equations, Form form = Form::kCanonical,
                    const std::vector<std::string>& only = {});

Json audit_json(const std::string& model, const AuditReport& report);
/// The verdicts of a comparison of two models as JSON: what `dalembert audit A --against B --json` prints.
Json comparison_json(const std::string& model, const std::string& other, const ModelComparison& comparison);

/// The inequalities that a verdict assumes: "where y != 0 and m1 != m2". Assumed signs are in the verdict's note
/// instead.
std::string describe_conditions(const AuditedClaim& claim);

/// {"status", "reason", "t_end", …, "verdict", "events", "initial", "final"} of a run from `start`. A trajectory
/// without rows has no initial and final values.
Json run_json(const Trajectory& run, const Assembly& start, const Names& names, double compile_seconds);

/// Parts of it: "verdict", and "events" as a list.
Json verdict_json(const Verdict& verdict);
Json events_json(const Trajectory& run);

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

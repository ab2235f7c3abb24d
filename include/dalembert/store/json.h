// SPDX-License-Identifier: Apache-2.0
// Runs as JSON: {"series": {"time": [..], "q/theta": [..], …}, "units": {"q/theta": "rad", …}, "meta": {…}}.
#pragma once

#include <iosfwd>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/table.h"

namespace dalembert {

class JsonWriter;  // json_writer.h

/// Writes one value: {"holds", "max_position_residual", "max_velocity_residual", "energy_drift", "power_balance_error",
///  "conserved": [{"name", "drift"}], "min_rank", "warnings": [], "reasons": [], "error": null or {"estimate",
///  "relative", "method", "worst", "q": {..}, "qd": {..}, "lost_at"}}.
void write_verdict(const Verdict& verdict, JsonWriter& json);
/// Writes members into an object that the caller has begun: "model", "status", "reason", "t_end", "steps", "rejected",
/// "evaluations", "wall_seconds", "verdict".
void write_run(const Trajectory& trajectory, JsonWriter& json);
/// Writes one output row as a value: {"t", "q": {..}, "qd": {..}, "qdd": {..}, "lambda": {..}, "outputs": {..}}.
void write_row(const Trajectory& trajectory, std::size_t row, JsonWriter& json);

void write_json(const Trajectory& trajectory, std::ostream& out);
/// Writes the run to a file. Returns nothing on success, else E0501.
Diagnostics write_json(const Trajectory& trajectory, const std::string& path);

/// Reads the series of a file that write_json() wrote; null becomes NaN. Errors: E0502 with the position.
Result<Table> read_json(const std::string& path);
Result<Table> parse_json(const SourcePtr& source);

}  // namespace dalembert

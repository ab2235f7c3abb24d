// SPDX-License-Identifier: Apache-2.0
// Runs in files.
//
// CSV: a header row of series names, `time` first, then one line for each output row.
// Numbers have the shortest form that reads back as the same double. Names are quoted as in RFC 4180 where needed.
//
// JSON: {"series": {"time": [..], "q/theta": [..], …}, "units": {"q/theta": "rad", …}, "meta": {…}}.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

struct Trajectory;

struct Table {
  std::vector<std::string> names;            ///< "time", "q/theta", …
  std::vector<std::vector<double>> columns;  ///< [name][row]; NaN where the file has no value
  std::vector<std::string> units = {};       ///< [name], SI; empty if unknown. The vector is empty without units

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  /// The series with this full or short name (integrate/trajectory.h, find_series); empty if there is none.
  std::span<const double> series(std::string_view name) const;
};

Table to_table(const Trajectory& trajectory);

/// Append the header row, or the rows [begin, end), to `text`. Time: 16 to 40 ns per number.
void append_csv_header(std::span<const Trajectory::Column> columns, std::string& text);
void append_csv_rows(std::span<const Trajectory::Column> columns, std::size_t begin, std::size_t end,
                     std::string& text);

/// Writes to a stream; the caller checks the state of the stream.
void write_csv(const Trajectory& trajectory, std::ostream& out);
/// Writes to a file. The text goes to a temporary file beside it, renamed at the end, so that `path` never holds a
/// half-written file. Returns nothing on success, else E0501.
Diagnostics write_csv(const Trajectory& trajectory, const std::string& path);

/// Reads a run. Errors: E0502 at the line and field that cannot be read.
Result<Table> read_csv(const std::string& path);
Result<Table> parse_csv(const SourcePtr& source);

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

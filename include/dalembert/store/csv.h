// SPDX-License-Identifier: Apache-2.0
// Runs as comma-separated values: a header row of series names, `time` first, then one line for each output row.
// Numbers have the shortest form that reads back as the same double. Names are quoted as in RFC 4180 where needed.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/table.h"

namespace dalembert {

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

}  // namespace dalembert

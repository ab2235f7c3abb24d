// SPDX-License-Identifier: Apache-2.0
// Runs as comma-separated values: one header row of series names, `time` first, then one line for each output row.
// Numbers are written in the shortest form that reads back as the same double. RFC 4180 quoting, for names that need
// it.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/table.h"

namespace dalembert {

/// The header row, and rows [begin, end), at the end of `text`: 16 to 40 ns a number.
void append_csv_header(std::span<const Trajectory::Column> columns, std::string& text);
void append_csv_rows(std::span<const Trajectory::Column> columns, std::size_t begin, std::size_t end,
                     std::string& text);

/// To a stream; the caller looks at its state.
void write_csv(const Trajectory& trajectory, std::ostream& out);
/// To a file, through a temporary beside it that is renamed at the end: no half-written file is found under `path`.
/// Empty when done, else E0501.
Diagnostics write_csv(const Trajectory& trajectory, const std::string& path);

/// E0502, at the line and field that cannot be read.
Result<Table> read_csv(const std::string& path);
Result<Table> parse_csv(const SourcePtr& source);

}  // namespace dalembert

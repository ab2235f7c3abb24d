// SPDX-License-Identifier: Apache-2.0
// Where a run is written, decided before it begins so that a long run is not lost to a wrong path.
#pragma once

#include <optional>
#include <string>

#include "apps/dalembert/arguments.h"
#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/partial_run.h"

namespace dalembert::app {

enum class RunFormat { kCsv, kJson };

struct RunOutput {
  std::string path;  ///< "-" is standard output
  RunFormat format = RunFormat::kCsv;
  bool to_standard_output() const { return path == "-"; }
};

/// What --output says. Throws Failure: exit 2 for a suffix that is not known (E0403) or not there yet (E0407), exit 5
/// when the folder does not exist or cannot be written to (E0501).
std::optional<RunOutput> choose_output(const Arguments& arguments);

/// Where an interrupted run without --output goes: NAME.partial.csv here, or the next free NAME.partial-2.csv.
RunOutput partial_output(const std::string& model);

/// Where an interrupted run with --output goes: there, but what is there already stays: beside RUN.csv RUN.partial.csv, or the next
/// free RUN.partial-2.csv.
RunOutput partial_output(const RunOutput& output);

/// Whether the rows of a run can be kept beside its output while it runs: that is a file, and no device.
bool has_partial_file(const RunOutput& output);

/// Writes a run to a file; `partial` holds its first rows, or is null. Empty when done, else E0501.
Diagnostics write_run_file(const Trajectory& trajectory, const RunOutput& output, PartialRun* partial);

}  // namespace dalembert::app

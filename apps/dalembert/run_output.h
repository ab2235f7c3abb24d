// SPDX-License-Identifier: Apache-2.0
// The output file of a run, chosen before the run so that a wrong path does not cost a long run.
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
  std::string path;  ///< path of the file; "-" is standard output
  RunFormat format = RunFormat::kCsv;
  bool to_standard_output() const { return path == "-"; }
};

/// Reads --output. Throws Failure: exit 2 for a suffix that is unknown (E0403) or not supported yet (E0407), exit 5 if
/// the folder does not exist or is not writable (E0501).
std::optional<RunOutput> choose_output(const Arguments& arguments);

/// The output of an interrupted run without --output: NAME.partial.csv in the working folder, or the next free
/// NAME.partial-2.csv.
RunOutput partial_output(const std::string& model);

/// The output of an interrupted run with --output. An existing file is kept; the run goes to RUN.partial.csv beside it
/// then, or to the next free RUN.partial-2.csv.
RunOutput partial_output(const RunOutput& output);

/// Whether rows can be saved beside the output during the run: the output is a regular file or does not exist yet.
bool has_partial_file(const RunOutput& output);

/// Writes a run to a file. `partial` holds its first rows, or is null. Returns nothing on success, else E0501.
Diagnostics write_run_file(const Trajectory& trajectory, const RunOutput& output, PartialRun* partial);

}  // namespace dalembert::app

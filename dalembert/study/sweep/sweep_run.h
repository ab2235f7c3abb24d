// SPDX-License-Identifier: Apache-2.0
// Makes the runs of a study by several threads, into a file or into memory.
//
// Into a file: while runs are made, FILE.parts holds a file of rows for each thread, in ascending order of index. What is in them
// is not made again by a later call with the same study. At the end they become FILE and FILE.log together, rows in order of index.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/study/sweep.h"
#include "dalembert/study/sweep/crew.h"
#include "dalembert/study/sweep/study_head.h"
#include "dalembert/study/sweep/sweep_count.h"

namespace dalembert {

struct SweepJob {
  int threads = 0;  ///< 0: one for each processor of this process
  /// Called by the calling thread about ten times a second; if it returns false, the runs that are being made are given up.
  std::function<bool(const SweepCount&)> progress = {};
  std::int64_t shard = 1, shards = 1;  ///< makes runs (shard − 1) + k·shards, k = 0, 1, …
  sweeping::Crew* crew = nullptr;      ///< other processes that make runs, too
  // The following are of files.
  std::string output = {};
  std::string program = {};  ///< name and version, in FILE.log: rows of another version are not continued
  bool restart = false;      ///< forgets what an earlier call made
};

struct SweepOutcome {
  SweepCount count;
  bool interrupted = false;   ///< progress() returned false before all runs were made
  Diagnostics warnings = {};  ///< of other processes; of a merge, W0329
};

/// Makes the runs that SweepJob::output does not have yet. Errors: E0423 if the output is of another study, or not known to be of this one;
/// E0424 while another process writes it; E0501 if it cannot be written, with what was made so far kept; E0426, E0510 for a NetCDF file.
Result<SweepOutcome> run_sweep(const Sweep& sweep, const SweepJob& job);
/// Makes the runs into `rows`, in order of their index.
SweepOutcome run_sweep(const Sweep& sweep, const SweepJob& job, std::vector<StudyRun>& rows);

/// Joins the outputs of the shards of one study to the output of the whole. Errors: E0425 for files that are not shards of one study, and for runs that
/// none of them or two of them have; E0501, E0502; E0426, E0510 for a NetCDF file. Warning W0329 where no logs say what study the files are of.
Result<SweepOutcome> merge_sweeps(const std::vector<std::string>& files, const std::string& output);

/// What the file of a study says of it.
sweeping::StudyHead study_head(const Sweep& sweep, const SweepJob& job);
/// The name of this machine, in FILE.log.
std::string machine_name();
/// A row of a CSV file, without its line end.
std::string study_row(const StudyRun& run);
/// Writes rows in memory as a sweep writes its file, and a FILE.log without seconds and machines. Errors: those of write_study().
Diagnostics save_study(const std::string& path, const sweeping::StudyHead& head, const std::vector<StudyRun>& rows);

}  // namespace dalembert

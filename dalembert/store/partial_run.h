// SPDX-License-Identifier: Apache-2.0
// Saves the rows of a run while it runs, in PATH.partial beside the output PATH, comma-separated for every output
// format. If the process is killed, the file remains; the next run with the same output keeps it under a different
// name.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/temporary_file.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

/// The rows that an earlier, unfinished run left: `path` is the file to which they were moved.
struct LeftRows {
  std::string path;
  std::size_t rows = 0;
  double until = 0;  ///< time of the last row
};

class PartialRun {
 public:
  /// Starts a new file. If an earlier run left rows, they are kept as STEM.partial.csv (or -2, -3, …). Errors: E0501 if
  /// the file cannot be written, or while another process writes it.
  static Result<std::unique_ptr<PartialRun>> begin(const std::string& output);
  ~PartialRun();
  PartialRun(const PartialRun&) = delete;
  PartialRun& operator=(const PartialRun&) = delete;

  const std::optional<LeftRows>& left() const { return left_; }
  const std::string& path() const { return path_; }

  /// Writes the new rows about once a second, or sooner if there are many. Call it often, always with the same growing
  /// trajectory. Returns true if all rows are written and the trajectory may forget them. After a failed write nothing
  /// more is written, and the run goes on.
  bool add(const Trajectory& trajectory);
  /// Renames the file to `output`. If a write failed and no row was forgotten, writes all rows to `output` instead.
  /// Returns nothing on success, else E0501; the rows written so far stay in the file then.
  Diagnostics become(const std::string& output, const Trajectory& trajectory);
  /// Removes the file, because the output was written in another way or there is none.
  void discard();

 private:
  using Clock = std::chrono::steady_clock;
  PartialRun(std::string path, int descriptor);
  void write_new_rows(const Trajectory& trajectory);

  std::string path_;
  int descriptor_;
  std::optional<TemporaryFile> unused_;  // registers the file for removal, until the first rows are written
  std::optional<LeftRows> left_;
  std::string text_;         // buffer for the text of rows; a member to reuse its memory
  std::size_t written_ = 0;  // number of rows written
  double until_ = 0;         // time of the last row written
  int why_failed_ = 0;
  bool failed_ = false, over_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace dalembert

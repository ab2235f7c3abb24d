// SPDX-License-Identifier: Apache-2.0
// The rows of a run on disk while it runs: PATH.partial beside the output PATH, comma-separated, whatever the output's
// format. A process that is killed leaves it; the next run with the same output finds it and keeps it under a name of
// its own.
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

/// Rows of an earlier run that did not end, where they are now.
struct LeftRows {
  std::string path;
  std::size_t rows = 0;
  double until = 0;  ///< time of the last row
};

class PartialRun {
 public:
  /// Keeps what an earlier run left, if it has rows, as STEM.partial.csv (or -2, -3, …), and begins a new file. E0501
  /// when that cannot be written, or while another process writes it.
  static Result<std::unique_ptr<PartialRun>> begin(const std::string& output);
  ~PartialRun();
  PartialRun(const PartialRun&) = delete;
  PartialRun& operator=(const PartialRun&) = delete;

  const std::optional<LeftRows>& left() const { return left_; }
  const std::string& path() const { return path_; }

  /// Writes the rows that are new, about once a second, or when they are many. To be called often, with one growing
  /// trajectory, which may forget its rows when all of them are written: true says so. A write that fails is the last
  /// one; the run goes on.
  bool add(const Trajectory& trajectory);
  /// The file becomes `output`, or another whole copy does where a write had failed and no row was forgotten. Empty
  /// when done, else E0501, and what was written stays here.
  Diagnostics become(const std::string& output, const Trajectory& trajectory);
  /// Removes the file: the output was written in another way, or there is nothing.
  void discard();

 private:
  using Clock = std::chrono::steady_clock;
  PartialRun(std::string path, int descriptor);
  void write_new_rows(const Trajectory& trajectory);

  std::string path_;
  int descriptor_;
  std::optional<TemporaryFile> unused_;  // until there are rows
  std::optional<LeftRows> left_;
  std::string text_;         // kept for its memory
  std::size_t written_ = 0;  // rows of the run
  double until_ = 0;         // the time of the last one
  int why_failed_ = 0;
  bool failed_ = false, over_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace dalembert

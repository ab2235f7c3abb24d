// SPDX-License-Identifier: Apache-2.0
// The rows of a study that is not finished, in the folder OUTPUT.parts: `study` says which study it is, `1.rows`, `2.rows` … hold rows, each with
// its seconds and the machine's name after tabs, in ascending order of index. In `3.mixed` they are in any order, until a later call or the end sorts them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/study/sweep/study_head.h"
#include "dalembert/study/sweep/sweep_count.h"

namespace dalembert::sweeping {

/// The header of the columns in FILE.log.
inline constexpr std::string_view kLogHeader = "index,seconds,machine";

/// Counts a row by its verdict and status.
void count_row(bool holds, std::string_view status, SweepCount& count);

class KeptRows {
 public:
  /// Opens the folder of `output`, or makes it, and locks it. Errors: E0423, E0424, E0501.
  static Result<std::unique_ptr<KeptRows>> open(const std::string& output, const StudyMark& mark,
                                                const std::string& description, std::size_t columns);
  ~KeptRows();
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

  /// Whether a run is kept from an earlier call.
  bool has(std::int64_t index) const { return kept_[static_cast<std::size_t>(index)]; }
  const SweepCount& count() const { return count_; }

  /// A file of rows, which are added in ascending order, or `mixed`, then several of them. Any thread may add, one thread flushes.
  class Writer {
   public:
    /// `next_path` names a new file.
    explicit Writer(std::function<std::string()> next_path, bool mixed);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    void add(std::string_view line);
    /// Writes what was added; the reason if that fails, else an empty text.
    std::string flush();

   private:
    std::mutex mutex_;
    const std::function<std::string()> next_path_;
    const bool mixed_;
    std::string text_;
    int descriptor_ = -1;
    std::size_t written_ = 0;  // in this file, in bytes
  };
  std::unique_ptr<Writer> new_writer(bool mixed = false);

  /// Writes the output and its log from all rows, and removes the folder. Errors: those of write_study().
  Diagnostics finish(const StudyHead& head);
  /// Removes the folder that an earlier call left.
  static void forget(const std::string& output);
  /// The same after a study is finished, for rows of this study alone: a sweep that was killed once its file was there has left them.
  static void forget_left(const std::string& output, const StudyMark& mark, const std::string& description,
                          std::size_t columns);

 private:
  KeptRows(const std::string& output, const StudyMark& mark);
  std::vector<std::string> files_with(std::string_view ending) const;
  /// Makes .rows of .mixed files.
  Diagnostics sort_files();
  Diagnostics read_rows(std::size_t columns);
  Diagnostics join_files();

  std::string output_, folder_;
  int lock_ = -1;
  int next_ = 1;  // number of the next file of rows
  std::vector<bool> kept_;
  SweepCount count_;
};

}  // namespace dalembert::sweeping

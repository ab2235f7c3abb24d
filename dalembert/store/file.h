// SPDX-License-Identifier: Apache-2.0
// Reading and writing whole files, with failures as diagnostics.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/temporary_file.h"

namespace dalembert {

/// Lets `write` fill the file, by way of a temporary file beside it that is renamed at the end. If `path` is not a
/// regular file (/dev/stdout, a pipe), it is written directly. Returns nothing on success, else E0501.
Diagnostics write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
/// The first unused name among STEM+ENDING, STEM-2+ENDING, STEM-3+ENDING, …; a dangling link counts as used. A stem
/// that is too long for a file name is cut.
std::string free_name(const std::string& stem, std::string_view ending);
/// `path` + `ending`, the same at every call. If the name would be too long, it is cut and a hash of the full name is
/// inserted.
std::string name_with_ending(const std::string& path, std::string_view ending);

/// A new, empty temporary file beside `path` that is to become `path`. Unless become_final() succeeds, the destructor
/// removes it; remove_temporary_files() removes it when the process ends early.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& place() const { return place_; }
  /// Why the file could not be created; empty on success. It never opens an existing file and never follows a link.
  const std::string& problem() const { return problem_; }
  /// Renames the file to `path`. Returns an empty text on success, else the reason of the failure.
  std::string become_final();

 private:
  std::string path_, place_, problem_;
  TemporaryFile temporary_;  // registered before the file exists, so that a signal handler can always remove it
  bool made_ = false;
};

/// Reads a file. Errors: E0502 if it cannot be read.
Result<SourcePtr> read_file(const std::string& path);

}  // namespace dalembert

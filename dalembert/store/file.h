// SPDX-License-Identifier: Apache-2.0
// Whole files, with failures as diagnostics.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/temporary_file.h"

namespace dalembert {

/// Lets `write` fill the file, through a temporary beside it that is renamed at the end. Empty when done, else E0501.
/// What is not a regular file (/dev/stdout, a pipe) is written directly.
Diagnostics write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
/// STEM and the ending, or STEM-2, STEM-3, … and the ending: the first name that nothing has, not even a link that leads nowhere. A stem
/// too long for such a name is cut.
std::string free_name(const std::string& stem, std::string_view ending);
/// `path` and the ending, always the same; of a name too long for that its beginning and a hash of it.
std::string name_with_ending(const std::string& path, std::string_view ending);

/// An empty file beside `path`, of a name that was free, which is to become `path`. Where it does not, it is removed: when this goes, and
/// by remove_temporary_files().
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& place() const { return place_; }
  /// Why it could not be made; empty: it was. Never another's file, nor where a link leads.
  const std::string& problem() const { return problem_; }
  /// Gives it its name. Empty, or why that failed.
  std::string become_final();

 private:
  std::string path_, place_, problem_;
  TemporaryFile temporary_;  // registered first, so that no signal finds the file unknown
  bool made_ = false;
};

/// E0502 when it cannot be read.
Result<SourcePtr> read_file(const std::string& path);

}  // namespace dalembert

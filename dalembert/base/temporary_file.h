// SPDX-License-Identifier: Apache-2.0
// Files that are no use before they are complete. They are written under another name, then renamed; a program that is
// ended by a signal in between removes what it had begun.
#pragma once

#include <string>

namespace dalembert {

/// While it lives, `path` is a file that remove_temporary_files() removes. Does not touch the file itself. Paths of
/// 4096 bytes and more, and more than 16 files at once, are not remembered.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

 private:
  int slot_;
};

/// Removes every file of a TemporaryFile that lives. May be called by a signal handler.
void remove_temporary_files();

}  // namespace dalembert

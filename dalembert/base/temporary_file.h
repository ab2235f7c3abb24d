// SPDX-License-Identifier: Apache-2.0
// Registry of unfinished files. A file that is useless before it is complete is written under another name and then renamed. If a signal
// ends the program in between, the signal handler removes the unfinished files.
#pragma once

#include <string>

namespace dalembert {

/// While an object of this class lives, remove_temporary_files() removes the file `path`. The class does not touch the file itself. Paths
/// of 4096 bytes and more, and more than 16 files at once, are not registered.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

 private:
  int slot_;
};

/// Removes the file of every living TemporaryFile. A signal handler may call it.
void remove_temporary_files();

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// A terminal of the test's own: what a command draws on it is kept.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <thread>

namespace dalembert::testing {

class Pseudoterminal {
 public:
  Pseudoterminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    name_ = ptsname(master_);
    held_ = open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // what was drawn is kept while it is open
    reader_ = std::thread([this] {
      char block[4096];
      for (ssize_t count = 0; (count = read(master_, block, sizeof block)) > 0;) {
        const std::lock_guard lock(mutex_);
        drawn_.append(block, static_cast<std::size_t>(count));
      }
    });
  }
  ~Pseudoterminal() {
    close();
    if (master_ >= 0) ::close(master_);
  }
  Pseudoterminal(const Pseudoterminal&) = delete;
  Pseudoterminal& operator=(const Pseudoterminal&) = delete;

  bool there() const { return reader_.joinable(); }
  const std::string& name() const { return name_; }  ///< a file for Setting::standard_error
  /// What has been drawn until now.
  std::string drawn() {
    const std::lock_guard lock(mutex_);
    return drawn_;
  }
  /// After the command has ended: all that it drew.
  std::string close() {
    if (held_ >= 0) ::close(held_);
    held_ = -1;
    if (reader_.joinable()) reader_.join();
    return drawn();
  }

 private:
  int master_, held_ = -1;
  std::string name_, drawn_;
  std::mutex mutex_;
  std::thread reader_;
};

}  // namespace dalembert::testing

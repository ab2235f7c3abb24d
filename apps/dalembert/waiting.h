// SPDX-License-Identifier: Apache-2.0
// A line on standard error while something takes long whose end nobody knows; nothing where standard error is no terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "apps/dalembert/terminal.h"

namespace dalembert::app {

/// While it lives: `what`, and for how many seconds, from the first second on. The thread beside draws and does nothing else.
class Waiting {
 public:
  Waiting(Terminal& terminal, std::string what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void draw();

  Terminal& terminal_;
  std::string what_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace dalembert::app

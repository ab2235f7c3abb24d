// SPDX-License-Identifier: Apache-2.0
// Shows a line on standard error during long work without a known end; nothing unless standard error is a terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "apps/dalembert/terminal.h"

namespace dalembert::app {

/// During its lifetime, from the first second on, shows `what` and the seconds passed. Its thread only draws.
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

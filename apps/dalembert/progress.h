// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error during long runs; nothing unless standard error is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "apps/dalembert/terminal.h"

namespace dalembert::app {

class Progress {
 public:
  /// Progress runs from `begin` to `end`, in the unit of update(), which is named `unit` ("s"), or up to `most_steps`
  /// updates, whichever comes first.
  Progress(Terminal& terminal, double begin, double end, std::string unit, std::int64_t most_steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Cheap: draws at most ten times a second, and not in the first half second.
  void update(double reached);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double reached, double elapsed);

  Terminal& terminal_;
  double begin_, end_;
  std::int64_t most_steps_, steps_ = 0;
  std::string unit_;
  bool active_;
  Clock::time_point start_, last_;
};

}  // namespace dalembert::app

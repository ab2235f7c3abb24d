// SPDX-License-Identifier: Apache-2.0
// A bar on standard error while a run takes long; nothing where standard error is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "apps/dalembert/terminal.h"

namespace dalembert::app {

class Progress {
 public:
  /// From `begin` to `end` in the unit that update() is told, named `unit` ("s"), or until it was told `most_steps`
  /// times, whichever is sooner.
  Progress(Terminal& terminal, double begin, double end, std::string unit, std::int64_t most_steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Cheap; draws at most ten times a second, and not before half a second has passed.
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

// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error during long work; nothing unless standard error is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apps/dalembert/terminal.h"

namespace dalembert::app {

/// What is to be done.
struct Work {
  double begin = 0;
  std::optional<double> end;    ///< nothing: nobody knows how much there is
  std::string unit;             ///< of update(): "s" is a time that a run reaches, all else is counted
  std::int64_t most_steps = 0;  ///< number of updates that end the work before `end`; 0: any number
  std::string_view name = {};   ///< shown where there is no end

  /// Time along a run.
  static Work time(double begin, double end, std::int64_t most_steps) { return {begin, end, "s", most_steps, {}}; }
  /// Things that are counted, in plural: "runs".
  static Work count(double begin, double end, std::string things) { return {begin, end, std::move(things), 0, {}}; }
  /// Things of which nobody knows how many there will be.
  static Work without_end(std::string_view name, std::string things) { return {0, {}, std::move(things), 0, name}; }
};

class Progress {
 public:
  Progress(Terminal& terminal, Work work);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Cheap: draws at most ten times a second, and not in the first half second.
  void update(double reached);

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(double reached, double elapsed) const;

  Terminal& terminal_;
  const Work work_;
  std::int64_t steps_ = 0;
  bool active_;
  Clock::time_point start_, last_;
};

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// Which process makes which runs of a study.
//
// New runs are dealt in ascending order, the more at a time the more a process has made. Once all are dealt, those that are still out are dealt
// again, in ascending order, to processes that have nothing to do: what a process has when it dies is made by others, and nobody needs
// to notice its death.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace dalembert::sweeping {

/// May be used by several threads.
class Deal {
 public:
  /// Of the runs first, first + step … before `end`, of which `has` says that they need not be made; `left` is the number of the others.
  Deal(std::int64_t first, std::int64_t step, std::int64_t end, std::function<bool(std::int64_t index)> has,
       std::int64_t left, int processes);

  /// Up to `most` runs for a process, in ascending order. Empty if it has all that are not made yet.
  std::vector<std::int64_t> take(int process, std::int64_t most);
  /// How many more runs a process with so many threads should get now; 0 while it has enough.
  std::int64_t wanted(int process, int threads) const;
  /// Notes a run that a process has made. False if it was not out: it was made before, or never dealt.
  bool made(int process, std::int64_t index);
  /// Whether all runs are made.
  bool done() const;

 private:
  bool deal(std::int64_t index, int process);

  const std::int64_t step_, end_;
  const std::function<bool(std::int64_t)> has_;
  mutable std::mutex mutex_;
  std::int64_t next_, again_ = 0;                 // the next run that was never dealt; the next one to deal again
  std::int64_t undealt_, left_;                   // number of runs never dealt, and not made
  std::map<std::int64_t, std::vector<int>> out_;  // runs that are dealt and not made: who has them
  std::vector<std::int64_t> has_now_, has_made_;  // number of runs, by process
};

}  // namespace dalembert::sweeping

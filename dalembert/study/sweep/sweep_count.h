// SPDX-License-Identifier: Apache-2.0
// How many runs of a study there are, and what became of them.
#pragma once

#include <cstdint>

namespace dalembert {

/// Largest number of runs of a study.
inline constexpr std::int64_t kMostRuns = 1'000'000'000;

struct SweepCount {
  std::int64_t runs = 0;  ///< that are to be made: of the study, or of a shard of it
  std::int64_t ok = 0, stopped = 0, failed = 0;
  std::int64_t holds = 0;    ///< number of verdicts that hold
  std::int64_t earlier = 0;  ///< number of runs that an earlier call made
  double seconds = 0;        ///< of this call
  std::int64_t made() const { return ok + stopped + failed; }
};

/// Number of runs of a shard.
constexpr std::int64_t runs_of(std::int64_t runs, std::int64_t shard, std::int64_t shards) {
  return shard > runs ? 0 : (runs - shard) / shards + 1;
}

}  // namespace dalembert

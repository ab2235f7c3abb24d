// SPDX-License-Identifier: Apache-2.0
// Finds repetition in a stream.
#pragma once

#include <cstdint>
#include <vector>

#include "dalembert/tape/rolling_stream.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert::rolling {

/// Positions [begin, end()) of a stream: `rounds` rounds of `period` instructions. Instructions of the same number
/// within their rounds have the same form, and each of their places is affine in the round.
struct Repetition {
  std::uint32_t begin = 0, period = 0, rounds = 0;
  std::uint32_t end() const { return begin + period * rounds; }
  bool contains(std::int64_t position) const { return position >= begin && position < end(); }
};

/// Repetitions ascending and apart from each other. A window of instructions that was met before suggests how far back
/// as a period; of the stretches that really repeat with one of the suggested periods the one that saves most comes
/// first. Longer windows are tried first, so that a long period wins over repetition within it. Time O(n).
std::vector<Repetition> find_repetitions(const Stream& stream, const RollOptions& options);

}  // namespace dalembert::rolling

// SPDX-License-Identifier: Apache-2.0
// Finds repetition in a stream.
#pragma once

#include <cstdint>
#include <vector>

#include "dalembert/tape/rolling_stream.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert::rolling {

/// Positions [begin, end()) of a stream: `rounds` rounds of `period` instructions. Instructions of the same number
/// within their rounds have the same form, and each of their places is affine in the round (for `form` and `place` see
/// rolling_stream.h).
struct Repetition {
  std::uint32_t begin = 0, period = 0, rounds = 0;
  std::uint32_t end() const { return begin + period * rounds; }
  bool contains(std::int64_t position) const { return position >= begin && position < end(); }
};

/// Disjoint repetitions in ascending order. A window of instructions that occurred before suggests the distance as a
/// period. Of the stretches that do repeat with a suggested period, those that save most are taken first. Longer
/// windows are tried first, so that a long period is preferred to repetition within it. Time O(n).
std::vector<Repetition> find_repetitions(const Stream& stream, const RollOptions& options);

}  // namespace dalembert::rolling

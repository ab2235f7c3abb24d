// SPDX-License-Identifier: Apache-2.0
// Which tapes take subnormal numbers for zeros. What one link of a long chain hands on to the next falls by the same
// factor each time, so some hundred of a thousand links compute with subnormals, and take as long as all the others.
#pragma once

#include <cstddef>

#include "dalembert/tape/tape.h"

namespace dalembert {

/// Whether a run of the tape takes subnormal numbers for zeros (base/subnormals.h), interpreted or as machine code: one
/// of 4,000 instructions or more, each round of a loop counted. For shorter ones changing the processor's state twice
/// (4 ns) would take more than 1 % of the time, and they cannot have many. It depends on the tape alone, so that its
/// results do not depend on who calls it. O(loops).
inline bool takes_subnormals_for_zeros(const Tape& tape) {
  constexpr std::size_t kLong = 4000;
  std::size_t instructions = tape.instructions.size();
  for (const Loop& loop : tape.loops) instructions += (loop.rounds - std::size_t{1}) * (loop.end - loop.begin);
  return instructions >= kLong;
}

}  // namespace dalembert

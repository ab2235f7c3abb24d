// SPDX-License-Identifier: Apache-2.0
// Which tapes take subnormal numbers for zeros. In a long chain the effect of a link on the others falls by the same
// factor from link to link. Of a thousand links some hundred therefore compute with subnormal numbers, and take as long
// as all the others.
#pragma once

#include <cstddef>

#include "dalembert/tape/tape.h"

namespace dalembert {

/// Whether a run of the tape takes subnormal numbers for zeros (base/subnormals.h), interpreted or as machine code: yes
/// for a tape of 4,000 instructions or more, each round of a loop counted. In shorter tapes changing the processor's
/// mode twice (4 ns) would take more than 1 % of the time, and there cannot be many subnormal numbers. This depends on
/// the tape alone, so its results do not depend on the caller. O(loops).
inline bool takes_subnormals_for_zeros(const Tape& tape) {
  constexpr std::size_t kLong = 4000;
  std::size_t instructions = tape.instructions.size();
  for (const Loop& loop : tape.loops) instructions += (loop.rounds - std::size_t{1}) * (loop.end - loop.begin);
  return instructions >= kLong;
}

}  // namespace dalembert

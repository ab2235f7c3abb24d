// SPDX-License-Identifier: Apache-2.0
// Runs a tape. This is the reference that generated code is held against, and what runs where no code can be generated.
#pragma once

#include "dalembert/tape/tape.h"

namespace dalembert {

/// Runs the tape for `lanes` systems at once (1, 4, 8 or 32): arguments[TapeArray], `work` and `out` hold entry i of
/// lane l at [i · lanes + l], except in arrays that lanes share. `work` holds tape.registers · lanes doubles; `out`, of
/// tape.outputs · lanes, overlaps neither it nor the arguments. Allocates nothing. About 1 ns an instruction, besides
/// the cost of sin, exp and the like.
void run(const Tape& tape, const double* const* arguments, double* work, double* out, int lanes);

}  // namespace dalembert

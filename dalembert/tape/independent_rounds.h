// SPDX-License-Identifier: Apache-2.0
// Whether rounds of a loop may be run in any order, or several at once.
#pragma once

#include "dalembert/tape/tape.h"

namespace dalembert {

/// True where no round reads what another round writes, and no round writes to a register in memory that is the same in
/// every round. Conservative: false may be returned where they only seem to overlap. O(reads · writes) of the loop.
bool has_independent_rounds(const Tape& tape, const Loop& loop);

}  // namespace dalembert

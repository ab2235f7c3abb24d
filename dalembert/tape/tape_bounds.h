// SPDX-License-Identifier: Apache-2.0
// A tape over intervals: bounds on its outputs that hold for every value of its arguments within theirs.
// Source: Moore, Kearfott & Cloud, Introduction to Interval Analysis, SIAM 2009, ch. 3-5.
#pragma once

#include <vector>

#include "dalembert/base/bounds.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// arguments[TapeArray]; arrays that the tape does not read may be null. Writes tape.outputs bounds to `out`; infinite
/// ones where a function is not defined everywhere in between. `registers` holds tape.registers bounds. The tape has no
/// loops. Each operation is rounded outwards by more than its own error.
void find_bounds(const Tape& tape, const Bounds* const* arguments, Bounds* registers, Bounds* out);

}  // namespace dalembert

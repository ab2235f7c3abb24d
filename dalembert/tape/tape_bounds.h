// SPDX-License-Identifier: Apache-2.0
// Interval evaluation of a tape: bounds on its outputs that hold for all values of its arguments within given bounds.
// Source: Moore, Kearfott & Cloud, Introduction to Interval Analysis, SIAM 2009, ch. 3-5.
#pragma once

#include <vector>

#include "dalembert/base/bounds.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// arguments[TapeArray] are bounds; values of an array that is null are unknown. Writes tape.outputs bounds to `out`,
/// infinite ones where a function is not defined everywhere within the bounds of its arguments. `registers` holds
/// tape.registers bounds. The tape must have no loops. Each operation is rounded outwards by more than its own error.
void find_bounds(const Tape& tape, const Bounds* const* arguments, Bounds* registers, Bounds* out);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Long routines without branches as several short ones, for compilers of C: their time to optimise a function grows with
// the square of its length (gcc 12: 17 s for 8,000 statements, most of it to choose registers; in parts a third of that).
#pragma once

#include <cstddef>

#include "dalembert/codegen/program.h"

namespace dalembert {

/// Largest number of statements of a routine that is not split, and number of statements of a part.
inline constexpr std::size_t kLongestRoutine = 1500, kStatementsOfPart = 1000;

/// Routines of more than kLongestRoutine statements that neither return anything nor leave early become calls of parts, one after the
/// other. A number that one part writes and a later one reads is handed on in an array, `carried`. The operations and
/// their order stay the same.
void split_long_routines(Program& program);

}  // namespace dalembert

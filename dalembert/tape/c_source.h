// SPDX-License-Identifier: Apache-2.0
// Tapes as C, for compilers elsewhere and for people who want to read what is computed.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/tape/tape.h"

namespace dalembert {

/// One function of C99, self-contained but for <math.h>, which is included before it:
///
///   void NAME(const double* const* arguments, double* work, double* out);
///
/// arguments[TapeArray], `work` of tape.registers doubles (untouched unless the tape has loops) and `out` of
/// tape.outputs, which overlap nowhere; only the arrays that the tape reads are looked at. Loops of the tape become
/// loops. Compiled without contraction (-ffp-contract=off) and without -ffast-math its results are the interpreter's,
/// to the bit, where both use the same <math.h>. O(instructions).
std::string c_source(const Tape& tape, std::string_view function_name);

}  // namespace dalembert

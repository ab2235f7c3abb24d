// SPDX-License-Identifier: Apache-2.0
// Tapes as routines (program.h) with the same operations in the same order.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/codegen/register_meanings.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// The text of a routine `NAME(PARAMETERS, out out[…])` whose `out` receives the outputs of the tape. The parameters
/// name, as `real t` or `in q[nq]`, the arrays that the tape reads: t, u, q, v, vdot, lambda; p and prepared are arrays
/// of the state. Loops of the tape become loops. Compiled without contraction it gives the results of the interpreter,
/// if its sine, cosine and other functions do. What a statement computes stands beside it where `names` make a short formula of it. O(instructions).
std::string tape_routine(const Tape& tape, std::string_view name, std::string_view parameters, std::string_view comment,
                         const EntryNames& names = {});

/// Statements that write the outputs of the tape to `array` from `first` on, in a routine that declares the locals of
/// tape_locals().
std::string tape_statements(const Tape& tape, std::string_view array, std::size_t first, const EntryNames& names = {});
std::string tape_locals(const Tape& tape);

}  // namespace dalembert

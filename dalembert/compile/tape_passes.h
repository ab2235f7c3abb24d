// SPDX-License-Identifier: Apache-2.0
// The steps of make_tape. Between them a tape is in single-assignment form: every instruction writes registers of its
// own.
#pragma once

#include <cstdint>
#include <span>

#include "dalembert/compile/tape.h"

namespace dalembert {

/// The expression graph as instructions, in depth-first order: what an operation needs is computed shortly before it.
Tape flatten(std::span<const Expr> outputs);

/// Takes the instructions that depend on parameters alone out of the tape, as a tape of their own; `tape` finds output
/// i of that at entry first + i of TapeArray::kPrepared. Both lose what nothing reads.
Tape split_preparation(Tape& tape, std::uint32_t first);

/// A product that only one sum or difference uses becomes one instruction with it; the bits of the result stay the
/// same.
void fuse_products_into_sums(Tape& tape);

/// Leaves single-assignment form: a linear scan gives registers back after the last use of their value.
void reuse_registers(Tape& tape);

/// All of the above that a tape still needs, in their order.
void finish(Tape& tape);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The steps of make_tape. Between them a tape is in single-assignment form: every instruction writes registers of its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dalembert/tape/tape.h"

namespace dalembert {

/// The expression graph as instructions, in depth-first order: what an operation needs is computed shortly before it.
Tape flatten(std::span<const Expr> outputs);

/// Parameters that change between two calls although nothing is prepared anew: `count` of them from `first` on.
struct ChangingParameters {
  std::uint32_t first = 0, count = 0;
};
/// Moves the instructions that depend on parameters alone, and on none of `changing`, from `tape` to the tape that is returned.
/// `tape` then reads output i of that one as entry first + i of TapeArray::kPrepared. Instructions that nothing reads are removed
/// from both.
Tape split_preparation(Tape& tape, std::uint32_t first, const ChangingParameters& changing = {});

/// Fuses a product with the only sum or difference that uses it into one instruction; the bits of the result stay the
/// same.
void fuse_products_into_sums(Tape& tape);

/// Moves sines and cosines of arguments to the start of the tape, in the order of the arguments. If they become a loop,
/// its rounds do not wait for each other, and later instructions do not wait for sines. Needs single-assignment form.
void put_sines_first(Tape& tape);

/// When to make a loop of repeated instructions.
struct RollOptions {
  std::size_t instructions = 2000;  ///< a tape with fewer instructions is left as it is
  std::size_t gain = 4;             ///< a tape that would not become this many times shorter is left as it is
  std::size_t rounds = 8;           ///< least number of rounds of a loop
  std::size_t saved = 64;           ///< least number of instructions that a loop must save
  std::size_t period = 8192;        ///< largest number of instructions in a round
};

/// Makes loops of repeated instructions: Tape::loops, strides, temporaries. Values that another round or another part
/// of the tape reads are stored in memory, in one record for each round. All others stay in single-assignment form
/// below `temporaries` (within a loop: for one round). Sines and cosines of arguments are moved to the start. A tape
/// without repetition is left as it is. The bits of the results stay the same. Time O(n) for n instructions; memory
/// about 50 bytes an instruction. See rolling_plan.h.
void roll_loops(Tape& tape, const RollOptions& options = {});

/// Register allocation by a linear scan: a temporary is free again after the last use of its value. The tape is no
/// longer in single-assignment form.
void reuse_registers(Tape& tape);

/// Fusion, loops and register allocation: the passes that a tape of flatten() still needs.
void finish(Tape& tape);
/// The same without loops, for tapes of make_jacobian(): eliminations come in no order that repeats.
void finish_derivatives(Tape& tape);

}  // namespace dalembert

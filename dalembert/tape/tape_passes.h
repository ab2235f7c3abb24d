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

/// Takes the instructions that depend on parameters alone out of the tape, as a tape of their own; `tape` finds output
/// i of that at entry first + i of TapeArray::kPrepared. Both lose what nothing reads.
Tape split_preparation(Tape& tape, std::uint32_t first);

/// A product that only one sum or difference uses becomes one instruction with it; the bits of the result stay the
/// same.
void fuse_products_into_sums(Tape& tape);

/// Moves sines and cosines of arguments to the start of the tape, in the order of the arguments. Where they become a
/// loop of their own its rounds do not wait for each other, and what waits for them has them at hand. Needs
/// single-assignment form.
void put_sines_first(Tape& tape);

/// When to make a loop of repeated instructions.
struct RollOptions {
  std::size_t instructions = 2000;  ///< a shorter tape is left as it is
  std::size_t gain = 4;             ///< and so is one that would not become this many times shorter
  std::size_t rounds = 8;           ///< of a loop, at least
  std::size_t saved = 64;           ///< instructions that a loop must save, at least
  std::size_t period = 8192;        ///< instructions of a round, at most
};

/// Makes loops of repeated instructions: Tape::loops, strides, temporaries. Values that another round or another part
/// of the tape reads become memory, a record for each round; all others stay in single-assignment form below
/// `temporaries` (within a loop: of one round). Sines and cosines of arguments come first. A tape without repetition is left as it is. The bits of the results
/// stay the same. Time O(n) for n instructions; memory about 50 bytes an instruction. See rolling_plan.h.
void roll_loops(Tape& tape, const RollOptions& options = {});

/// Leaves single-assignment form: a linear scan gives temporaries back after the last use of their value.
void reuse_registers(Tape& tape);

/// All of the above that a tape still needs, in their order.
void finish(Tape& tape);

}  // namespace dalembert

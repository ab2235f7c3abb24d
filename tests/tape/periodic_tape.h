// SPDX-License-Identifier: Apache-2.0
// What must hold for a tape with loops.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "dalembert/tape/tape_passes.h"
#include "tape/random_tape.h"

namespace dalembert::testing {

/// What tape.h says of Tape::loops, strides and temporaries.
inline void expect_well_formed(const Tape& tape) {
  if (tape.loops.empty()) return;
  ASSERT_EQ(tape.strides.size(), tape.instructions.size());
  ASSERT_LE(tape.temporaries, tape.registers);
  std::uint32_t end = 0;
  for (const Loop& loop : tape.loops) {
    ASSERT_LE(end, loop.begin);
    ASSERT_LT(loop.begin, loop.end);
    ASSERT_LE(loop.end, tape.instructions.size());
    end = loop.end;
  }
  std::vector<bool> known(tape.temporaries);  // temporaries that may be read
  std::vector<bool> of_loop(tape.temporaries);
  auto loop = tape.loops.begin();
  for (std::uint32_t i = 0; i < tape.instructions.size(); ++i) {
    if (loop != tape.loops.end() && i == loop->begin) {
      // What the loop writes, no round may read before it is written.
      for (std::uint32_t k = loop->begin; k < loop->end; ++k) {
        const Instruction& at = tape.instructions[k];
        const RegisterUse use = register_use(at);
        for (const auto& [writes, field] : {std::pair(use.writes_dst, at.dst), std::pair(use.writes_b, at.b)})
          if (writes && field < tape.temporaries) known[field] = false, of_loop[field] = true;
      }
    }
    const bool inside = loop != tape.loops.end() && i >= loop->begin;
    const Instruction& at = tape.instructions[i];
    const Stride stride = inside ? tape.strides[i] : Stride{};
    const RegisterUse use = register_use(at);
    const auto check = [&](bool used, std::uint32_t field, std::int32_t by, bool write) {
      if (!used) return;
      const std::int64_t last = std::int64_t{field} + (inside ? std::int64_t{by} * (loop->rounds - 1) : 0);
      ASSERT_LT(field, tape.registers);
      ASSERT_TRUE(last >= 0 && last < static_cast<std::int64_t>(tape.registers));
      if (field >= tape.temporaries) {
        EXPECT_GE(last, static_cast<std::int64_t>(tape.temporaries));
        return;
      }
      EXPECT_EQ(by, 0);
      EXPECT_TRUE(write || known[field]) << "instruction " << i << " reads temporary " << field;
      known[field] = true;
    };
    check(use.reads_a, at.a, stride.a, false);
    check(use.reads_b, at.b, stride.b, false);
    check(use.reads_c, at.c, stride.c, false);
    check(use.writes_dst, at.dst, stride.dst, true);
    check(use.writes_b, at.b, stride.b, true);
    if (inside && i + 1 == loop->end) {
      for (std::size_t r = 0; r < known.size(); ++r)
        if (of_loop[r]) known[r] = false;
      of_loop.assign(of_loop.size(), false);
      ++loop;
    }
  }
}

constexpr RollOptions kAlways{.instructions = 0, .gain = 1, .rounds = 3, .saved = 1};

/// Rolls a tape, before and after registers are reused, and expects the bits of the tape as it is. Returns what it
/// became.
inline Tape expect_same_rolled(const Tape& straight, const TapeInputs& inputs, const RollOptions& options = kAlways) {
  const std::vector<double> expected = values(straight, inputs);
  Tape rolled = straight;
  fuse_products_into_sums(rolled);
  roll_loops(rolled, options);
  for (const bool reused : {false, true}) {
    if (reused) reuse_registers(rolled);
    expect_well_formed(rolled);
    if (::testing::Test::HasFatalFailure()) return rolled;
    const std::vector<double> computed = values(rolled, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(same_bits(expected[i], computed[i])) << i << ": " << expected[i] << ", " << computed[i];
  }
  return rolled;
}

}  // namespace dalembert::testing

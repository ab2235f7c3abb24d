// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/processor_word.h"
#include "dalembert/base/subnormals.h"
#include "dalembert/tape/subnormals.h"
#include "tape/in_pieces.h"
#include "tape/periodic_tape.h"
#include "tape/random_graph.h"

namespace dalembert {
namespace {

using testing::RandomGraph;
using testing::RandomPeriodicTape;
using testing::same_bits;
using testing::TapeInputs;
using testing::values;

// Every lane has the bits that it has alone. Parameters and prepared numbers are the same for all lanes.
void expect_same_lanes(const Tape& tape, std::size_t entries) {
  for (const int lanes : {4, 8, 32}) {
    const TapeInputs inputs(entries, lanes);
    const std::vector<double> together = values(tape, inputs, lanes);
    for (int lane = 0; lane < lanes; ++lane) {
      const std::vector<double> alone = values(tape, inputs.lane(lane, lanes));
      for (std::size_t i = 0; i < alone.size(); ++i) {
        const double x = together[i * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)];
        EXPECT_TRUE(same_bits(x, alone[i]))
            << x << ", " << alone[i] << ": output " << i << ", lane " << lane << " of " << lanes;
      }
    }
  }
}

// Oracle: one lane, which holds every operation against evaluate() elsewhere (tape_test).
TEST(Interpreter, LanesAreIndependent) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomGraph random(seed);
    for (int i = 0; i < 80; ++i) random.grow();
    expect_same_lanes(make_tape(random.nodes), testing::Arguments::kEach);
  }
}

TEST(Interpreter, LanesAreIndependentInLoops) {
  int loops = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Tape tape = RandomPeriodicTape(seed).take();
    roll_loops(tape, testing::kAlways);
    reuse_registers(tape);
    loops += !tape.loops.empty();
    expect_same_lanes(tape, RandomPeriodicTape::kEach);
  }
  EXPECT_GT(loops, 50);
}

// Oracle: written out. x_{j+1} = x_j + q_{2j} · p_1 for three rounds, run backwards through the outputs.
TEST(Interpreter, RunsTheRoundsOfALoop) {
  Tape tape;
  tape.registers = 6;
  tape.temporaries = 2;
  tape.outputs = 3;
  const auto kind = [](TapeArray array) { return static_cast<std::uint32_t>(array); };
  tape.instructions = {{.op = TapeOp::kArgument, .dst = 0, .a = kind(TapeArray::kParameter), .b = 1},
                       {.op = TapeOp::kArgument, .dst = 2, .a = kind(TapeArray::kTime), .b = 0},
                       {.op = TapeOp::kArgument, .dst = 1, .a = kind(TapeArray::kCoordinate), .b = 0},
                       {.op = TapeOp::kMultiplyAdd, .dst = 3, .a = 1, .b = 0, .c = 2},
                       {.op = TapeOp::kOutput, .dst = 2, .a = 3}};
  tape.loops = {{2, 5, 3}};
  tape.strides = {{}, {}, {.b = 2}, {.dst = 1, .c = 1}, {.dst = -1, .a = 1}};
  const TapeInputs inputs(5);
  const std::vector<double>&t = inputs.of[0], &p = inputs.of[1], &q = inputs.of[3];
  const double x1 = q[0] * p[1] + t[0], x2 = q[2] * p[1] + x1, x3 = q[4] * p[1] + x2;
  const std::vector<double> out = values(tape, inputs);
  EXPECT_DOUBLE_EQ(out[2], x1);
  EXPECT_DOUBLE_EQ(out[1], x2);
  EXPECT_DOUBLE_EQ(out[0], x3);
  expect_same_lanes(tape, 5);
}

// Truth: x_{j+1} = 0.27 x_j in plain arithmetic, where what is below 2⁻¹⁰²² is replaced by 0 for the long tape.
TEST(Interpreter, LongTapesTakeSubnormalsForZeros) {
  if (!SubnormalsAsZeros::kThere) GTEST_SKIP() << "there is no such switch here";
  for (const int rounds : {1500, 6000}) {
    TapeBuilder builder;
    Operand x = builder.argument(TapeArray::kCoordinate, 0);
    for (int i = 0; i < rounds; ++i) {
      x = builder.multiply(Operand::of(0.27), x);
      builder.output(static_cast<std::uint32_t>(i), x);
    }
    Tape tape = builder.take(static_cast<std::size_t>(rounds));
    for (const bool rolled : {false, true}) {
      if (rolled) {
        roll_loops(tape, testing::kAlways);
        reuse_registers(tape);
        EXPECT_FALSE(tape.loops.empty());
      }
      EXPECT_EQ(takes_subnormals_for_zeros(tape), rounds == 6000);
      for (const int lanes : {1, 4, 8, 32}) {
        const TapeInputs inputs(1, lanes);
        const auto before = testing::processor_word();
        const std::vector<double> out = values(tape, inputs, lanes);
        EXPECT_TRUE(!takes_subnormals_for_zeros(tape) || testing::processor_word() == before);
        int subnormal = 0;
        for (int lane = 0; lane < lanes; ++lane) {
          volatile double expected = inputs.of[3][static_cast<std::size_t>(lane)];
          for (int i = 0; i < rounds; ++i) {
            expected = 0.27 * expected;
            if (rounds == 6000 && std::fpclassify(expected) == FP_SUBNORMAL) expected = std::copysign(0.0, expected);
            const double computed = out[static_cast<std::size_t>(i * lanes + lane)];
            ASSERT_TRUE(same_bits(computed, expected)) << i << ": " << computed << ", " << expected;
            subnormal += std::fpclassify(computed) == FP_SUBNORMAL;
          }
        }
        EXPECT_EQ(subnormal > 0, rounds == 1500);
      }
    }
  }
}

// Truth: the same instructions in short pieces, which compute with subnormals: another number is 0 there, or differs by
// as much as was left out. And the long tape in lanes: the same bits.
TEST(Interpreter, SmallNumbersAreTheSameInLanes) {
  if (!SubnormalsAsZeros::kThere) GTEST_SKIP() << "there is no such switch here";
  int left_out = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Tape tape = testing::tape_of_small_numbers(seed, 2000);
    ASSERT_TRUE(takes_subnormals_for_zeros(tape));
    for (const int lanes : {1, 4, 8, 32}) {
      TapeInputs inputs(0);
      inputs.of[3] = testing::small_coordinates(seed, lanes);
      inputs.view[3] = inputs.of[3].data();
      const std::vector<double> together = values(tape, inputs, lanes);
      for (int lane = 0; lane < lanes; ++lane) {
        const TapeInputs own = inputs.lane(lane, lanes);
        const std::vector<double> alone = values(tape, own), pieces = testing::values_in_pieces(tape, own.view.data());
        for (std::size_t i = 0; i < alone.size(); ++i) {
          ASSERT_TRUE(
              same_bits(together[i * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)], alone[i]));
          EXPECT_NE(std::fpclassify(alone[i]), FP_SUBNORMAL);
          EXPECT_NEAR(alone[i], pieces[i], 1e-300);
          left_out += alone[i] != pieces[i];
        }
      }
    }
  }
  EXPECT_GT(left_out, 100);
}

}  // namespace
}  // namespace dalembert

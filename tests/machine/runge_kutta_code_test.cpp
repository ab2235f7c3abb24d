// SPDX-License-Identifier: Apache-2.0
// Machine code that makes Runge–Kutta steps (CodeKind::kRungeKutta4).
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/processor_word.h"
#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/subnormals.h"
#include "dalembert/tape/tape.h"
#include "machine/lane_arguments.h"

namespace dalembert {
namespace {

// y' = v, v' = −y: k₁..k₄ of a linear system give the Taylor polynomial of degree 4, and `trust` says what a kernel's
// would. Oracle: cos t, sin t with the known leading error, h⁵/120 a step for h = 1/64, 640 steps: 640 h⁵/120 = 5e-9;
// twice that is allowed.
Tape oscillator() {
  const auto coordinate = static_cast<std::uint32_t>(TapeArray::kCoordinate);
  Tape tape;
  tape.instructions = {
      {.op = TapeOp::kArgument, .dst = 0, .a = coordinate, .b = 0},
      {.op = TapeOp::kNegate, .dst = 1, .a = 0},
      {.op = TapeOp::kOutput, .dst = 0, .a = 1},
      {.op = TapeOp::kArgument, .dst = 1, .a = static_cast<std::uint32_t>(TapeArray::kParameter), .b = 0},
      {.op = TapeOp::kSubtract, .dst = 1, .a = 1, .b = 0},  // trust[0] = p − q > 0
      {.op = TapeOp::kOutput, .dst = 1, .a = 1},
      {.op = TapeOp::kOutput, .dst = 2, .a = 0}};
  tape.registers = 2;
  tape.outputs = 3;
  return tape;
}

TEST(RungeKuttaCode, SolvesTheOscillator) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  Tape tape = oscillator();
  for (const bool long_tape : {false, true}) {
    if (long_tape) {  // beyond what is inlined: the same function, called
      const Instruction filler{.op = TapeOp::kArgument, .dst = 0, .a = 3, .b = 0};
      tape.instructions.insert(tape.instructions.begin(), 2000, filler);
    }
    for (const int lanes : {1, 4, 8}) {
      CodeFunction function;
      function.kind = CodeKind::kRungeKutta4;
      function.tape = &tape;
      function.lanes = lanes;
      function.coordinates = 1;
      const auto code = generate_code({&function, 1}, {});
      ASSERT_TRUE(code);
      const auto width = static_cast<std::size_t>(lanes);
      const double p = 2.5;
      std::vector<double> work(code_work(function)), state(2 * width);
      std::vector<const double*> arguments(kTapeArrays, &p);
      for (std::size_t lane = 0; lane < width; ++lane) state[lane] = 1 + 0.25 * static_cast<double>(lane);
      const std::vector<double> start = state;
      EXPECT_EQ(code->advance(0, state.data(), arguments.data(), work.data(), 0, 1.0 / 64, 0), 0u);
      EXPECT_EQ(state, start);
      // Lanes 6 and 7 start beyond p: not trusted, so they stay.
      const std::uint64_t failed = code->advance(0, state.data(), arguments.data(), work.data(), 0, 1.0 / 64, 640);
      EXPECT_EQ(failed, lanes == 8 ? 0b11000000u : 0u);
      for (std::size_t lane = 0; lane < width; ++lane) {
        const double amplitude = start[lane];
        const bool stays = (failed >> lane & 1) != 0;
        EXPECT_NEAR(state[lane], amplitude * (stays ? 1 : std::cos(10)), 1e-8 * amplitude);
        EXPECT_NEAR(state[width + lane], stays ? 0 : -amplitude * std::sin(10), 1e-8 * amplitude);
      }
    }
  }
}

// Steps of a long tape leave the caller's state as well. Oracle: those of the short one that computes the same.
TEST(RungeKuttaCode, LeavesTheProcessorAsItWas) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  Tape tape = oscillator(), padded = tape;
  const Instruction idle{.op = TapeOp::kNegate, .dst = 1, .a = 0};
  padded.instructions.insert(padded.instructions.begin() + 1, 6000, idle);
  ASSERT_TRUE(takes_subnormals_for_zeros(padded) && !takes_subnormals_for_zeros(tape));
  std::array<std::vector<double>, 2> end;
  for (const bool is_long : {false, true}) {
    const CodeFunction steps{
        .kind = CodeKind::kRungeKutta4, .tape = is_long ? &padded : &tape, .lanes = 4, .coordinates = 1};
    const auto code = generate_code({&steps, 1}, {});
    ASSERT_TRUE(code);
    std::vector<double> state{1, 2, 3, 4, 0, 0, 1, 1}, work(code_work(steps));
    const double p = 1e6;
    std::vector<const double*> arguments(kTapeArrays, &p);
    const auto before = testing::processor_word();
    EXPECT_EQ(code->advance(0, state.data(), arguments.data(), work.data(), 0, 0.01, 100), 0u);
    EXPECT_TRUE(!is_long || testing::processor_word() == before);
    end[is_long] = state;
  }
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(end[0][i], end[1][i], 1e-13);
}

// v' = u(t) with u = t³ from a tape of inputs, from t = 1 in steps of 1/2: Simpson's rule, exact for cubics. q and v
// are dyadic fractions, so exactly (t + h/2 and so on are); h/6 and h/3 are rounded once: 4 ε of the largest sum.
TEST(RungeKuttaCode, InputsFollowTime) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  Tape inputs;
  inputs.instructions = {{.op = TapeOp::kArgument, .dst = 0, .a = 0, .b = 0},
                         {.op = TapeOp::kSquare, .dst = 1, .a = 0},
                         {.op = TapeOp::kMultiply, .dst = 0, .a = 0, .b = 1},
                         {.op = TapeOp::kOutput, .dst = 0, .a = 0}};
  inputs.registers = 2;
  inputs.outputs = 1;
  Tape tape;
  tape.instructions = {{.op = TapeOp::kArgument, .dst = 0, .a = static_cast<std::uint32_t>(TapeArray::kInput), .b = 0},
                       {.op = TapeOp::kOutput, .dst = 0, .a = 0},
                       {.op = TapeOp::kConstant, .dst = 0, .a = 0},
                       {.op = TapeOp::kOutput, .dst = 1, .a = 0},
                       {.op = TapeOp::kOutput, .dst = 2, .a = 0}};
  tape.constants = {1};
  tape.registers = 1;
  tape.outputs = 3;
  for (const bool long_tape : {false, true}) {
    if (long_tape) {
      const Instruction filler{.op = TapeOp::kConstant, .dst = 0, .a = 0};
      tape.instructions.insert(tape.instructions.begin(), 2000, filler);
    }
    for (const int lanes : {1, 8}) {
      CodeFunction function;
      function.kind = CodeKind::kRungeKutta4;
      function.tape = &tape;
      function.inputs = &inputs;
      function.lanes = lanes;
      function.coordinates = 1;
      const auto code = generate_code({&function, 1}, {});
      ASSERT_TRUE(code);
      const auto width = static_cast<std::size_t>(lanes);
      std::vector<double> work(code_work(function)), state(2 * width, 0);
      std::vector<const double*> arguments(kTapeArrays, nullptr);
      EXPECT_EQ(code->advance(0, state.data(), arguments.data(), work.data(), 1, 0.5, 4), 0u);
      for (std::size_t lane = 0; lane < width; ++lane)
        EXPECT_NEAR(state[width + lane], 20, 4 * 20 * std::numeric_limits<double>::epsilon());  // (3⁴ − 1⁴)/4
    }
  }
}

// 100 oscillators q_i'' = −q_i of amplitude i, and one of them by itself: the same operations, so the same bits,
// whether the state is registers or memory. One lane starts beyond what is trusted and stays as it came.
TEST(RungeKuttaCode, ManyCoordinatesTakeTheSameSteps) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  constexpr std::uint32_t kMany = 100;
  const auto array = static_cast<std::uint32_t>(TapeArray::kCoordinate);
  const Instruction filler{.op = TapeOp::kArgument, .dst = 0, .a = array, .b = 0};  // beyond what is inlined
  Tape many;
  many.instructions.assign(2000, filler);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    many.instructions.push_back({.op = TapeOp::kArgument, .dst = 0, .a = array, .b = i});
    many.instructions.push_back({.op = TapeOp::kNegate, .dst = 1, .a = 0});
    many.instructions.push_back({.op = TapeOp::kOutput, .dst = i, .a = 1});
  }
  many.instructions.push_back(
      {.op = TapeOp::kArgument, .dst = 1, .a = static_cast<std::uint32_t>(TapeArray::kParameter), .b = 0});
  many.instructions.push_back({.op = TapeOp::kSubtract, .dst = 1, .a = 1, .b = 0});  // trust[0] = p − q of the last
  many.instructions.push_back({.op = TapeOp::kOutput, .dst = kMany, .a = 1});
  many.instructions.push_back({.op = TapeOp::kOutput, .dst = kMany + 1, .a = 0});
  many.registers = 2;
  many.outputs = kMany + 2;
  Tape one = oscillator();
  one.instructions.insert(one.instructions.begin(), 2000, filler);

  for (const int lanes : {1, 8}) {
    const auto width = static_cast<std::size_t>(lanes);
    const auto advance = [&](const Tape& tape, int coordinates, std::vector<double>& state) {
      const CodeFunction function{
          .kind = CodeKind::kRungeKutta4, .tape = &tape, .lanes = lanes, .coordinates = coordinates};
      EXPECT_EQ(loops_over_state(function), coordinates > 64);
      const auto code = generate_code({&function, 1}, {});
      EXPECT_TRUE(code);
      const double p = 250;
      std::vector<double> work(code_work(function));
      const std::vector<const double*> arguments(kTapeArrays, &p);
      return code ? code->advance(0, state.data(), arguments.data(), work.data(), 0, 1.0 / 64, 640) : 0;
    };
    std::vector<double> state(2 * kMany * width);
    const auto amplitude = [&](std::size_t i, std::size_t lane) {
      return (static_cast<double>(i) + 1) * (1 + static_cast<double>(lane) / 4);
    };
    for (std::size_t i = 0; i < kMany; ++i)
      for (std::size_t lane = 0; lane < width; ++lane) state[i * width + lane] = amplitude(i, lane);
    EXPECT_EQ(advance(many, kMany, state), lanes == 8 ? 0b11000000u : 0u);
    for (const std::size_t i : {std::size_t{0}, std::size_t{41}, std::size_t{kMany - 1}}) {
      std::vector<double> alone(2 * width);
      for (std::size_t lane = 0; lane < width; ++lane) alone[lane] = amplitude(i, lane);
      advance(one, 1, alone);
      for (std::size_t lane = 0; lane < width; ++lane) {
        if (lane > 5) {
          EXPECT_EQ(state[i * width + lane], amplitude(i, lane));
          EXPECT_EQ(state[(kMany + i) * width + lane], 0);
        } else {
          EXPECT_EQ(state[i * width + lane], alone[lane]);
          EXPECT_EQ(state[(kMany + i) * width + lane], alone[width + lane]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/machine_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <thread>
#include <utility>

#include "base/processor_word.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/subnormals.h"
#include "dalembert/tape/tape_builder.h"
#include "dalembert/tape/tape_passes.h"
#include "machine/lane_arguments.h"
#include "tape/in_pieces.h"
#include "tape/random_graph.h"

namespace dalembert {
namespace {

using testing::Arguments;
using testing::code_of;
using testing::CodeRun;
using testing::LaneArguments;
using testing::RandomGraph;
using testing::run_code;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::vector<Arguments> random_arguments(RandomGraph& random, int lanes, double low, double high) {
  std::vector<Arguments> each;
  for (int lane = 0; lane < lanes; ++lane) each.push_back(random.arguments(low, high));
  return each;
}

// Oracle: the interpreter. Without fused multiply-adds, and with the same libm, every operation is rounded the same
// way: not a bit may differ, whatever the operations and however infinite or undefined their values.
TEST(MachineCode, IsTheInterpreterBitByBitWhereNothingIsFused) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  CodeOptions options;
  options.widest = VectorUnit::kSse2;
  int compared = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const int lanes = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 4 : 8;
    options.effort = seed % 2 == 0 ? CodeEffort::kQuick : CodeEffort::kThorough;
    RandomGraph random(seed);
    for (int i = 0; i < 120; ++i) random.grow();
    const Tape tape = make_tape(random.nodes);
    const LaneArguments arguments(random_arguments(random, lanes, -2, 2));
    std::string why;
    const auto code = code_of(tape, lanes, options, &why);
    ASSERT_TRUE(code) << why;
    const CodeRun result = run_code(*code, tape, arguments.view(), lanes);
    EXPECT_EQ(result.failed, 0u);
    for (int lane = 0; lane < lanes; ++lane) {
      const auto expected = arguments.interpreted(tape, static_cast<std::size_t>(lane));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ++compared;
        const double computed = result.out[i * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)];
        EXPECT_TRUE(same(computed, expected[i]))
            << "seed " << seed << ", lane " << lane << ", output " << i << ": " << computed << ", " << expected[i];
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

// Oracle: the interpreter. All values are positive and every operation at most adds the relative errors of its operands
// (tests/tape/tape_test.cpp): along 12 operations of at most 4 roundings each, or one call with at most 1 ulp in
// SLEEF, fewer than 2^12 · 4 half ulps gather; 1e-12 is 4500 ε.
TEST(MachineCode, AgreesWithTheInterpreterOnEveryVectorUnit) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  unsigned seed = 0;
  for (const VectorUnit unit : {VectorUnit::kSse2, VectorUnit::kAvx2, VectorUnit::kAvx512}) {
    for (const int lanes : {1, 4, 8}) {
      for (int round = 0; round < 4; ++round, ++seed) {
        CodeOptions options;
        options.widest = unit;
        options.effort = round % 2 == 0 ? CodeEffort::kQuick : CodeEffort::kThorough;
        RandomGraph random(seed);
        const LaneArguments arguments(random_arguments(random, lanes, 0.5, 2));
        for (int i = 0; i < 12; ++i) random.grow_positive();
        const Tape tape = make_tape(random.nodes);
        const auto code = code_of(tape, lanes, options);
        ASSERT_TRUE(code);
        const CodeRun result = run_code(*code, tape, arguments.view(), lanes);
        EXPECT_EQ(result.failed, 0u);
        for (int lane = 0; lane < lanes; ++lane) {
          const auto expected = arguments.interpreted(tape, static_cast<std::size_t>(lane));
          for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(result.out[i * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)], expected[i],
                        1e-12 * std::abs(expected[i]))
                << "seed " << seed << ", lane " << lane;
        }
      }
    }
  }
}

// f(x[, y[, z]]) of the first coordinates, for each lane.
Tape tape_of_call(Op function) {
  Tape tape;
  const auto count = static_cast<std::uint32_t>(arity(function));
  for (std::uint32_t i = 0; i < count; ++i)
    tape.instructions.push_back(
        {.op = TapeOp::kArgument, .dst = i, .a = static_cast<std::uint32_t>(TapeArray::kCoordinate), .b = i});
  tape.instructions.push_back({.op = TapeOp::kCall, .function = function, .dst = 0, .a = 0, .b = 1, .c = 2});
  tape.instructions.push_back({.op = TapeOp::kOutput, .dst = 0, .a = 0});
  tape.registers = 3;
  tape.outputs = 1;
  return tape;
}

// Oracle: evaluate_function at the values where functions have special cases, and at ordinary ones. What a function of
// several lanes may differ by is SLEEF's bound of 1 ulp and libm's own error, below 1 ulp: 2 ulps.
TEST(MachineCode, FunctionsHaveTheSpecialCasesOfLibm) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> points{0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.5,
                             -0.5,
                             2.0,
                             -2.0,
                             3.0,
                             -3.0,
                             1e-300,
                             1e-310,
                             1e10,
                             -1e10,
                             1e300,
                             700.,
                             -700.,
                             709.5,
                             711.,
                             -746.,
                             1e-8,
                             0.999999999,
                             -1e300,
                             kInfinity,
                             -kInfinity,
                             std::nan(""),
                             std::numbers::pi,
                             20.5,
                             -33.25,
                             1e5,
                             std::numeric_limits<double>::denorm_min()};
  while (points.size() % 8 != 0) points.push_back(0.1 * static_cast<double>(points.size()));
  for (int f = static_cast<int>(Op::kPower); f <= static_cast<int>(Op::kSelect); ++f) {
    const auto function = static_cast<Op>(f);
    const Tape tape = tape_of_call(function);
    const bool trigonometric = function == Op::kSin || function == Op::kCos;
    for (const int lanes : {1, 4, 8}) {
      const auto code = code_of(tape, lanes, {});
      ASSERT_TRUE(code);
      const std::size_t width = static_cast<std::size_t>(lanes);
      for (std::size_t start = 0; start < points.size(); start += width)
        for (std::size_t other = 0; other < (arity(function) > 1 ? points.size() : 1); ++other) {
          std::vector<double> q(3 * width);
          for (std::size_t lane = 0; lane < width; ++lane) {
            q[lane] = points[start + lane];
            q[width + lane] = points[other];
            q[2 * width + lane] = 7;
          }
          std::vector<const double*> arguments(kTapeArrays, nullptr);
          arguments[static_cast<std::size_t>(TapeArray::kCoordinate)] = q.data();
          const CodeRun result = run_code(*code, tape, arguments.data(), lanes);
          for (std::size_t lane = 0; lane < width; ++lane) {
            const double x[3] = {q[lane], q[width + lane], 7};
            const double expected = evaluate_function(function, x), computed = result.out[lane];
            const bool refused = trigonometric && !(std::abs(x[0]) <= 1073741824.0);
            EXPECT_EQ((result.failed >> lane & 1) != 0, refused && host_vector_unit() != VectorUnit::kSse2) << x[0];
            if (refused || same(computed, expected)) continue;
            const double ulp = std::nextafter(std::abs(expected), kInfinity) - std::abs(expected);
            EXPECT_NEAR(computed, expected, 2 * ulp)
                << "function " << f << ", lanes " << lanes << ", at " << x[0] << ", " << x[1];
          }
        }
    }
  }
}

// A tape with loops: register 10 + j is q[j]² + v[1] for j < 3, then they are summed backwards; output 2 − j is the
// partial sum. The second loop follows the first after an instruction or at once (and a part may end between them).
Tape two_loops(bool at_once) {
  const auto coordinate = static_cast<std::uint32_t>(TapeArray::kCoordinate),
             velocity = static_cast<std::uint32_t>(TapeArray::kVelocity);
  Tape tape;
  const auto add = [&tape](const Instruction& instruction, const Stride& stride = {}) {
    tape.instructions.push_back(instruction);
    tape.strides.push_back(stride);
  };
  const Instruction zero{.op = TapeOp::kConstant, .dst = 9, .a = 0};
  add({.op = TapeOp::kArgument, .dst = 0, .a = velocity, .b = 1});
  if (at_once) add(zero);
  add({.op = TapeOp::kArgument, .dst = 1, .a = coordinate, .b = 0}, {.b = 1});
  add({.op = TapeOp::kMultiplyAdd, .dst = 10, .a = 1, .b = 1, .c = 0}, {.dst = 1});
  if (!at_once) add(zero);
  add({.op = TapeOp::kAdd, .dst = 9, .a = 9, .b = 12}, {.b = -1});
  add({.op = TapeOp::kOutput, .dst = 2, .a = 9}, {.dst = -1});
  add({.op = TapeOp::kOutput, .dst = 3, .a = 10});
  tape.constants = {0};
  tape.registers = 13;
  tape.temporaries = 2;
  tape.outputs = 4;
  tape.loops = {{at_once ? 2u : 1u, at_once ? 4u : 3u, 3}, {4, 6, 3}};
  return tape;
}

// Oracle: the formula above, in small integers, so exactly.
TEST(MachineCode, RunsLoops) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  for (const bool at_once : {false, true})
    for (const std::size_t part : {std::size_t{2}, std::size_t{3000}})
      for (const int lanes : {1, 4, 8})
        for (const CodeEffort effort : {CodeEffort::kQuick, CodeEffort::kThorough}) {
          const Tape tape = two_loops(at_once);
          CodeOptions options;
          options.part = part;
          options.effort = effort;
          const auto code = code_of(tape, lanes, options);
          ASSERT_TRUE(code);
          const auto width = static_cast<std::size_t>(lanes);
          std::vector<double> q(3 * width), v(3 * width);
          for (std::size_t i = 0; i < 3 * width; ++i) {
            q[i] = static_cast<double>(i + 1);
            v[i] = static_cast<double>(3 * i);
          }
          std::vector<const double*> arguments(kTapeArrays, nullptr);
          arguments[static_cast<std::size_t>(TapeArray::kCoordinate)] = q.data();
          arguments[static_cast<std::size_t>(TapeArray::kVelocity)] = v.data();
          const CodeRun result = run_code(*code, tape, arguments.data(), lanes);
          for (std::size_t lane = 0; lane < width; ++lane) {
            double sum = 0;
            for (std::size_t j = 3; j-- > 0;) {
              sum += q[j * width + lane] * q[j * width + lane] + v[width + lane];
              EXPECT_EQ(result.out[j * width + lane], sum);
            }
            EXPECT_EQ(result.out[3 * width + lane], q[lane] * q[lane] + v[width + lane]);
          }
        }
}

// Of one system the sines of several arguments are the lanes of one. Oracle: libm's, both within 2 ulps of numbers below
// 1. Each angle is found that is too large, also where it is alone or the last of three.
TEST(MachineCode, SinesOfArgumentsAreTakenTogether) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  if (host_vector_unit() == VectorUnit::kSse2) GTEST_SKIP() << "sines are libm's here";
  for (std::size_t count = 1; count < 12; ++count) {
    TapeBuilder builder;
    std::vector<double> q(count);
    for (std::size_t i = 0; i < count; ++i) {
      q[i] = std::sin(static_cast<double>(3 * i + 1)) * 5;
      const std::array angle{builder.argument(TapeArray::kCoordinate, static_cast<int>(i))};
      const auto place = static_cast<std::uint32_t>(2 * i);
      // Of each third angle the cosine alone is wanted.
      builder.output(place, i % 3 == 2 ? angle[0] : builder.call(Op::kSin, angle));
      builder.output(place + 1, builder.call(Op::kCos, angle));
    }
    Tape tape = builder.take(2 * count);
    reuse_registers(tape);
    std::vector<const double*> arguments(kTapeArrays, nullptr);
    arguments[static_cast<std::size_t>(TapeArray::kCoordinate)] = q.data();
    const auto code = code_of(tape, 1, {});
    ASSERT_TRUE(code);
    const CodeRun result = run_code(*code, tape, arguments.data(), 1);
    EXPECT_EQ(result.failed, 0u);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(result.out[2 * i], i % 3 == 2 ? q[i] : std::sin(q[i]), 2 * kEpsilon);
      EXPECT_NEAR(result.out[2 * i + 1], std::cos(q[i]), 2 * kEpsilon);
    }
    for (double& angle : q) {
      const double before = std::exchange(angle, 1e10);
      EXPECT_EQ(run_code(*code, tape, arguments.data(), 1).failed, 1u);
      angle = before;
    }
  }
}

// So are those of angles that are one operation away from arguments, to the bit as each alone. Oracle: code of one of
// them. Together they take less than half of the code: of squares, which wait for a product, each has its own.
TEST(MachineCode, SinesOfMultiplesAndSumsAreTakenTogether) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  if (host_vector_unit() == VectorUnit::kSse2) GTEST_SKIP() << "sines are libm's here";
  const std::array<double, 2> q{0.7, -2.3};
  std::vector<const double*> arguments(kTapeArrays, nullptr);
  arguments[static_cast<std::size_t>(TapeArray::kCoordinate)] = q.data();
  using Angle = std::function<Operand(TapeBuilder&, Operand, Operand)>;
  std::vector<Angle> angles{
      [](TapeBuilder& b, Operand x, Operand y) { return b.add(x, y); },
      [](TapeBuilder& b, Operand x, Operand y) { return b.subtract(x, y); },
      [](TapeBuilder& b, Operand x, Operand) { return b.negate(x); },
      [](TapeBuilder& b, Operand x, Operand) { return b.add(x, Operand::of(0.3)); },
      [](TapeBuilder& b, Operand, Operand y) { return b.subtract(Operand::of(1.1), y); },
  };
  for (int k = 2; k < 129; ++k)
    angles.emplace_back([k](TapeBuilder& b, Operand x, Operand) { return b.multiply(Operand::of(k), x); });
  std::vector<Angle> squares;
  for (const Angle& angle : angles)
    squares.emplace_back([&angle](TapeBuilder& b, Operand x, Operand y) { return b.square(angle(b, x, y)); });
  const auto tape_of = [](std::span<const Angle> list) {
    TapeBuilder builder;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Operand x = builder.argument(TapeArray::kCoordinate, 0), y = builder.argument(TapeArray::kCoordinate, 1);
      builder.output(static_cast<std::uint32_t>(i), builder.call(Op::kSin, std::array{list[i](builder, x, y)}));
    }
    Tape tape = builder.take(list.size());
    reuse_registers(tape);
    return tape;
  };
  const Tape all = tape_of(angles);
  const auto code = code_of(all, 1, {}), each = code_of(tape_of(squares), 1, {});
  ASSERT_TRUE(code && each);
  EXPECT_LT(2 * code->size(), each->size());
  const CodeRun together = run_code(*code, all, arguments.data(), 1);
  for (std::size_t i = 0; i < 16; ++i) {
    const Tape one = tape_of(std::span(angles).subspan(i, 1));
    EXPECT_EQ(together.out[i], run_code(*code_of(one, 1, {}), one, arguments.data(), 1).out[0]) << i;
  }
}

// Code that is made quickly takes time that grows with its length: sixteen times as long, and twice that for the caches.
TEST(MachineCode, IsMadeInTimeThatGrowsWithItsLength) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  CodeOptions options;
  options.effort = CodeEffort::kQuick;
  const auto seconds_for = [&](std::uint32_t sines) {
    TapeBuilder builder;
    for (std::uint32_t i = 0; i < sines; ++i) {
      const auto x = builder.argument(TapeArray::kCoordinate, static_cast<int>(i));
      builder.output(i, builder.call(Op::kSin, std::array{builder.square(x)}));
    }
    Tape tape = builder.take(sines);
    reuse_registers(tape);
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      const std::clock_t begin = std::clock();
      EXPECT_TRUE(code_of(tape, 1, options));
      least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return least;
  };
  EXPECT_LT(seconds_for(960), 2 * 16 * seconds_for(60));
}

// Rounds that do not wait for each other are run several at once. Oracle: the interpreter on the tape without loops; of
// numbers below 3 a sine and a cosine are exact to 2 ulps each, the product and the sum to one. A large angle is found in
// whichever round it is, the last few of which are run twice.
TEST(MachineCode, RunsIndependentRoundsAtOnce) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  for (const int rounds : {3, 4, 5, 8, 11, 30}) {
    TapeBuilder builder;
    const Operand shared = builder.square(builder.argument(TapeArray::kVelocity, 0));
    std::vector<Operand> sums;
    for (int i = 0; i < rounds; ++i) {
      const Operand angle = builder.argument(TapeArray::kCoordinate, 2 * i + 1);
      const Operand sine = builder.call(Op::kSin, std::array{angle}),
                    cosine = builder.call(Op::kCos, std::array{angle});
      sums.push_back(builder.add(builder.multiply(sine, cosine), shared));
      builder.output(static_cast<std::uint32_t>(i), sums.back());
    }
    for (int i = 0; i < rounds; ++i) {
      const Operand backwards = builder.argument(TapeArray::kVelocity, rounds - i);
      builder.output(static_cast<std::uint32_t>(rounds + i),
                     builder.multiply(backwards, sums[static_cast<std::size_t>(rounds - 1 - i)]));
    }
    Tape tape = builder.take(static_cast<std::size_t>(2 * rounds));
    std::vector<double> q(static_cast<std::size_t>(2 * rounds)), v(static_cast<std::size_t>(rounds + 1));
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = std::sin(static_cast<double>(3 * i + 1));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::cos(static_cast<double>(5 * i));
    std::vector<const double*> arguments(kTapeArrays, nullptr);
    arguments[static_cast<std::size_t>(TapeArray::kCoordinate)] = q.data();
    arguments[static_cast<std::size_t>(TapeArray::kVelocity)] = v.data();
    std::vector<double> expected(tape.outputs), work(tape.registers);
    run(tape, arguments.data(), work.data(), expected.data(), 1);
    roll_loops(tape, {.instructions = 0, .gain = 1, .rounds = 3, .saved = 1});
    ASSERT_FALSE(tape.loops.empty());
    const auto code = code_of(tape, 1, {});
    ASSERT_TRUE(code);
    const CodeRun result = run_code(*code, tape, arguments.data(), 1);
    EXPECT_EQ(result.failed, 0u);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(result.out[i], expected[i], 3 * 6 * kEpsilon) << i;
    if (host_vector_unit() == VectorUnit::kSse2) continue;  // sines are libm's there
    for (int large = 0; large < rounds; ++large) {
      double& angle = q[static_cast<std::size_t>(2 * large + 1)];
      const double before = std::exchange(angle, 1e10);
      EXPECT_EQ(run_code(*code, tape, arguments.data(), 1).failed, 1u) << large;
      angle = before;
    }
  }
}

// Oracle: the interpreter, bit by bit. Parts of 50 instructions hand some hundred values on through memory.
TEST(MachineCode, LongTapesAreSplit) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  RandomGraph random(5);
  for (int i = 0; i < 800; ++i) random.grow();
  const Tape tape = make_tape(random.nodes);
  ASSERT_GT(tape.instructions.size(), 1000u);
  CodeOptions options;
  options.widest = VectorUnit::kSse2;
  options.effort = CodeEffort::kQuick;
  options.part = 50;
  const auto code = code_of(tape, 4, options);
  ASSERT_TRUE(code);
  const LaneArguments arguments(random_arguments(random, 4, -2, 2));
  const CodeRun result = run_code(*code, tape, arguments.view(), 4);
  for (std::size_t lane = 0; lane < 4; ++lane) {
    const auto expected = arguments.interpreted(tape, lane);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(same(result.out[4 * i + lane], expected[i])) << i << ": " << result.out[4 * i + lane];
  }
}

// A lane whose angle is too large for the reduction is named; the others have their values.
TEST(MachineCode, LargeAnglesAreHandedBack) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  if (host_vector_unit() == VectorUnit::kSse2) GTEST_SKIP() << "sines are libm's here";
  const Tape tape = tape_of_call(Op::kSin);
  const auto code = code_of(tape, 8, {});
  ASSERT_TRUE(code);
  const std::vector<double> q{1, 1e9, 1073741825.0, -1, -1e300, std::nan(""), 1073741824.0, 0};
  std::vector<const double*> arguments(kTapeArrays, nullptr);
  arguments[static_cast<std::size_t>(TapeArray::kCoordinate)] = q.data();
  const CodeRun result = run_code(*code, tape, arguments.data(), 8);
  EXPECT_EQ(result.failed, 0b00110100u);
  for (const std::size_t lane : {0u, 1u, 3u, 6u, 7u})
    EXPECT_NEAR(result.out[lane], std::sin(q[lane]), kEpsilon);  // at most 2 ulps of numbers below 1
}

TEST(MachineCode, SaysWhyThereIsNone) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  CodeOptions options;
  options.llvm_library = "/nowhere/libLLVM.so";
  std::string why;
  EXPECT_EQ(code_of(tape_of_call(Op::kExp), 1, options, &why), nullptr);
  EXPECT_NE(why.find("libllvm19"), std::string::npos) << why;
  EXPECT_NE(why.find("/nowhere/libLLVM.so"), std::string::npos) << why;
}

// A library of another version, whatever its name says.
TEST(MachineCode, IsOfTheVersionOfTheHeaders) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  CodeOptions options;
  options.llvm_library = DALEMBERT_OTHER_LLVM;
  std::string why;
  EXPECT_EQ(code_of(tape_of_call(Op::kExp), 1, options, &why), nullptr);
  EXPECT_NE(why.find("is not LLVM 19: it is LLVM 15.0.6"), std::string::npos) << why;
}

// Four threads, each with code of its own.
TEST(MachineCode, IsGeneratedByManyThreadsAtOnce) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  std::vector<double> results(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < results.size(); ++i)
      threads.emplace_back([&results, i] {
        const Tape tape = tape_of_call(Op::kAtan);
        const double x = static_cast<double>(i);
        std::vector<const double*> arguments(kTapeArrays, &x);
        if (const auto code = code_of(tape, 1, {})) results[i] = run_code(*code, tape, arguments.data(), 1).out[0];
      });
  }
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], std::atan(static_cast<double>(i)));
}

// Oracle: the interpreter, bit by bit where nothing is fused, on numbers of which many would be subnormal; and the state
// of the processor is the caller's before and after, in a thread that rounds upwards as well.
TEST(MachineCode, TakesSubnormalsForZerosAsTheInterpreterDoes) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  const auto check = [](int seed, std::initializer_list<int> widths, CodeEffort effort) {
    CodeOptions options;
    options.widest = VectorUnit::kSse2;
    options.effort = effort;
    if (seed == 0) options.part = 700;  // several functions
    Tape tape = testing::tape_of_small_numbers(static_cast<unsigned>(seed), 2000);
    if (seed % 2 == 0) finish(tape);
    ASSERT_TRUE(takes_subnormals_for_zeros(tape));
    for (const int lanes : widths) {
      const std::vector<double> q = testing::small_coordinates(static_cast<unsigned>(seed), lanes);
      std::vector<const double*> arguments(kTapeArrays, q.data());
      std::vector<double> work(tape.registers * static_cast<std::size_t>(lanes), std::nan("")),
          expected(tape.outputs * static_cast<std::size_t>(lanes), std::nan(""));
      run(tape, arguments.data(), work.data(), expected.data(), lanes);
      const auto code = code_of(tape, lanes, options);
      ASSERT_TRUE(code);
      const auto before = testing::processor_word();
      const CodeRun result = run_code(*code, tape, arguments.data(), lanes);
      EXPECT_EQ(testing::processor_word(), before);
      EXPECT_EQ(result.failed, 0u);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NE(std::fpclassify(result.out[i]), FP_SUBNORMAL);
        ASSERT_TRUE(same(result.out[i], expected[i]))
            << "seed " << seed << ", " << lanes << " lanes: " << result.out[i] << ", " << expected[i];
      }
    }
  };
  check(0, {1, 4, 8}, CodeEffort::kQuick);
  check(1, {1}, CodeEffort::kThorough);
  const auto before = testing::processor_word();
  std::jthread([&] {
    std::fesetround(FE_UPWARD);
    check(2, {1}, CodeEffort::kQuick);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
  }).join();
  EXPECT_EQ(testing::processor_word(), before);
}

}  // namespace
}  // namespace dalembert

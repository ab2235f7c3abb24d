// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "compile/random_graph.h"
#include "dalembert/compile/interpreter.h"
#include "dalembert/compile/tape_builder.h"
#include "dalembert/compile/tape_passes.h"

namespace dalembert {
namespace {

constexpr RollOptions kAlways{.instructions = 0, .rounds = 3, .saved = 1};

// Every array that a tape reads, full of random numbers.
struct Inputs {
  std::array<std::vector<double>, kTapeArrays> of{};
  std::array<const double*, kTapeArrays> view{};
  explicit Inputs(std::size_t each, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(0.5, 1.5);
    for (std::size_t i = 0; i < of.size(); ++i) {
      of[i].resize(each);
      for (double& x : of[i]) x = any(random);
      view[i] = of[i].data();
    }
  }
};

std::vector<double> values(const Tape& tape, const Inputs& inputs) {
  std::vector<double> work(tape.registers, std::nan("")), out(tape.outputs, std::nan(""));
  run(tape, inputs.view.data(), work.data(), out.data(), 1);
  return out;
}

// What Tape::loops, strides and temporaries promise.
void expect_well_formed(const Tape& tape) {
  if (tape.loops.empty()) return;
  ASSERT_EQ(tape.strides.size(), tape.instructions.size());
  std::uint32_t behind = 0;
  std::vector<int> writer(tape.temporaries, -1);  // by temporary: part of the tape that wrote it last
  auto loop = tape.loops.begin();
  for (std::uint32_t i = 0; i < tape.instructions.size(); ++i) {
    if (loop != tape.loops.end() && i == loop->end) {
      for (int& w : writer)
        if (w >= static_cast<int>(loop->begin)) w = -1;  // of no use behind the loop
      behind = loop++->end;
    }
    const bool inside = loop != tape.loops.end() && i >= loop->begin;
    if (inside) {
      ASSERT_GE(loop->begin, behind);
    }
    const Instruction& at = tape.instructions[i];
    const Stride stride = inside ? tape.strides[i] : Stride{};
    const RegisterUse use = register_use(at);
    const auto read = [&](std::uint32_t field, std::int32_t by) {
      ASSERT_LT(field, tape.registers);
      if (field >= tape.temporaries) return;
      EXPECT_EQ(by, 0);
      EXPECT_GE(writer[field], 0) << "temporary " << field << " read at " << i << " before it is written";
    };
    const auto write = [&](std::uint32_t field, std::int32_t by) {
      ASSERT_LT(field, tape.registers);
      if (field >= tape.temporaries) return;
      EXPECT_EQ(by, 0);
      writer[field] = static_cast<int>(i);
    };
    if (use.reads_a) read(at.a, stride.a);
    if (use.reads_b) read(at.b, stride.b);
    if (use.reads_c) read(at.c, stride.c);
    if (use.writes_dst) write(at.dst, stride.dst);
    if (use.writes_b) write(at.b, stride.b);
  }
  // A round reads no temporary that an earlier round wrote: what is written in a loop is read behind its write only.
  for (const Loop& l : tape.loops) {
    std::vector<bool> written(tape.temporaries), read_first(tape.temporaries);
    for (std::uint32_t i = l.begin; i < l.end; ++i) {
      const RegisterUse use = register_use(tape.instructions[i]);
      for_each_read(tape.instructions[i], [&](std::uint32_t field) {
        if (field < tape.temporaries && !written[field]) read_first[field] = true;
      });
      if (use.writes_dst && tape.instructions[i].dst < tape.temporaries) written[tape.instructions[i].dst] = true;
      if (use.writes_b && tape.instructions[i].b < tape.temporaries) written[tape.instructions[i].b] = true;
    }
    for (std::size_t r = 0; r < tape.temporaries; ++r) EXPECT_FALSE(written[r] && read_first[r]) << r;
  }
}

// Rolls the tape, with and without register reuse, and expects the same bits. Returns the rolled tape.
Tape expect_same_rolled(const Tape& straight, const Inputs& inputs, const RollOptions& options = kAlways) {
  Tape rolled = straight;
  fuse_products_into_sums(rolled);
  const std::vector<double> expected = values(straight, inputs);
  roll_loops(rolled, options);
  expect_well_formed(rolled);
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (std::isnan(x) && std::isnan(y));
  };
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<double> computed = values(rolled, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(same(expected[i], computed[i])) << i << ": " << expected[i] << ", " << computed[i];
    reuse_registers(rolled);
    expect_well_formed(rolled);
    if (pass == 1) break;
  }
  return rolled;
}

// x_{i+1} = a_i x_i + q_i² forward, then y_i = x_i − c y_{i+1} backward: the two sweeps of an elimination.
Tape sweeps(int n) {
  TapeBuilder tape;
  std::vector<Operand> x{tape.argument(TapeArray::kTime, 0)};
  for (int i = 0; i < n; ++i) {
    const Operand a = tape.argument(TapeArray::kParameter, i), q = tape.argument(TapeArray::kCoordinate, 2 * i + 1);
    const Operand sine = tape.call(Op::kSin, std::array{tape.add(q, a)});
    const Operand cosine = tape.call(Op::kCos, std::array{tape.add(q, a)});
    x.push_back(tape.add(tape.multiply(tape.multiply(a, sine), x.back()), tape.multiply(tape.square(q), cosine)));
  }
  Operand y = x.back();
  const Operand c = tape.argument(TapeArray::kParameter, n);
  for (int i = n - 1; i >= 0; --i) {
    y = tape.subtract(x[static_cast<std::size_t>(i)], tape.multiply(c, tape.multiply(y, tape.argument(TapeArray::kVelocity, i))));
    tape.output(static_cast<std::uint32_t>(i), y);
  }
  return tape.take(static_cast<std::size_t>(n));
}

// Oracle of all of these: the same tape without loops, which nothing but the interpreter's loops can differ from.
TEST(RollLoops, ForwardRecurrenceAndReverseSweep) {
  for (const int n : {3, 5, 8, 20, 100}) {
    const Tape rolled = expect_same_rolled(sweeps(n), Inputs(300));
    if (n >= 8) {
      EXPECT_EQ(rolled.loops.size(), 2u);
      EXPECT_LT(rolled.instructions.size(), 80u);
    }
  }
}

}  // namespace
}  // namespace dalembert

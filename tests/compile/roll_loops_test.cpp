// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "compile/periodic_tape.h"

namespace dalembert {
namespace {

using testing::expect_same_rolled;
using testing::RandomPeriodicTape;
using testing::TapeInputs;

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
    const Tape rolled = expect_same_rolled(sweeps(n), TapeInputs(300));
    if (n >= 8) {
      EXPECT_EQ(rolled.loops.size(), 2u);
      EXPECT_LT(rolled.instructions.size(), 80u);
    }
  }
}

TEST(RollLoops, RandomLoops) {
  int rolled = 0, loops = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    const Tape tape = expect_same_rolled(RandomPeriodicTape(seed).take(), TapeInputs(RandomPeriodicTape::kEach));
    rolled += !tape.loops.empty();
    loops += static_cast<int>(tape.loops.size());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(rolled, 2500);
  EXPECT_GT(loops, 6000);
}

}  // namespace
}  // namespace dalembert

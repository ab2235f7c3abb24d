// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/angle_sums.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dalembert/compile/tape_arguments.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape.h"

namespace dalembert {
namespace {

class AngleSums : public ::testing::Test {
 protected:
  Graph graph;
  Expr a = graph.add_symbol({"a", SymbolKind::kCoordinate, 0, {}}),
       b = graph.add_symbol({"b", SymbolKind::kCoordinate, 1, {}}),
       c = graph.add_symbol({"c", SymbolKind::kCoordinate, 2, {}});

  static std::size_t own_sines(const Tape& tape) {
    std::size_t count = 0;
    for (const Instruction& instruction : tape.instructions)
      count +=
          instruction.op == TapeOp::kSinCos ||
          (instruction.op == TapeOp::kCall && (instruction.function == Op::kSin || instruction.function == Op::kCos));
    return count;
  }
};

// Oracle: std::sin and std::cos of the sum; both ways round to within a few ε of 1.
TEST_F(AngleSums, SumsFollowFromTheirParts) {
  const std::array<Expr, 8> list{sin(a),     cos(b),     sin(a + b), cos(a + b),
                                 sin(b - a), cos(a - b), sin(2 * a), cos(a + b + c) * sin(c)};
  const Tape tape = make_tape(list);
  EXPECT_EQ(own_sines(tape), 3u);  // of a, b and c
  for (const double x : {0.3, -2.0, 40.0}) {
    const std::array<double, 3> q{x, 0.7 - x, 1.9};
    std::vector<double> out(list.size()), work(tape.registers);
    run(tape, {.q = q.data(), .work = work.data()}, out.data());
    const double A = q[0], B = q[1], C = q[2];
    const std::array<double, 8> expected{
        std::sin(A),     std::cos(B),     std::sin(A + B), std::cos(A + B),
        std::sin(B - A), std::cos(A - B), std::sin(2 * A), std::cos(A + B + C) * std::sin(C)};
    for (std::size_t i = 0; i < list.size(); ++i) EXPECT_NEAR(out[i], expected[i], 2e-14) << i;
  }
}

// cos(n a) from cos((n-1) a) and cos(a): each is asked for by all that follow, and made once; the recursion without
// memory would take 2^60 steps. Oracle: std::cos; each step is a turn, of norm 1, with two products and a sum for
// each of sine and cosine, so errors add up to at most 60 times some 6 ε.
TEST_F(AngleSums, MultiplesAreMadeOnce) {
  std::vector<Expr> list;
  for (int n = 1; n <= 60; ++n) list.push_back(cos(n * a));
  const Tape tape = make_tape(list);
  EXPECT_EQ(own_sines(tape), 1u);
  EXPECT_LE(tape.instructions.size(), 8 * list.size());
  const double x = 0.37;
  std::vector<double> out(list.size()), work(tape.registers);
  run(tape, {.q = &x, .work = work.data()}, out.data());
  for (std::size_t i = 0; i < list.size(); ++i)
    EXPECT_NEAR(out[i], std::cos(static_cast<double>(i + 1) * x), 60 * 6 * 2.3e-16) << i;
}

// A sum whose parts have no sine of their own keeps its own; so does what is no sum of symbols.
TEST_F(AngleSums, OthersAreLeftAlone) {
  EXPECT_EQ(own_sines(make_tape(std::array{sin(a + b), cos(a)})), 2u);
  EXPECT_EQ(own_sines(make_tape(std::array{sin(a * b), cos(a), cos(b)})), 3u);
  EXPECT_EQ(own_sines(make_tape(std::array{sin(a + 1), cos(a)})), 2u);
  // From a and a + b, b follows.
  EXPECT_EQ(find_angle_sums(std::array{sin(a + b), cos(a), sin(b)}).size(), 1u);
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Oracle of all tests here: the same tape without loops, to the bit (expect_same_rolled), with temporaries and after
// their registers are reused. What a tape with loops may do is checked too (expect_well_formed).
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"
#include "tape/periodic_tape.h"
#include "tape/random_graph.h"

namespace dalembert {
namespace {

using testing::expect_same_rolled;
using testing::kAlways;
using testing::RandomPeriodicTape;
using testing::TapeInputs;

Operand sine(TapeBuilder& tape, Operand x) { return tape.call(Op::kSin, std::array{x}); }
Operand cosine(TapeBuilder& tape, Operand x) { return tape.call(Op::kCos, std::array{x}); }
Operand q(TapeBuilder& tape, int i) { return tape.argument(TapeArray::kCoordinate, i); }
Operand p(TapeBuilder& tape, int i) { return tape.argument(TapeArray::kParameter, i); }

// The two sweeps of an elimination, x_{i+1} = p_i x_i sin(..) + q_i² cos(..) and y_i = x_i − c y_{i+1} v_i.
Tape sweeps(int n) {
  TapeBuilder tape;
  std::vector<Operand> x{tape.argument(TapeArray::kTime, 0)};
  for (int i = 0; i < n; ++i) {
    const Operand a = p(tape, i), b = q(tape, 2 * i + 1), angle = tape.add(a, b);
    const Operand first = tape.multiply(tape.multiply(a, sine(tape, angle)), x.back());
    x.push_back(tape.add(first, tape.multiply(tape.square(b), cosine(tape, angle))));
  }
  Operand y = x.back();
  for (int i = n - 1; i >= 0; --i) {
    const Operand v = tape.argument(TapeArray::kVelocity, i);
    y = tape.subtract(x[static_cast<std::size_t>(i)], tape.multiply(p(tape, n), tape.multiply(y, v)));
    tape.output(static_cast<std::uint32_t>(i), y);
  }
  return tape.take(static_cast<std::size_t>(n));
}

TEST(RollLoops, ForwardRecurrenceAndReverseSweep) {
  for (const int n : {3, 5, 8, 20, 100}) expect_same_rolled(sweeps(n), TapeInputs(300));
  const Tape rolled = expect_same_rolled(sweeps(100), TapeInputs(300));
  ASSERT_EQ(rolled.loops.size(), 2u);
  EXPECT_GE(rolled.loops[0].rounds, 97u);
  EXPECT_GE(rolled.loops[1].rounds, 97u);
  EXPECT_LT(rolled.instructions.size(), 60u);
  EXPECT_LT(rolled.registers, 130u);  // x_i, which the second sweep reads; y is carried
  EXPECT_LT(rolled.temporaries, 12u);
}

// What nothing but the next round reads takes one place.
TEST(RollLoops, CarriedValuesTakeNoRecords) {
  TapeBuilder tape;
  Operand sum = q(tape, 0), product = q(tape, 1);
  for (int i = 0; i < 50; ++i) {
    sum = tape.add(sum, tape.multiply(product, q(tape, i + 2)));
    product = tape.multiply(product, tape.add(sum, p(tape, 0)));
  }
  tape.output(0, sum);
  tape.output(1, product);
  const Tape rolled = expect_same_rolled(tape.take(2), TapeInputs(60));
  EXPECT_EQ(rolled.loops.size(), 1u);
  EXPECT_LT(rolled.registers, 10u);
}

// Two sequences whose instructions take turns, each reading the other's past.
TEST(RollLoops, InterleavedSequences) {
  TapeBuilder tape;
  std::vector<Operand> x{q(tape, 0), q(tape, 1), q(tape, 2)}, y{q(tape, 3), q(tape, 4), q(tape, 5)};
  for (std::size_t i = 3; i < 80; ++i) {
    x.push_back(tape.subtract(tape.multiply(x[i - 1], y[i - 3]), x[i - 2]));
    y.push_back(tape.add(sine(tape, x[i]), tape.multiply(y[i - 2], tape.square(x[i - 3]))));
    tape.output(static_cast<std::uint32_t>(2 * i - 6), y.back());
    tape.output(static_cast<std::uint32_t>(2 * i - 5), x[i - 1]);
  }
  const Tape rolled = expect_same_rolled(tape.take(154), TapeInputs(10));
  EXPECT_EQ(rolled.loops.size(), 1u);
  EXPECT_LT(rolled.instructions.size(), 60u);
}

// A round that differs, another number in the middle, and a longer period from some round on.
TEST(RollLoops, IrregularRounds) {
  for (const int odd : {0, 1, 7, 20, 38, 39}) {
    TapeBuilder tape;
    Operand x = q(tape, 0);
    std::vector<Operand> all;
    for (int i = 0; i < 40; ++i) {
      x = tape.add(tape.multiply(x, q(tape, i)), cosine(tape, q(tape, i + 1)));
      if (i == odd) x = tape.divide(tape.add(x, Operand::of(2)), p(tape, 3));
      if (i >= 25) x = tape.multiply(Operand::of(i < 32 ? 0.5 : 0.25), sine(tape, x));
      all.push_back(x);
      tape.output(static_cast<std::uint32_t>(i), x);
    }
    for (int i = 0; i < 40; ++i)  // reads across all of that
      tape.output(static_cast<std::uint32_t>(40 + i), tape.square(all[static_cast<std::size_t>(39 - i)]));
    const Tape rolled = expect_same_rolled(tape.take(80), TapeInputs(50));
    EXPECT_FALSE(rolled.loops.empty());
  }
}

// Values of the first, a middle and the last round, and all of them in another order.
TEST(RollLoops, ValuesReadBehindTheLoop) {
  TapeBuilder tape;
  std::vector<Operand> x{q(tape, 0)};
  for (int i = 1; i < 60; ++i) x.push_back(tape.add(tape.multiply(x.back(), p(tape, i)), Operand::of(1)));
  std::uint32_t next = 0;
  for (const std::size_t i : {1u, 30u, 58u, 59u}) tape.output(next++, tape.square(x[i]));
  for (std::size_t i = 0; i < 60; ++i) tape.output(next++, x[(7 * i) % 60]);
  expect_same_rolled(tape.take(next), TapeInputs(60));
}

// A loop that takes one value of two a round: two of its rounds are one of the other's.
TEST(RollLoops, RoundsAreJoinedWhereTheirProviderIsSlower) {
  TapeBuilder tape;
  std::vector<Operand> all;
  Operand x = q(tape, 0);
  for (int i = 0; i < 40; ++i) {
    x = tape.add(tape.square(x), q(tape, i));
    all.push_back(x);
    all.push_back(sine(tape, x));
  }
  Operand largest = all[0];
  for (const Operand value : all) largest = tape.call(Op::kMax, std::array{largest, value});
  tape.output(0, largest);
  const Tape rolled = expect_same_rolled(tape.take(1), TapeInputs(50));
  EXPECT_EQ(rolled.loops.size(), 2u);
  EXPECT_LT(rolled.instructions.size(), 40u);
}

// Values of straight-line code, which no loop computes, become an array if a loop wants them in turn.
TEST(RollLoops, ValuesOfNoLoopInTurn) {
  TapeBuilder tape;
  std::vector<Operand> odd{q(tape, 0)};
  for (int i = 1; i < 12; ++i) {
    const Operand other = q(tape, (i * i) % 13);
    odd.push_back(i % 3 == 0   ? tape.divide(other, odd.back())
                  : i % 3 == 1 ? tape.subtract(odd.back(), other)
                               : tape.multiply(other, odd.back()));
  }
  for (int i = 0; i < 12; ++i) {
    const Operand y = tape.add(odd[static_cast<std::size_t>(11 - i)], sine(tape, odd[static_cast<std::size_t>(i)]));
    tape.output(static_cast<std::uint32_t>(i), tape.multiply(y, y));
  }
  expect_same_rolled(tape.take(12), TapeInputs(20));
}

TEST(RollLoops, RandomLoops) {
  int rolled = 0;
  std::size_t loops = 0, before = 0, after = 0;
  for (unsigned seed = 0; seed < 2000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Tape straight = RandomPeriodicTape(seed).take();
    const Tape tape = expect_same_rolled(straight, TapeInputs(RandomPeriodicTape::kEach));
    rolled += !tape.loops.empty();
    loops += tape.loops.size();
    before += straight.instructions.size();
    after += tape.instructions.size();
  }
  EXPECT_GT(rolled, 1600);
  EXPECT_GT(loops, 4000u);
  EXPECT_LT(3 * after, before);
}

// Nothing repeats, or what does is too short: every threshold down.
TEST(RollLoops, RandomGraphs) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    testing::RandomGraph random(seed);
    for (int i = 0; i < 80; ++i) random.grow();
    expect_same_rolled(flatten(random.nodes), TapeInputs(testing::Arguments::kEach));
  }
}

TEST(RollLoops, ShortTapesAndSmallGainsAreLeftAlone) {
  const Tape straight = sweeps(100);
  Tape tape = straight;
  roll_loops(tape);
  EXPECT_TRUE(tape.loops.empty());
  EXPECT_EQ(tape.instructions.size(), straight.instructions.size());
  roll_loops(tape, {.instructions = 0, .gain = 1000});
  EXPECT_TRUE(tape.loops.empty());
  roll_loops(tape, {.instructions = 0, .rounds = 200});
  EXPECT_TRUE(tape.loops.empty());
  roll_loops(tape, {.instructions = 0});
  EXPECT_FALSE(tape.loops.empty());
  Tape empty;
  roll_loops(empty, kAlways);
  reuse_registers(empty);
  EXPECT_TRUE(empty.instructions.empty());
}

// Every kernel function of a chain: about as many instructions for 300 links as for 100.
TEST(RollLoops, ChainsTakeAsManyInstructionsForAnyNumberOfLinks) {
  std::array<std::vector<Tape>, 2> rolled;
  const std::array<const char*, 2> links{"N=100", "N=300"};
  for (std::size_t i = 0; i < 2; ++i) {
    Result<Model> model = load_model_file(source_tree() + "/models/n-link-chain-maximal.toml",
                                          {.overrides = {parse_override(links[i]).value()}, .directory = {}});
    ASSERT_TRUE(model);
    const Result<Equations> equations = derive(std::make_shared<Model>(std::move(model).value()));
    ASSERT_TRUE(equations);
    std::vector<Tape> tapes;
    for (const KernelFunction function : {KernelFunction::kTerms, KernelFunction::kRates})
      tapes.push_back(flatten(kernel_expressions(*equations, function)));
    const auto solved = make_kkt_tapes(*equations);
    ASSERT_TRUE(solved);
    tapes.insert(tapes.end(), {solved->accelerations, solved->position_step, solved->velocity_step});
    for (Tape& tape : tapes) {
      split_preparation(tape, 0);
      rolled[i].push_back(expect_same_rolled(tape, TapeInputs(2000), RollOptions{}));
    }
  }
  for (std::size_t k = 0; k < rolled[0].size(); ++k) {
    EXPECT_FALSE(rolled[0][k].loops.empty()) << k;
    EXPECT_LT(rolled[1][k].instructions.size(), rolled[0][k].instructions.size() + 200) << k;
    EXPECT_LT(rolled[1][k].instructions.size(), 800u) << k;
  }
}

}  // namespace
}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/independent_rounds.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace dalembert {
namespace {

Tape loop_of(const std::vector<std::pair<Instruction, Stride>>& body, std::uint32_t rounds) {
  Tape tape;
  for (const auto& [instruction, stride] : body) {
    tape.instructions.push_back(instruction);
    tape.strides.push_back(stride);
  }
  tape.temporaries = 2;
  tape.registers = 100;
  tape.loops = {{0, static_cast<std::uint32_t>(body.size()), rounds}};
  return tape;
}
bool independent(const Tape& tape) { return has_independent_rounds(tape, tape.loops[0]); }

TEST(IndependentRounds, SaysWhichLoopsHaveThem) {
  const Instruction load{.op = TapeOp::kArgument, .dst = 0, .a = 3, .b = 0};
  const Instruction sine{.op = TapeOp::kSinCos, .dst = 10, .a = 0, .b = 11};
  const auto negate = [](std::uint32_t to, std::uint32_t from) {
    return Instruction{.op = TapeOp::kNegate, .dst = to, .a = from};
  };
  EXPECT_TRUE(independent(loop_of({{load, {.b = 1}}, {sine, {.dst = 2, .b = 2}}}, 5)));
  EXPECT_TRUE(independent(loop_of({{negate(10, 50), {.dst = 1, .a = 1}}, {negate(30, 10), {.dst = 1, .a = 1}}}, 5)));
  EXPECT_FALSE(independent(loop_of({{negate(11, 10), {.dst = 1, .a = 1}}}, 5))) << "reads the round before";
  EXPECT_FALSE(independent(loop_of({{negate(10, 14), {.dst = 1, .a = -1}}}, 5))) << "meets half way";
  EXPECT_FALSE(independent(loop_of({{negate(10, 10), {}}}, 5))) << "carried";
  EXPECT_TRUE(independent(loop_of({{negate(11, 10), {.dst = 2, .a = 2}}}, 5))) << "odd and even places";
  const Instruction output{.op = TapeOp::kOutput, .dst = 0, .a = 1};
  EXPECT_FALSE(independent(loop_of({{output, {}}}, 5)));
  EXPECT_TRUE(independent(loop_of({{output, {.dst = 1}}}, 5)));
}

// Oracle: all places that each round of a random loop reads and writes, in sets. Where some round reads what another
// writes, true must not be said.
TEST(IndependentRounds, IsNeverSaidInVain) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  int said = 0;
  for (int attempt = 0; attempt < 3000; ++attempt) {
    const std::uint32_t rounds = 2 + static_cast<std::uint32_t>(below(4));
    std::vector<std::pair<Instruction, Stride>> body;
    for (int i = 1 + below(3); i-- > 0;)
      body.push_back({{.op = TapeOp::kNegate,
                       .dst = static_cast<std::uint32_t>(20 + below(12)),
                       .a = static_cast<std::uint32_t>(20 + below(12))},
                      {.dst = below(7) - 3, .a = below(7) - 3}});
    const Tape tape = loop_of(body, rounds);
    std::vector<std::set<std::int64_t>> reads(rounds), writes(rounds);
    for (std::size_t j = 0; j < rounds; ++j) {
      for (const auto& [at, stride] : body) {
        const auto round = static_cast<std::int64_t>(j);
        const std::int64_t from = at.a + round * stride.a;
        if (!writes[j].contains(from)) reads[j].insert(from);
        writes[j].insert(at.dst + round * stride.dst);
      }
    }
    bool meet = false;
    for (std::size_t j = 0; j < rounds; ++j)
      for (std::size_t k = 0; k < rounds; ++k)
        for (const std::int64_t place : reads[j]) meet = meet || (j != k && writes[k].contains(place));
    if (!independent(tape)) continue;
    ++said;
    EXPECT_FALSE(meet);
  }
  EXPECT_GT(said, 100);
}

}  // namespace
}  // namespace dalembert

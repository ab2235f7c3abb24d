// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kkt_tapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/modelfile/load.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// The most divisions one after the other that some acceleration or multiplier waits for, parameters given.
int divisions_in_a_row(const std::string& model, const std::vector<std::string>& overrides = {}) {
  LoadOptions options;
  for (const std::string& text : overrides) options.overrides.push_back(parse_override(text).value());
  Result<Model> loaded = load_model_file(DALEMBERT_SOURCE_DIR "/models/" + model + ".toml", options);
  EXPECT_TRUE(loaded);
  const Result<Equations> equations = derive(std::make_shared<Model>(std::move(loaded).value()));
  EXPECT_TRUE(equations);
  auto tapes = make_kkt_tapes(*equations);
  EXPECT_TRUE(tapes);
  Tape& tape = tapes->accelerations;
  split_preparation(tape, 0);
  std::vector<int> divisions(tape.registers);
  int most = 0;
  for (const Instruction& at : tape.instructions) {
    int before = 0;
    for_each_read(at, [&](std::uint32_t value) { before = std::max(before, divisions[value]); });
    const RegisterUse use = register_use(at);
    const bool divides = at.op == TapeOp::kDivide || at.op == TapeOp::kDivideInto;
    if (use.writes_dst) divisions[at.dst] = before + (divides ? 1 : 0);
    if (use.writes_b) divisions[at.b] = before;
    const auto unknowns = static_cast<std::uint32_t>(equations->n() + equations->m());
    if (at.op == TapeOp::kOutput && at.dst < unknowns) most = std::max(most, before);
  }
  return most;
}

// Counted on paper: what is eliminated last does not wait for the division before it.
//   slider-crank: det M, det S at the same time.
//   Andrews: the inverse of M's blocks, then of two pairs of rows, then of the third with the second.
//   A chain of 11 in maximal coordinates, whose M is constant: five pairs from each end, the last with the middle one.
TEST(KktTapes, FewDivisionsWaitForEachOther) {
  EXPECT_EQ(divisions_in_a_row("slider-crank"), 1);
  EXPECT_LE(divisions_in_a_row("andrews-squeezer"), 3);
  EXPECT_LE(divisions_in_a_row("n-link-chain-maximal", {"N=11"}), 6);
}

}  // namespace
}  // namespace dalembert

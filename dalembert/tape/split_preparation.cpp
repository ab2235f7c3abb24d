// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// For each value: whether it depends on nothing but constants and parameters that do not change.
std::vector<bool> find_prepared(const Tape& tape, const ChangingParameters& changing) {
  std::vector<bool> prepared(tape.registers);
  const auto is_fixed = [&](const Instruction& argument) {
    const auto array = static_cast<TapeArray>(argument.a);
    const bool changes = argument.b >= changing.first && argument.b < changing.first + changing.count;
    return shared_by_lanes(array) && !(array == TapeArray::kParameter && changes);
  };
  for (const Instruction& instruction : tape.instructions) {
    bool all = instruction.op != TapeOp::kArgument || is_fixed(instruction);
    for_each_read(instruction, [&](std::uint32_t value) { all = all && prepared[value]; });
    const RegisterUse use = register_use(instruction);
    if (use.writes_dst) prepared[instruction.dst] = all;
    if (use.writes_b) prepared[instruction.b] = all;
  }
  return prepared;
}

void remove_dead(Tape& tape) {
  std::vector<bool> read(tape.registers);
  std::vector<Instruction> kept;
  for (auto instruction = tape.instructions.rbegin(); instruction != tape.instructions.rend(); ++instruction) {
    const RegisterUse use = register_use(*instruction);
    const bool needed = instruction->op == TapeOp::kOutput || (use.writes_dst && read[instruction->dst]) ||
                        (use.writes_b && read[instruction->b]);
    if (!needed) continue;
    for_each_read(*instruction, [&](std::uint32_t value) { read[value] = true; });
    kept.push_back(*instruction);
  }
  tape.instructions.assign(kept.rbegin(), kept.rend());
}

bool is_leaf(const Instruction& instruction) {
  return instruction.op == TapeOp::kConstant || instruction.op == TapeOp::kArgument;
}

}  // namespace

Tape split_preparation(Tape& tape, std::uint32_t first, const ChangingParameters& changing) {
  const std::vector<bool> prepared = find_prepared(tape, changing);
  Tape preparation;
  preparation.constants = tape.constants;
  preparation.registers = tape.registers;
  std::vector<bool> at_hand(tape.registers);  // prepared values that the rest of the tape has loaded
  std::vector<Instruction> rest;
  for (const Instruction& instruction : tape.instructions) {
    const RegisterUse use = register_use(instruction);
    if (use.writes_dst && prepared[instruction.dst]) {
      preparation.instructions.push_back(instruction);
      if (!is_leaf(instruction)) continue;
      at_hand[instruction.dst] = true;
    }
    // A prepared value is loaded where it is first needed.
    for_each_read(instruction, [&](std::uint32_t value) {
      if (!prepared[value] || at_hand[value]) return;
      at_hand[value] = true;
      const auto place = static_cast<std::uint32_t>(preparation.outputs++);
      preparation.instructions.push_back({.op = TapeOp::kOutput, .dst = place, .a = value});
      rest.push_back({.op = TapeOp::kArgument,
                      .dst = value,
                      .a = static_cast<std::uint32_t>(TapeArray::kPrepared),
                      .b = first + place});
    });
    rest.push_back(instruction);
  }
  tape.instructions = std::move(rest);
  remove_dead(tape);
  remove_dead(preparation);
  return preparation;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/code_function.h"

#include <algorithm>
#include <cstddef>

namespace dalembert {

std::size_t code_work(const CodeFunction& function) {
  std::size_t entries = function.tape->registers;
  if (function.inputs != nullptr) entries = std::max(entries, function.inputs->registers);
  if (function.kind == CodeKind::kRungeKutta4) {
    entries += 1 + 2 * static_cast<std::size_t>(function.coordinates) + function.tape->outputs;
    if (function.inputs != nullptr) entries += function.inputs->outputs;
    if (loops_over_state(function)) entries += 4 * static_cast<std::size_t>(function.coordinates);
  }
  return entries * static_cast<std::size_t>(function.lanes);
}

// Long tapes and tapes with loops become functions of their own, which are called with arguments in memory.
bool calls_tapes(const CodeFunction& function) {
  constexpr std::size_t kInlined = 1500;  // a tape of up to this many instructions is inlined
  const auto inlined = [](const Tape& tape) { return tape.loops.empty() && tape.instructions.size() <= kInlined; };
  return !inlined(*function.tape) || (function.inputs != nullptr && !inlined(*function.inputs));
}

bool loops_over_state(const CodeFunction& function) {
  constexpr int kMostInRegisters = 64;  // coordinates whose state fits registers
  return calls_tapes(function) && function.coordinates > kMostInRegisters;
}

bool watches_outputs(const Tape& tape, std::size_t part) {
  return tape.loops.empty() && tape.outputs > 2 && tape.instructions.size() <= part;
}

}  // namespace dalembert

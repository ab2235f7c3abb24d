// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape.h"

#include "dalembert/expr/functions.h"

namespace dalembert {

std::size_t count_operations(const Tape& tape) {
  const auto count = [&](std::size_t begin, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const TapeOp op = tape.instructions[i].op;
      sum += op != TapeOp::kConstant && op != TapeOp::kArgument && op != TapeOp::kOutput;
    }
    return sum;
  };
  std::size_t sum = count(0, tape.instructions.size());
  for (const Loop& loop : tape.loops) sum += (loop.rounds - std::size_t{1}) * count(loop.begin, loop.end);
  return sum;
}

int arity(Op function) { return function_info(function).arguments; }

RegisterUse register_use_of_call(Op function) {
  const int count = arity(function);
  return {.reads_a = true, .reads_b = count > 1, .reads_c = count > 2, .writes_dst = true};
}

}  // namespace dalembert

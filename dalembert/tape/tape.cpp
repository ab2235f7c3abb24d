// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape.h"

#include "dalembert/expr/functions.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {

Tape make_tape(std::span<const Expr> outputs) {
  Tape tape = flatten(outputs);
  finish(tape);
  return tape;
}

void finish(Tape& tape) {
  fuse_products_into_sums(tape);
  roll_loops(tape);
  reuse_registers(tape);
}

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

RegisterUse register_use(const Instruction& instruction) {
  const RegisterUse unary{.reads_a = true, .writes_dst = true};
  switch (instruction.op) {
    case TapeOp::kConstant:
    case TapeOp::kArgument:
      return {.writes_dst = true};
    case TapeOp::kOutput:
      return {.reads_a = true};
    case TapeOp::kAdd:
    case TapeOp::kSubtract:
    case TapeOp::kMultiply:
    case TapeOp::kDivide:
      return {.reads_a = true, .reads_b = true, .writes_dst = true};
    case TapeOp::kNegate:
    case TapeOp::kSquare:
    case TapeOp::kSquareRoot:
    case TapeOp::kAddConstant:
    case TapeOp::kSubtractFrom:
    case TapeOp::kScale:
    case TapeOp::kDivideInto:
      return unary;
    case TapeOp::kMultiplyAdd:
    case TapeOp::kMultiplySubtract:
    case TapeOp::kSubtractProduct:
      return {.reads_a = true, .reads_b = true, .reads_c = true, .writes_dst = true};
    case TapeOp::kScaleAdd:
    case TapeOp::kScaleSubtract:
      return {.reads_a = true, .reads_c = true, .writes_dst = true};
    case TapeOp::kSinCos:
      return {.reads_a = true, .writes_dst = true, .writes_b = true};
    case TapeOp::kCall: {
      const int count = arity(instruction.function);
      return {.reads_a = true, .reads_b = count > 1, .reads_c = count > 2, .writes_dst = true};
    }
  }
  return {};
}

}  // namespace dalembert

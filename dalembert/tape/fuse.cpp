// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

class Fusion {
 public:
  explicit Fusion(Tape& tape);
  void run();

 private:
  bool is_private_product(std::uint32_t value) const;
  Instruction fused(const Instruction& sum, bool product_is_a) const;

  Tape& tape_;
  std::vector<std::uint32_t> uses_, defined_by_;
  std::vector<bool> dead_;
};

Fusion::Fusion(Tape& tape)
    : tape_(tape), uses_(tape.registers), defined_by_(tape.registers), dead_(tape.instructions.size()) {
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    const Instruction& instruction = tape.instructions[i];
    for_each_read(instruction, [&](std::uint32_t value) { ++uses_[value]; });
    const RegisterUse use = register_use(instruction);
    if (use.writes_dst) defined_by_[instruction.dst] = static_cast<std::uint32_t>(i);
    if (use.writes_b) defined_by_[instruction.b] = static_cast<std::uint32_t>(i);
  }
}

// Whether the value is a product that is read only once.
bool Fusion::is_private_product(std::uint32_t value) const {
  if (uses_[value] != 1) return false;
  const TapeOp op = tape_.instructions[defined_by_[value]].op;
  return op == TapeOp::kMultiply || op == TapeOp::kScale;
}

// sum = product ± rest or rest ± product, as one instruction.
Instruction Fusion::fused(const Instruction& sum, bool product_is_a) const {
  const Instruction& product = tape_.instructions[defined_by_[product_is_a ? sum.a : sum.b]];
  Instruction result = product;
  result.dst = sum.dst;
  result.c = product_is_a ? sum.b : sum.a;
  const bool scale = product.op == TapeOp::kScale;
  if (sum.op == TapeOp::kAdd)
    result.op = scale ? TapeOp::kScaleAdd : TapeOp::kMultiplyAdd;
  else if (product_is_a)
    result.op = scale ? TapeOp::kScaleSubtract : TapeOp::kMultiplySubtract;
  else
    result.op = TapeOp::kSubtractProduct;
  return result;
}

void Fusion::run() {
  for (Instruction& instruction : tape_.instructions) {
    if (instruction.op != TapeOp::kAdd && instruction.op != TapeOp::kSubtract) continue;
    bool a = is_private_product(instruction.a), b = is_private_product(instruction.b);
    // There is no instruction for rest − k·x; it is rare, since flattening writes it as rest + (−k)·x.
    if (instruction.op == TapeOp::kSubtract && b && tape_.instructions[defined_by_[instruction.b]].op == TapeOp::kScale)
      b = false;
    if (!a && !b) continue;
    // If both operands of the sum are products, the later one is fused: the operands of the earlier one would have to
    // be kept for longer.
    if (a && b) a = defined_by_[instruction.a] > defined_by_[instruction.b];
    dead_[defined_by_[a ? instruction.a : instruction.b]] = true;
    instruction = fused(instruction, a);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tape_.instructions.size(); ++i)
    if (!dead_[i]) tape_.instructions[kept++] = tape_.instructions[i];
  tape_.instructions.resize(kept);
}

}  // namespace

void fuse_products_into_sums(Tape& tape) { Fusion(tape).run(); }

}  // namespace dalembert

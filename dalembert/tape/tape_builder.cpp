// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

std::size_t hash(const Instruction& key) {
  std::uint64_t h = static_cast<std::uint64_t>(key.op) << 8 | static_cast<std::uint64_t>(key.function);
  for (const std::uint32_t field : {key.a, key.b, key.c}) h = (h ^ field) * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(h ^ h >> 32);
}

bool same(const Instruction& x, const Instruction& y) {
  return x.op == y.op && x.function == y.function && x.a == y.a && x.b == y.b && x.c == y.c;
}

}  // namespace

std::uint32_t TapeBuilder::new_value(bool prepared) {
  defined_by_.push_back(static_cast<std::uint32_t>(tape_.instructions.size()));
  prepared_.push_back(prepared);
  return static_cast<std::uint32_t>(defined_by_.size() - 1);
}

bool TapeBuilder::reads_prepared_only(const Instruction& instruction) const {
  if (instruction.op == TapeOp::kArgument) return shared_by_lanes(static_cast<TapeArray>(instruction.a));
  bool all = true;
  for_each_read(instruction, [&](std::uint32_t value) { all = all && prepared_[value]; });
  return all;
}

TapeBuilder::Entry* TapeBuilder::find(const Instruction& key) {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash(key) & mask; table_[slot].value != kFree; slot = (slot + 1) & mask)
    if (same(table_[slot].key, key)) return &table_[slot];
  return nullptr;
}

void TapeBuilder::insert(const Instruction& key, std::uint32_t value) {
  if (2 * ++entries_ > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash(key) & mask;
  while (table_[slot].value != kFree) slot = (slot + 1) & mask;
  table_[slot] = {key, value};
}

void TapeBuilder::grow() {
  std::vector<Entry> old(table_.size() * 2, Entry{{}, kFree});
  std::swap(old, table_);
  const std::size_t mask = table_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.value == kFree) continue;
    std::size_t slot = hash(entry.key) & mask;
    while (table_[slot].value != kFree) slot = (slot + 1) & mask;
    table_[slot] = entry;
  }
}

std::uint32_t TapeBuilder::constant_index(double value) {
  const auto next = static_cast<std::uint32_t>(tape_.constants.size());
  const auto [place, inserted] = constant_index_.try_emplace(std::bit_cast<std::uint64_t>(value), next);
  if (inserted) tape_.constants.push_back(value);
  return place->second;
}

std::uint32_t TapeBuilder::to_register(Operand x) {
  return x.is_constant ? emit(TapeOp::kConstant, constant_index(x.constant)).value : x.value;
}

Operand TapeBuilder::emit(TapeOp op, std::uint32_t a, std::uint32_t b, std::uint32_t c, Op function) {
  Instruction instruction{op, function, 0, a, b, c};
  if (const Entry* known = find(instruction)) return Operand::in_register(known->value);
  instruction.dst = new_value(reads_prepared_only(instruction));
  tape_.instructions.push_back(instruction);
  insert(instruction, instruction.dst);
  return Operand::in_register(instruction.dst);
}

Operand TapeBuilder::emit_with_constant(TapeOp op, Operand x, double constant) {
  return emit(op, x.value, constant_index(constant));
}

Operand TapeBuilder::argument(TapeArray array, int index) {
  return emit(TapeOp::kArgument, static_cast<std::uint32_t>(array), static_cast<std::uint32_t>(index));
}

Operand TapeBuilder::add(Operand x, Operand y) {
  if (x.is_constant && y.is_constant) return Operand::of(x.constant + y.constant);
  if (x.is_constant) std::swap(x, y);
  if (y.is(0)) return x;
  if (y.is_constant) return emit_with_constant(TapeOp::kAddConstant, x, y.constant);
  return emit(TapeOp::kAdd, std::min(x.value, y.value), std::max(x.value, y.value));
}

Operand TapeBuilder::subtract(Operand x, Operand y) {
  if (y.is_constant) return add(x, Operand::of(-y.constant));
  if (x.is(0)) return negate(y);
  if (x.is_constant) return emit_with_constant(TapeOp::kSubtractFrom, y, x.constant);
  return emit(TapeOp::kSubtract, x.value, y.value);
}

Operand TapeBuilder::multiply(Operand x, Operand y) {
  if (x.is_constant && y.is_constant) return Operand::of(x.constant * y.constant);
  if (x.is_constant) std::swap(x, y);
  if (y.is(1)) return x;
  if (y.is(-1)) return negate(x);
  if (y.is_constant) return emit_with_constant(TapeOp::kScale, x, y.constant);
  return x.value == y.value ? square(x)
                            : emit(TapeOp::kMultiply, std::min(x.value, y.value), std::max(x.value, y.value));
}

Operand TapeBuilder::divide(Operand x, Operand y) {
  if (x.is_constant && y.is_constant) return Operand::of(x.constant / y.constant);
  if (y.is(1)) return x;
  if (x.is_constant) return emit_with_constant(TapeOp::kDivideInto, y, x.constant);
  return emit(TapeOp::kDivide, x.value, to_register(y));
}

Operand TapeBuilder::negate(Operand x) {
  return x.is_constant ? Operand::of(-x.constant) : emit(TapeOp::kNegate, x.value);
}

Operand TapeBuilder::square(Operand x) {
  return x.is_constant ? Operand::of(x.constant * x.constant) : emit(TapeOp::kSquare, x.value);
}

Operand TapeBuilder::square_root(Operand x) {
  return x.is_constant ? Operand::of(std::sqrt(x.constant)) : emit(TapeOp::kSquareRoot, x.value);
}

Operand TapeBuilder::integer_power(Operand x, unsigned n) {
  Operand result = Operand::of(1);
  for (Operand power = x; n > 0; n >>= 1) {
    if (n & 1) result = multiply(result, power);
    if (n > 1) power = square(power);
  }
  return result;
}

// If the tape has the sine of the same angle and the cosine is wanted, or the other way round, turns that instruction
// into one that computes both. Returns whether it did.
bool TapeBuilder::pair_sine_and_cosine(const Instruction& wanted) {
  Instruction other = wanted;
  other.function = wanted.function == Op::kSin ? Op::kCos : Op::kSin;
  const Entry* twin = find(other);
  if (twin == nullptr) return false;
  const std::uint32_t place = defined_by_[twin->value], value = new_value(prepared_[twin->value]);
  defined_by_[value] = place;
  const bool sine = wanted.function == Op::kSin;
  tape_.instructions[place] = {
      .op = TapeOp::kSinCos, .dst = sine ? value : twin->value, .a = wanted.a, .b = sine ? twin->value : value};
  insert(wanted, value);
  return true;
}

Operand TapeBuilder::call(Op function, std::span<const Operand> arguments) {
  assert(static_cast<int>(arguments.size()) == arity(function));
  std::array<double, 3> known{};
  bool all_known = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    known[i] = arguments[i].constant;
    all_known = all_known && arguments[i].is_constant;
  }
  if (all_known) return Operand::of(evaluate_function(function, known.data()));

  std::array<std::uint32_t, 3> registers{};
  for (std::size_t i = 0; i < arguments.size(); ++i) registers[i] = to_register(arguments[i]);
  const Instruction wanted{TapeOp::kCall, function, 0, registers[0], registers[1], registers[2]};
  if ((function == Op::kSin || function == Op::kCos) && find(wanted) == nullptr && pair_sine_and_cosine(wanted))
    return Operand::in_register(find(wanted)->value);
  return emit(TapeOp::kCall, registers[0], registers[1], registers[2], function);
}

std::optional<TapeBuilder::Choice> TapeBuilder::choice_with_zero(Operand x) const {
  if (x.is_constant) return std::nullopt;
  const auto made_by = [&](std::uint32_t value) -> const Instruction& {
    return tape_.instructions[defined_by_[value]];
  };
  const auto is_zero = [&](std::uint32_t value) {
    return made_by(value).op == TapeOp::kConstant && tape_.constants[made_by(value).a] == 0;
  };
  const auto is_truth = [&](std::uint32_t value) {
    return made_by(value).op == TapeOp::kCall && function_info(made_by(value).function).truth;
  };
  const Instruction& i = made_by(x.value);
  if (is_truth(x.value)) return Choice{x, Operand::of(1), false};
  if (i.op == TapeOp::kSubtractFrom && tape_.constants[i.b] == 1 && is_truth(i.a))
    return Choice{Operand::in_register(i.a), Operand::of(1), true};
  if (i.op != TapeOp::kCall || i.function != Op::kSelect) return std::nullopt;
  const auto operand = [&](std::uint32_t value) {
    return made_by(value).op == TapeOp::kConstant ? Operand::of(tape_.constants[made_by(value).a])
                                                  : Operand::in_register(value);
  };
  if (is_zero(i.c)) return Choice{operand(i.a), operand(i.b), false};
  if (is_zero(i.b)) return Choice{operand(i.a), operand(i.c), true};
  return std::nullopt;
}

Operand TapeBuilder::choose(const Choice& choice) {
  const Operand zero = Operand::of(0);
  return call(Op::kSelect, std::array{choice.condition, choice.zero_first ? zero : choice.value,
                                      choice.zero_first ? choice.value : zero});
}

void TapeBuilder::output(std::uint32_t position, Operand x) {
  tape_.instructions.push_back({.op = TapeOp::kOutput, .dst = position, .a = to_register(x)});
}

Tape TapeBuilder::take(std::size_t outputs) {
  tape_.registers = defined_by_.size();
  tape_.outputs = outputs;
  return std::move(tape_);
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/rolling_stream.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dalembert::rolling {
namespace {

// Everything in an instruction except its places.
struct Form {
  std::uint32_t kinds = 0;                   // the operation, the function, and the source and array of each operand
  std::array<std::uint32_t, 4> constants{};  // indices of constants: those of the operands, and the instruction's own
  bool operator==(const Form&) const = default;
};

std::size_t hash(const Form& form) {
  std::uint64_t h = form.kinds * 0x9E3779B97F4A7C15u;
  for (const std::uint32_t constant : form.constants) h = ((h ^ h >> 29) + constant) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::size_t>(h ^ h >> 32);
}

// Numbers forms in the order they are met.
class Forms {
 public:
  std::uint32_t number(const Form& form) {
    if (2 * known_.size() >= table_.size()) grow();
    const std::uint32_t slot = find(form);
    if (table_[slot] == 0) {
      known_.push_back(form);
      table_[slot] = static_cast<std::uint32_t>(known_.size());
    }
    return table_[slot] - 1;
  }

 private:
  std::uint32_t find(const Form& form) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash(form) & mask;
    while (table_[slot] != 0 && known_[table_[slot] - 1] != form) slot = (slot + 1) & mask;
    return static_cast<std::uint32_t>(slot);
  }
  void grow() {
    table_.assign(2 * table_.size(), 0);
    for (std::size_t i = 0; i < known_.size(); ++i) table_[find(known_[i])] = static_cast<std::uint32_t>(i + 1);
  }
  std::vector<Form> known_;
  // Hash table with open addressing: 1 + number of the form; 0: free slot.
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(1024);
};

bool is_commutative(TapeOp op) {
  return op == TapeOp::kAdd || op == TapeOp::kMultiply || op == TapeOp::kMultiplyAdd ||
         op == TapeOp::kMultiplySubtract || op == TapeOp::kSubtractProduct;
}

// Whether field b is the number of a constant.
bool has_constant(TapeOp op) {
  return op == TapeOp::kAddConstant || op == TapeOp::kSubtractFrom || op == TapeOp::kScale ||
         op == TapeOp::kDivideInto || op == TapeOp::kScaleAdd || op == TapeOp::kScaleSubtract;
}

auto rank(const Value& value) { return std::tuple(is_load(value.source), value.array, value.place, value.source); }

}  // namespace

Stream::Stream(Tape& tape) : value(tape.registers) {
  instruction.reserve(tape.instructions.size());
  form.reserve(tape.instructions.size());
  place.reserve(tape.instructions.size());
  computed.reserve(tape.instructions.size());
  Forms forms;
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    Instruction& at = tape.instructions[i];
    if (at.op == TapeOp::kArgument) {
      value[at.dst] = {Source::kArgument, static_cast<std::uint8_t>(at.a), at.b};
      continue;
    }
    if (at.op == TapeOp::kConstant) {
      value[at.dst] = {Source::kConstant, 0, at.a};
      continue;
    }
    if (is_commutative(at.op) && rank(value[at.b]) < rank(value[at.a])) std::swap(at.a, at.b);

    const RegisterUse use = register_use(at);
    Form wanted{.kinds = static_cast<std::uint32_t>(at.op) << 26 | static_cast<std::uint32_t>(at.function) << 18};
    std::array<std::int32_t, 3> places{};
    unsigned reads_computed = 0;
    const std::array<std::pair<bool, std::uint32_t>, 3> reads{
        {{use.reads_a, at.a}, {use.reads_b, at.b}, {use.reads_c, at.c}}};
    for (std::size_t f = 0; f < 3; ++f) {
      if (!reads[f].first) continue;
      const Value& operand = value[reads[f].second];
      wanted.kinds |= (static_cast<std::uint32_t>(operand.source) << 4 | operand.array) << (6 * f);
      if (!is_load(operand.source)) reads_computed |= 1u << f;
      if (operand.source == Source::kConstant)
        wanted.constants[f] = operand.place;
      else
        places[f] = static_cast<std::int32_t>(operand.place);
    }
    if (has_constant(at.op)) wanted.constants[3] = at.b;
    if (at.op == TapeOp::kOutput) places[1] = static_cast<std::int32_t>(at.dst);

    const std::uint32_t position = size();
    if (use.writes_dst) value[at.dst] = {Source::kFirst, 0, position};
    if (use.writes_b) value[at.b] = {Source::kSecond, 0, position};
    instruction.push_back(static_cast<std::uint32_t>(i));
    form.push_back(forms.number(wanted));
    place.push_back(places);
    computed.push_back(static_cast<std::uint8_t>(reads_computed));
  }
}

}  // namespace dalembert::rolling

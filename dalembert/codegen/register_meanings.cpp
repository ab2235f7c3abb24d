// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/register_meanings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

// A longer formula is not read beside a statement.
constexpr std::size_t kLongest = 48;
constexpr int kSum = 0, kProduct = 1, kPower = 2, kAtom = 3;

// The level of a formula that was made here, or of a name.
int level_of(std::string_view formula) {
  int depth = 0, level = formula.starts_with('-') ? kSum : kAtom;
  for (const char c : formula) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > 0) continue;
    level = std::min(level, c == ' ' ? kSum : c == '*' || c == '/' ? kProduct : c == '^' ? kPower : kAtom);
  }
  return level;
}

// The loop that the instruction is in; null: none.
const Loop* loop_at(const Tape& tape, std::size_t place) {
  const auto found =
      std::ranges::find_if(tape.loops, [&](const Loop& loop) { return loop.begin <= place && place < loop.end; });
  return found == tape.loops.end() ? nullptr : &*found;
}

}  // namespace

// The meaning of a register as an operand of what has this level.
std::string RegisterMeanings::in(std::uint32_t number, int level) const {
  const Meaning& meaning = holds_[number];
  return meaning.text.empty() || meaning.level >= level ? meaning.text : "(" + meaning.text + ")";
}

RegisterMeanings::Meaning RegisterMeanings::joined(const std::string& first, const char* sign,
                                                   const std::string& second, int level) {
  if (first.empty() || second.empty()) return {};
  if (level == kSum) return {fmt::format("{} {} {}", first, sign, second), kSum};
  return {first + sign + second, first.starts_with('-') ? kSum : level};
}

RegisterMeanings::Meaning RegisterMeanings::constant(std::uint32_t number) const {
  const double value = tape_.constants[number];
  return {fmt::format("{}", value), value < 0 || !std::isfinite(value) ? kSum : kAtom};
}

RegisterMeanings::Meaning RegisterMeanings::call(const Instruction& i) const {
  const FunctionInfo& function = function_info(i.function);
  const bool is_plain = i.function == Op::kAbs || i.function == Op::kMin || i.function == Op::kMax;
  if (!is_plain && function.library.name.empty()) return {};
  std::string list;
  for (int k = 0; k < function.arguments; ++k) {
    const std::string& argument = holds_[k == 0 ? i.a : k == 1 ? i.b : i.c].text;
    if (argument.empty()) return {};
    list += (k > 0 ? ", " : "") + argument;
  }
  return {fmt::format("{}({})", function.name, list), kAtom};
}

RegisterMeanings::Meaning RegisterMeanings::of(const Instruction& i) const {
  const auto number = [&](std::uint32_t k, int level) {
    const Meaning meaning = constant(k);
    return meaning.level >= level ? meaning.text : "(" + meaning.text + ")";
  };
  switch (i.op) {
    case TapeOp::kConstant:
      return constant(i.a);
    case TapeOp::kArgument: {
      if (i.a == static_cast<std::uint32_t>(TapeArray::kTime)) return {"t", kAtom};
      const std::vector<std::string>& names = names_[i.a];
      if (i.b >= names.size()) return {};
      return {names[i.b], level_of(names[i.b])};
    }
    case TapeOp::kAdd:
      return sum(in(i.a, kSum), "+", in(i.b, kProduct));
    case TapeOp::kSubtract:
      return sum(in(i.a, kSum), "-", in(i.b, kProduct));
    case TapeOp::kMultiply:
      return product(in(i.a, kProduct), in(i.b, kProduct));
    case TapeOp::kDivide:
      return joined(in(i.a, kProduct), "/", in(i.b, kPower), kProduct);
    case TapeOp::kNegate:
      return holds_[i.a].text.empty() ? Meaning() : Meaning{"-" + in(i.a, kProduct), kSum};
    case TapeOp::kSquare:
      return holds_[i.a].text.empty() ? Meaning() : Meaning{in(i.a, kAtom) + "^2", kPower};
    case TapeOp::kSquareRoot:
      return holds_[i.a].text.empty() ? Meaning() : Meaning{"sqrt(" + holds_[i.a].text + ")", kAtom};
    case TapeOp::kAddConstant:
      return sum(in(i.a, kSum), "+", number(i.b, kProduct));
    case TapeOp::kSubtractFrom:
      return sum(number(i.b, kSum), "-", in(i.a, kProduct));
    case TapeOp::kScale:
      return product(constant(i.b).text, in(i.a, kProduct));
    case TapeOp::kDivideInto:
      return joined(number(i.b, kProduct), "/", in(i.a, kPower), kProduct);
    case TapeOp::kMultiplyAdd:
      return sum(product(in(i.a, kProduct), in(i.b, kProduct)).text, "+", in(i.c, kProduct));
    case TapeOp::kMultiplySubtract:
      return sum(product(in(i.a, kProduct), in(i.b, kProduct)).text, "-", in(i.c, kProduct));
    case TapeOp::kSubtractProduct:
      return sum(in(i.c, kSum), "-", product(in(i.a, kProduct), in(i.b, kProduct)).text);
    case TapeOp::kScaleAdd:
      return sum(product(constant(i.b).text, in(i.a, kProduct)).text, "+", in(i.c, kProduct));
    case TapeOp::kScaleSubtract:
      return sum(product(constant(i.b).text, in(i.a, kProduct)).text, "-", in(i.c, kProduct));
    case TapeOp::kCall:
      return call(i);
    default:
      return {};
  }
}

std::string RegisterMeanings::follow(std::size_t place) {
  const Instruction& i = tape_.instructions[place];
  const RegisterUse use = register_use(i);
  if (i.op == TapeOp::kOutput) return holds_[i.a].text;
  Meaning first, second;
  if (const Loop* loop = loop_at(tape_, place)) {
    // Nothing after the loop reads what it wrote but memory, whose entries it may have written anywhere.
    const std::size_t memory = std::min(tape_.temporaries, holds_.size());
    if (place == loop->begin) std::fill(holds_.begin() + static_cast<std::ptrdiff_t>(memory), holds_.end(), Meaning());
  } else if (i.op == TapeOp::kSinCos && !holds_[i.a].text.empty()) {
    first = {"sin(" + holds_[i.a].text + ")", kAtom};
    second = {"cos(" + holds_[i.a].text + ")", kAtom};
  } else {
    first = of(i);
  }
  for (Meaning* meaning : {&first, &second})
    if (meaning->text.size() > kLongest) *meaning = {};
  const std::string text = first.text + (second.text.empty() ? "" : ", " + second.text);
  if (use.writes_dst) holds_[i.dst] = std::move(first);
  if (use.writes_b) holds_[i.b] = std::move(second);
  return text;
}

std::vector<std::string> meanings_of_outputs(const Tape& tape, const EntryNames& names) {
  std::vector<std::string> outputs(tape.outputs);
  RegisterMeanings meanings(tape, names);
  for (std::size_t place = 0; place < tape.instructions.size(); ++place) {
    std::string meaning = meanings.follow(place);
    const Instruction& i = tape.instructions[place];
    if (i.op == TapeOp::kOutput && loop_at(tape, place) == nullptr) outputs[i.dst] = std::move(meaning);
  }
  return outputs;
}

}  // namespace dalembert

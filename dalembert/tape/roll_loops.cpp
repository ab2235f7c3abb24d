// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dalembert/tape/rolling_plan.h"
#include "dalembert/tape/rolling_repetition.h"
#include "dalembert/tape/rolling_stream.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

using rolling::Plan;
using rolling::Repetition;
using rolling::Slot;
using rolling::Source;
using rolling::Stream;
using rolling::Value;

// Writes the tape with loops. Registers in memory are numbered after the temporaries, whose number is known at the end
// only. Until then such a register is written as its address in memory, with the bit kMemory set.
class Rolling {
 public:
  Rolling(const Tape& tape, const Stream& stream, const Plan& plan)
      : tape_(tape), stream_(stream), plan_(plan), register_(tape.registers, kNone), loaded_(tape.registers) {}
  Tape run();

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu, kMemory = 0x80000000u;

  void emit(const Instruction& instruction, const Stride& stride = {}) {
    rolled_.instructions.push_back(instruction);
    rolled_.strides.push_back(stride);
  }
  std::uint32_t new_temporary() { return static_cast<std::uint32_t>(rolled_.temporaries++); }
  std::uint32_t load(std::uint32_t value);
  std::uint32_t load_element(std::uint32_t value, std::int32_t stride);
  std::uint32_t read(std::uint32_t value);
  void write(std::uint32_t& value);
  void straight(std::uint32_t position);
  void loop(std::size_t number);
  void loop_read(std::size_t number, std::uint32_t p, std::size_t f, std::uint32_t& field, std::int32_t& stride);
  void loop_write(std::size_t number, std::uint32_t p, bool second, std::uint32_t& field, std::int32_t& stride);
  void copy_until(std::uint32_t position);
  std::uint32_t constant_one();
  void number_memory();

  const Tape& tape_;
  const Stream& stream_;
  const Plan& plan_;
  Tape rolled_;
  // By register of the old tape: the temporary of the new tape that holds its value.
  std::vector<std::uint32_t> register_;
  // By register of the old tape that a load writes: the part of the new tape (see part_) in which register_ holds it.
  std::vector<std::uint32_t> loaded_;
  // Number of the current part: a stretch of straight-line code and the loop after it.
  std::uint32_t part_ = 1;
  // In a loop, by (array, index, stride): the temporary into which this round has loaded the entry.
  std::map<std::tuple<std::uint8_t, std::uint32_t, std::int32_t>, std::uint32_t> elements_;
  std::size_t copied_ = 0;
};

// An argument or a constant, loaded once for a stretch of straight-line code and the loop after it.
std::uint32_t Rolling::load(std::uint32_t value) {
  if (loaded_[value] == part_) return register_[value];
  loaded_[value] = part_;
  register_[value] = new_temporary();
  const Value& what = stream_.value[value];
  if (what.source == Source::kConstant)
    emit({.op = TapeOp::kConstant, .dst = register_[value], .a = what.place});
  else
    emit({.op = TapeOp::kArgument, .dst = register_[value], .a = what.array, .b = what.place});
  return register_[value];
}

// An argument whose index depends on the round, loaded once a round.
std::uint32_t Rolling::load_element(std::uint32_t value, std::int32_t stride) {
  const Value& what = stream_.value[value];
  const auto [at, is_new] = elements_.try_emplace({what.array, what.place, stride}, 0);
  if (is_new) {
    at->second = new_temporary();
    emit({.op = TapeOp::kArgument, .dst = at->second, .a = what.array, .b = what.place}, {.b = stride});
  }
  return at->second;
}

std::uint32_t Rolling::read(std::uint32_t value) {
  if (rolling::is_load(stream_.value[value].source)) return load(value);
  if (const auto home = plan_.home(value)) return *home | kMemory;
  return register_[value];
}

void Rolling::write(std::uint32_t& value) {
  const auto home = plan_.home(value);
  if (!home) register_[value] = new_temporary();
  value = home ? *home | kMemory : register_[value];
}

void Rolling::straight(std::uint32_t position) {
  Instruction instruction = tape_.instructions[stream_.instruction[position]];
  const RegisterUse use = register_use(instruction);
  for_each_read(instruction, [&](std::uint32_t& field) { field = read(field); });
  if (use.writes_dst) write(instruction.dst);
  if (use.writes_b) write(instruction.b);
  emit(instruction);
}

void Rolling::loop_read(std::size_t number, std::uint32_t p, std::size_t f, std::uint32_t& field,
                        std::int32_t& stride) {
  const Repetition& l = plan_.loops()[number];
  const std::uint32_t position = l.begin + p;
  const Value& value = stream_.value[field];
  const std::int32_t step = stream_.place[position + l.period][f] - stream_.place[position][f];
  if (rolling::is_load(value.source)) {
    field = step == 0 ? load(field) : load_element(field, step);
    return;
  }
  auto slot = plan_.element(number, p, f);
  const bool same_round = !slot && value.place >= l.begin;
  if (same_round) slot = plan_.result(number, value.place - l.begin, value.source == Source::kSecond);
  if (!slot) {
    field = same_round ? register_[field] : read(field);
    return;
  }
  field = slot->address | kMemory;
  stride = slot->stride;
}

void Rolling::loop_write(std::size_t number, std::uint32_t p, bool second, std::uint32_t& field, std::int32_t& stride) {
  const auto slot = plan_.result(number, p, second);
  if (!slot) register_[field] = new_temporary();
  field = slot ? slot->address | kMemory : register_[field];
  stride = slot ? slot->stride : 0;
}

void Rolling::loop(std::size_t number) {
  const Repetition& l = plan_.loops()[number];
  const auto each_load = [&](auto&& visit) {
    for (std::uint32_t p = 0; p < l.period; ++p) {
      const Instruction& instruction = tape_.instructions[stream_.instruction[l.begin + p]];
      const RegisterUse use = register_use(instruction);
      if (use.reads_a) visit(p, 0, instruction.a);
      if (use.reads_b) visit(p, 1, instruction.b);
      if (use.reads_c) visit(p, 2, instruction.c);
    }
  };
  // Loads that are the same in every round come before the loop.
  each_load([&](std::uint32_t p, std::size_t f, std::uint32_t value) {
    if (rolling::is_load(stream_.value[value].source) &&
        stream_.place[l.begin + p][f] == stream_.place[l.begin + l.period + p][f])
      load(value);
  });
  elements_.clear();
  const auto begin = static_cast<std::uint32_t>(rolled_.instructions.size());
  for (std::uint32_t p = 0; p < l.period; ++p) {
    Instruction instruction = tape_.instructions[stream_.instruction[l.begin + p]];
    const RegisterUse use = register_use(instruction);
    Stride stride;
    if (use.reads_a) loop_read(number, p, 0, instruction.a, stride.a);
    if (use.reads_b) loop_read(number, p, 1, instruction.b, stride.b);
    if (use.reads_c) loop_read(number, p, 2, instruction.c, stride.c);
    if (use.writes_dst) loop_write(number, p, false, instruction.dst, stride.dst);
    if (use.writes_b) loop_write(number, p, true, instruction.b, stride.b);
    if (instruction.op == TapeOp::kOutput)
      stride.dst = stream_.place[l.begin + l.period + p][1] - stream_.place[l.begin + p][1];
    emit(instruction, stride);
  }
  rolled_.loops.push_back({begin, static_cast<std::uint32_t>(rolled_.instructions.size()), l.rounds});
  ++part_;
}

// The number of the constant 1. Values are copied by 1 · x, which has the bits of x.
std::uint32_t Rolling::constant_one() {
  for (std::size_t k = 0; k < rolled_.constants.size(); ++k)
    if (rolled_.constants[k] == 1) return static_cast<std::uint32_t>(k);
  rolled_.constants.push_back(1);
  return static_cast<std::uint32_t>(rolled_.constants.size() - 1);
}

void Rolling::copy_until(std::uint32_t position) {
  const auto copies = plan_.copies();
  for (; copied_ < copies.size() && copies[copied_].after < position; ++copied_)
    emit({.op = TapeOp::kScale,
          .dst = copies[copied_].to | kMemory,
          .a = read(copies[copied_].value),
          .b = constant_one()});
}

// Numbers the registers in memory: they follow the temporaries.
void Rolling::number_memory() {
  const auto place = [&](std::uint32_t& field) {
    if (field & kMemory) field = (field & ~kMemory) + static_cast<std::uint32_t>(rolled_.temporaries);
  };
  for (Instruction& instruction : rolled_.instructions) {
    const RegisterUse use = register_use(instruction);
    for_each_read(instruction, place);
    if (use.writes_dst) place(instruction.dst);
    if (use.writes_b) place(instruction.b);
  }
  rolled_.registers = rolled_.temporaries + plan_.memory();
}

Tape Rolling::run() {
  rolled_.constants = tape_.constants;
  rolled_.outputs = tape_.outputs;
  std::size_t next_loop = 0;
  for (std::uint32_t i = 0; i < stream_.size();) {
    if (next_loop < plan_.loops().size() && i == plan_.loops()[next_loop].begin) {
      loop(next_loop);
      i = plan_.loops()[next_loop++].end();
    } else {
      straight(i++);
    }
    copy_until(i);
  }
  number_memory();
  return std::move(rolled_);
}

}  // namespace

void roll_loops(Tape& tape, const RollOptions& options) {
  if (tape.instructions.size() < options.instructions) return;
  Tape ordered = tape;
  put_sines_first(ordered);
  const Stream stream(ordered);
  const std::vector<Repetition> repetitions = rolling::find_repetitions(stream, options);
  const Plan plan(stream, ordered, repetitions, options);
  if (plan.loops().empty()) return;
  Tape rolled = Rolling(ordered, stream, plan).run();
  if (options.gain * rolled.instructions.size() <= tape.instructions.size()) tape = std::move(rolled);
}

}  // namespace dalembert

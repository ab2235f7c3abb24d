// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

constexpr std::uint32_t kNoHome = 0xFFFFFFFFu;

// Points in time: instruction i is run at 2i, and a loop ends just before the instruction that follows it.
constexpr std::size_t time_of(std::size_t instruction) { return 2 * instruction; }
std::size_t end_of(const Loop& loop) { return time_of(loop.end) - 1; }

class Registers {
 public:
  explicit Registers(const Tape& tape);

  std::uint32_t home(std::uint32_t value) const { return home_[value]; }
  std::size_t count() const { return count_; }

  // The register freed last is taken first: it is still in the cache.
  std::uint32_t take(std::uint32_t value) {
    if (free_.empty()) free_.push_back(count_++);
    home_[value] = free_.back();
    free_.pop_back();
    return home_[value];
  }

  // Frees the value's register unless the value is read later.
  void release(std::uint32_t value, std::size_t now) {
    if (last_read_[value] > now || home_[value] == kNoHome) return;
    free_.push_back(home_[value]);
    home_[value] = kNoHome;
  }

 private:
  // For each value the time of its last read, 0 if it is never read (the first instruction reads nothing). A value from
  // before a loop that the loop reads is needed until all rounds are over.
  std::vector<std::size_t> last_read_;
  std::vector<std::uint32_t> home_;  // by value: its register, kNoHome while it has none
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

Registers::Registers(const Tape& tape) : last_read_(tape.temporaries), home_(tape.temporaries, kNoHome) {
  std::vector<std::size_t> written(tape.temporaries);
  auto loop = tape.loops.begin();
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    const Instruction& instruction = tape.instructions[i];
    if (loop != tape.loops.end() && i == loop->end) ++loop;
    const bool in_loop = loop != tape.loops.end() && i >= loop->begin;
    for_each_read(instruction, [&](std::uint32_t value) {
      if (value < tape.temporaries)
        last_read_[value] = in_loop && written[value] < loop->begin ? end_of(*loop) : time_of(i);
    });
    const RegisterUse use = register_use(instruction);
    if (use.writes_dst && instruction.dst < tape.temporaries) written[instruction.dst] = i;
    if (use.writes_b && instruction.b < tape.temporaries) written[instruction.b] = i;
  }
}

class Reuse {
 public:
  explicit Reuse(Tape& tape) : tape_(tape), temporaries_(tape.temporaries), registers_(tape) {}
  void run();

 private:
  void rename(std::size_t i);
  void end_loop(const Loop& loop);

  Tape& tape_;
  const std::size_t temporaries_;  // number of temporaries before this pass
  Registers registers_;
  std::vector<std::uint32_t> fixed_;  // values from before the current loop that the loop reads
};

void Reuse::rename(std::size_t i) {
  Instruction& instruction = tape_.instructions[i];
  const Instruction values = instruction;
  const RegisterUse use = register_use(values);
  const auto is_temporary = [&](std::uint32_t value) { return value < temporaries_; };
  // The registers of operands are freed before the result takes one, so that it may take one of theirs; two results get
  // two registers.
  for_each_read(instruction, [&](std::uint32_t& field) {
    if (is_temporary(field)) field = registers_.home(field);
  });
  for_each_read(values, [&](std::uint32_t value) {
    if (is_temporary(value)) registers_.release(value, time_of(i));
  });
  const bool dst = use.writes_dst && is_temporary(values.dst), b = use.writes_b && is_temporary(values.b);
  if (dst) instruction.dst = registers_.take(values.dst);
  if (b) instruction.b = registers_.take(values.b);
  if (dst) registers_.release(values.dst, time_of(i));
  if (b) registers_.release(values.b, time_of(i));
}

// Frees the registers that were kept for all rounds of the loop.
void Reuse::end_loop(const Loop& loop) {
  for (const std::uint32_t value : fixed_) registers_.release(value, end_of(loop));
}

void Reuse::run() {
  auto loop = tape_.loops.begin();
  for (std::size_t i = 0; i < tape_.instructions.size(); ++i) {
    if (loop != tape_.loops.end() && i == loop->begin) {
      fixed_.clear();
      for (std::size_t k = loop->begin; k < loop->end; ++k)
        for_each_read(std::as_const(tape_.instructions[k]), [&](std::uint32_t value) {
          if (value < temporaries_ && registers_.home(value) != kNoHome) fixed_.push_back(value);
        });
    }
    rename(i);
    if (loop != tape_.loops.end() && i + 1 == loop->end) end_loop(*loop++);
  }
  // Registers in memory are renumbered to follow the remaining temporaries.
  const auto moved = static_cast<std::uint32_t>(temporaries_ - registers_.count());
  const auto move = [&](std::uint32_t& field) {
    if (field >= temporaries_) field -= moved;
  };
  for (Instruction& instruction : tape_.instructions) {
    if (tape_.loops.empty()) break;
    const RegisterUse use = register_use(instruction);
    for_each_read(instruction, move);
    if (use.writes_dst) move(instruction.dst);
    if (use.writes_b) move(instruction.b);
  }
  tape_.temporaries = registers_.count();
  tape_.registers -= moved;
}

}  // namespace

void reuse_registers(Tape& tape) {
  if (tape.loops.empty()) tape.temporaries = tape.registers;
  Reuse(tape).run();
}

}  // namespace dalembert

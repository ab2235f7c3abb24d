// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/tape_passes.h"

namespace dalembert {
namespace {

// For each value the last instruction that reads it; 0 where none does (the first instruction reads nothing).
std::vector<std::size_t> last_reads(const Tape& tape) {
  std::vector<std::size_t> last(tape.registers);
  for (std::size_t i = 0; i < tape.instructions.size(); ++i)
    for_each_read(tape.instructions[i], [&](std::uint32_t value) { last[value] = i; });
  return last;
}

class Registers {
 public:
  explicit Registers(const Tape& tape) : last_read_(last_reads(tape)), home_(tape.registers, kNone) {}

  std::uint32_t home(std::uint32_t value) const { return home_[value]; }
  std::size_t count() const { return count_; }

  // The register given back last is taken first: it is still in the cache.
  std::uint32_t take(std::uint32_t value) {
    if (free_.empty()) free_.push_back(count_++);
    home_[value] = free_.back();
    free_.pop_back();
    return home_[value];
  }

  // Gives the value's register back unless a later instruction reads it.
  void release(std::uint32_t value, std::size_t now) {
    if (last_read_[value] > now || home_[value] == kNone) return;
    free_.push_back(home_[value]);
    home_[value] = kNone;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::size_t> last_read_;
  std::vector<std::uint32_t> home_;  // by value
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

}  // namespace

void reuse_registers(Tape& tape) {
  Registers registers(tape);
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    Instruction& instruction = tape.instructions[i];
    const Instruction values = instruction;
    const RegisterUse use = register_use(values);
    // Operands give their registers back before the result takes one, so that it may take theirs; two results stay
    // distinct.
    for_each_read(instruction, [&](std::uint32_t& field) { field = registers.home(field); });
    for_each_read(values, [&](std::uint32_t value) { registers.release(value, i); });
    if (use.writes_dst) instruction.dst = registers.take(values.dst);
    if (use.writes_b) instruction.b = registers.take(values.b);
    if (use.writes_dst) registers.release(values.dst, i);
    if (use.writes_b) registers.release(values.b, i);
  }
  tape.registers = registers.count();
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Writes a tape in single-assignment form: folds constants, picks the form of an instruction that takes a constant, and
// returns the earlier value if the same instruction is asked for again (value numbering).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/tape/tape.h"

namespace dalembert {

/// A number that is known while the tape is written, or a register.
struct Operand {
  bool is_constant = true;
  std::uint32_t value = 0;  ///< number of the register, if the operand is not a constant
  double constant = 0;

  static Operand of(double constant) { return {true, 0, constant}; }
  static Operand in_register(std::uint32_t value) { return {false, value, 0}; }
  bool is(double number) const { return is_constant && constant == number; }
};

class TapeBuilder {
 public:
  Operand argument(TapeArray array, int index);
  Operand add(Operand x, Operand y);
  Operand subtract(Operand x, Operand y);
  Operand multiply(Operand x, Operand y);
  Operand divide(Operand x, Operand y);
  Operand negate(Operand x);
  Operand square(Operand x);
  Operand square_root(Operand x);
  /// x^n by squaring, in the order of evaluate_power (expr/visit.h). n ≥ 1.
  Operand integer_power(Operand x, unsigned n);
  /// A function node. Sine and cosine of one argument become one instruction as soon as both were asked for.
  Operand call(Op function, std::span<const Operand> arguments);
  void output(std::uint32_t position, Operand x);
  /// A choice between a value and 0: select(condition, value, 0), or with 0 first. A condition is one between 1 and 0.
  struct Choice {
    Operand condition, value;
    bool zero_first = false;
  };
  /// The choice that x is, if it is one.
  std::optional<Choice> choice_with_zero(Operand x) const;
  Operand choose(const Choice& choice);
  /// Whether x depends on nothing but constants and parameters.
  bool is_prepared(Operand x) const { return x.is_constant || prepared_[x.value]; }

  /// Number of instructions so far.
  std::size_t size() const { return tape_.instructions.size(); }
  Tape take(std::size_t outputs);

 private:
  struct Entry {
    Instruction key;  // the instruction; its dst is ignored
    std::uint32_t value;
  };

  std::uint32_t constant_index(double value);
  std::uint32_t to_register(Operand x);
  Operand emit(TapeOp op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0, Op function = Op::kConstant);
  Operand emit_with_constant(TapeOp op, Operand x, double constant);
  bool pair_sine_and_cosine(const Instruction& wanted);
  std::uint32_t new_value(bool prepared);
  bool reads_prepared_only(const Instruction& instruction) const;
  Entry* find(const Instruction& key);
  void insert(const Instruction& key, std::uint32_t value);
  void grow();

  Tape tape_;
  // By value: index of the instruction that writes it.
  std::vector<std::uint32_t> defined_by_;
  std::vector<bool> prepared_;  // by value: whether it depends on nothing but constants and parameters
  // By bit pattern of a constant: its number on the tape.
  std::unordered_map<std::uint64_t, std::uint32_t> constant_index_;
  // The instructions so far; hash table with open addressing.
  std::vector<Entry> table_ = std::vector<Entry>(256, Entry{{}, kFree});
  std::size_t entries_ = 0;
  static constexpr std::uint32_t kFree = 0xFFFFFFFFu;
};

}  // namespace dalembert

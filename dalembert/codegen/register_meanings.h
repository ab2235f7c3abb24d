// SPDX-License-Identifier: Apache-2.0
// What the registers of a tape hold, as formulas of the model's names, for comments in exported code.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dalembert/tape/tape.h"

namespace dalembert {

/// The names of the entries of each TapeArray; an entry without one has no meaning.
using EntryNames = std::array<std::vector<std::string>, kTapeArrays>;

class RegisterMeanings {
 public:
  RegisterMeanings(const Tape& tape, const EntryNames& names) : tape_(tape), names_(names), holds_(tape.registers) {}

  /// Goes on to the next instruction. The formula of what it writes, for a sine and cosine both; empty where it is too long to be read, or unknown, as
  /// everything is that a loop writes.
  std::string follow(std::size_t place);

 private:
  struct Meaning {
    std::string text;  // empty: unknown
    int level = 0;     // what it is made of at last: 0 a sum, 1 a product, 2 a power, 3 a name or a call
  };
  std::string in(std::uint32_t number, int level) const;
  Meaning of(const Instruction& instruction) const;
  Meaning call(const Instruction& instruction) const;
  Meaning constant(std::uint32_t number) const;
  static Meaning joined(const std::string& first, const char* sign, const std::string& second, int level);
  static Meaning sum(const std::string& first, const char* sign, const std::string& second) {
    return joined(first, sign, second, 0);
  }
  static Meaning product(const std::string& first, const std::string& second) { return joined(first, "*", second, 1); }

  const Tape& tape_;
  const EntryNames& names_;
  std::vector<Meaning> holds_;
};

/// What a tape writes to its outputs, by the same rules.
std::vector<std::string> meanings_of_outputs(const Tape& tape, const EntryNames& names);

}  // namespace dalembert

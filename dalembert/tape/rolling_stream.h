// SPDX-License-Identifier: Apache-2.0
// A single-assignment tape in the form in which repetition is searched.
//
// Instructions that load an argument or a constant are left out: their values count as operands of their own kind, so
// that it does not matter where on the tape a value was loaded first. Each operand, and the position of an output, has
// a place: a value's is the position in the stream of the instruction that computes it, an argument's its index. Two
// instructions have the same form if they differ in places only. Instructions i, i + P, i + 2P, … can be one
// instruction of a loop when they have the same form and each place is affine in the round.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dalembert/tape/tape.h"

namespace dalembert::rolling {

/// Where a value comes from: an instruction's dst, a kSinCos's b, or a load of an argument or a constant.
enum class Source : std::uint8_t { kFirst, kSecond, kArgument, kConstant };
constexpr bool is_load(Source source) { return source >= Source::kArgument; }

struct Value {
  Source source = Source::kConstant;
  std::uint8_t array = 0;  ///< TapeArray of an argument; unused for other sources
  /// Of an instruction's result its position in the stream, of an argument its index, of a constant its number.
  std::uint32_t place = 0;
};

struct Stream {
  /// Puts the operands of commutative instructions of `tape` into an order that depends on their places.
  explicit Stream(Tape& tape);

  std::uint32_t size() const { return static_cast<std::uint32_t>(form.size()); }

  std::vector<std::uint32_t> instruction;          ///< by position: index of the instruction on the tape
  std::vector<std::uint32_t> form;                 ///< by position: number of the instruction's form
  std::vector<std::array<std::int32_t, 3>> place;  ///< by position: places of a, b, c (0: not read); kOutput: a, dst
  std::vector<std::uint8_t> computed;              ///< by position: bit f is set if operand f is not a load
  std::vector<Value> value;                        ///< by register of the tape: where its value comes from

  bool reads_computed(std::uint32_t position, std::size_t f) const { return (computed[position] >> f & 1) != 0; }
};

}  // namespace dalembert::rolling

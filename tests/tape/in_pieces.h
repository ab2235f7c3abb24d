// SPDX-License-Identifier: Apache-2.0
// Tapes long enough to take subnormal numbers for zeros, and what they compute where they do not.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape_builder.h"
#include "tape/choices.h"

namespace dalembert::testing {

/// What a tape computes for one system, by the same instructions in the same order, but as many short tapes, one after
/// the other on the same registers: short ones compute with subnormal numbers.
inline std::vector<double> values_in_pieces(const Tape& tape, const double* const* arguments) {
  std::vector<double> work(tape.registers, std::nan("")), out(tape.outputs, std::nan(""));
  Tape piece;
  piece.constants = tape.constants;
  piece.registers = tape.registers;
  piece.outputs = tape.outputs;
  const auto run_piece = [&] {
    run(piece, arguments, work.data(), out.data(), 1);
    piece.instructions.clear();
  };
  const auto add = [&](Instruction i, const Stride& by, std::uint32_t round) {
    const auto move = [&](std::uint32_t& field, std::int32_t stride) {
      field += round * static_cast<std::uint32_t>(stride);
    };
    move(i.dst, by.dst), move(i.a, by.a), move(i.b, by.b), move(i.c, by.c);
    piece.instructions.push_back(i);
    if (piece.instructions.size() == 500) run_piece();
  };
  auto loop = tape.loops.begin();
  for (std::uint32_t i = 0; i < tape.instructions.size(); ++i) {
    if (loop == tape.loops.end() || i < loop->begin) {
      add(tape.instructions[i], {}, 0);
      continue;
    }
    for (std::uint32_t round = 0; round < loop->rounds; ++round)
      for (std::uint32_t k = loop->begin; k < loop->end; ++k) add(tape.instructions[k], tape.strides[k], round);
    i = loop->end - 1;
    ++loop;
  }
  run_piece();
  return out;
}

/// `results` products, sums, quotients and sines of coordinates of all sizes from 1 down to 1e-308 and of each other:
/// many are subnormal. Each is an output; in single-assignment form.
inline Tape tape_of_small_numbers(unsigned seed, int results) {
  Choices choices(seed);
  TapeBuilder builder;
  std::vector<Operand> known;
  for (int i = 0; i < 16; ++i) known.push_back(builder.argument(TapeArray::kCoordinate, i));
  for (int i = 0; i < results; ++i) {
    const auto any = [&] { return known[static_cast<std::size_t>(choices.below(static_cast<int>(known.size())))]; };
    const Operand x = any(), y = any();
    const auto make = [&] {
      switch (choices.below(7)) {
        case 0:
          return builder.multiply(x, y);
        case 1:
          return builder.multiply(Operand::of(0.27), x);
        case 2:
          return builder.add(builder.multiply(x, y), builder.multiply(Operand::of(1e-10), any()));
        case 3:
          return builder.divide(x, builder.add(builder.square(y), Operand::of(7)));
        case 4:
          return builder.call(Op::kSin, std::array{x});
        case 5:
          return builder.subtract(x, y);
        default:
          return builder.add(x, y);
      }
    };
    const Operand result = make();
    builder.output(static_cast<std::uint32_t>(i), result);
    // Others take the place of what is there, so that sizes do not run away.
    known[static_cast<std::size_t>(choices.below(static_cast<int>(known.size())))] =
        i % 3 == 0 ? builder.argument(TapeArray::kCoordinate, choices.below(64)) : result;
  }
  return builder.take(static_cast<std::size_t>(results));
}

/// 64 coordinates of `lanes` systems, from 1 down to 1e-308.
inline std::vector<double> small_coordinates(unsigned seed, int lanes) {
  Choices choices(seed);
  std::vector<double> q(64 * static_cast<std::size_t>(lanes));
  for (double& x : q) x = choices.uniform(-1, 1) * std::pow(10, -choices.uniform(0, 308));
  return q;
}

}  // namespace dalembert::testing

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "dalembert/tape/tape_passes.h"

namespace dalembert {

void put_sines_first(Tape& tape) {
  constexpr std::size_t kNone = ~std::size_t{0};
  const std::vector<Instruction>& all = tape.instructions;
  // By register: index of the kArgument instruction that loads it, else kNone.
  std::vector<std::size_t> loaded_by(tape.registers, kNone);
  std::vector<std::size_t> sines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].op == TapeOp::kArgument) loaded_by[all[i].dst] = i;
    if (is_sine(all[i]) && loaded_by[all[i].a] != kNone) sines.push_back(i);
  }
  const auto place = [&](std::size_t i) {
    const Instruction& angle = all[loaded_by[all[i].a]];
    return std::tuple(all[i].op, all[i].function, angle.a, angle.b, i);
  };
  std::sort(sines.begin(), sines.end(), [&](std::size_t i, std::size_t j) { return place(i) < place(j); });
  std::vector<Instruction> ordered;
  ordered.reserve(all.size());
  std::vector<bool> placed(all.size());
  const auto put = [&](std::size_t i) {
    if (!placed[i]) ordered.push_back(all[i]);
    placed[i] = true;
  };
  for (const std::size_t i : sines) {
    put(loaded_by[all[i].a]);
    put(i);
  }
  for (std::size_t i = 0; i < all.size(); ++i) put(i);
  tape.instructions = std::move(ordered);
}

}  // namespace dalembert

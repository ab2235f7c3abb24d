// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/argument_entries.h"

namespace dalembert {

std::vector<ArgumentEntry> entries_of(const Equations& equations, std::initializer_list<TapeArray> arrays) {
  const auto size = [&](TapeArray array) -> std::size_t {
    switch (array) {
      case TapeArray::kTime:
        return 1;
      case TapeArray::kParameter:
        return equations.model->parameters.size();
      case TapeArray::kInput:
        return equations.model->inputs.size();
      case TapeArray::kCoordinate:
        return equations.q.size();
      case TapeArray::kVelocity:
      case TapeArray::kAcceleration:
        return equations.velocities().size();
      case TapeArray::kMultiplier:
        return equations.rows.size() + equations.frictions.size();
      case TapeArray::kPrepared:
        return 0;
    }
    return 0;
  };
  std::vector<ArgumentEntry> entries;
  for (const TapeArray array : arrays)
    for (std::size_t i = 0; i < size(array); ++i) entries.push_back({array, static_cast<int>(i)});
  return entries;
}

}  // namespace dalembert

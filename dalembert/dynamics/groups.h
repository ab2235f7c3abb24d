// SPDX-License-Identifier: Apache-2.0
// Sets of numbers that belong together, by union with path halving.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace dalembert {

class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  /// The number that stands for the set of i.
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace dalembert

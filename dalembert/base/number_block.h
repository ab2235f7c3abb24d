// SPDX-License-Identifier: Apache-2.0
// Several arrays of numbers in one block of memory, for objects that every run of a study makes anew.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

namespace dalembert {

class NumberBlock {
 public:
  /// Makes each of the arrays `count` zeros, by one allocation. Called once; the arrays live as long as the block.
  void make(std::initializer_list<std::pair<std::size_t, std::initializer_list<std::span<double>*>>> groups) {
    std::size_t all = 0;
    for (const auto& [count, arrays] : groups) all += count * arrays.size();
    numbers_ = std::make_unique<double[]>(all);
    double* next = numbers_.get();
    for (const auto& [count, arrays] : groups)
      for (std::span<double>* array : arrays) {
        *array = {next, count};
        next += count;
      }
  }

 private:
  std::unique_ptr<double[]> numbers_;
};

}  // namespace dalembert

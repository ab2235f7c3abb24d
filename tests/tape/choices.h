// SPDX-License-Identifier: Apache-2.0
// Where random tapes and graphs take their choices from.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <utility>

namespace dalembert::testing {

/// Choices of a seed, or those that the bytes of a fuzzer's input name: one each, 0 after their end.
class Choices {
 public:
  explicit Choices(unsigned seed) : random_(seed) {}
  explicit Choices(std::string bytes) : from_bytes_(true), bytes_(std::move(bytes)) {}

  int below(int n) {
    if (!from_bytes_) return std::uniform_int_distribution<int>(0, n - 1)(random_);
    return at_end() ? 0 : static_cast<unsigned char>(bytes_[next_++]) % n;
  }
  double uniform(double low, double high) {
    if (!from_bytes_) return std::uniform_real_distribution<double>(low, high)(random_);
    return low + (high - low) * below(256) / 256;
  }
  /// Of bytes only.
  bool at_end() const { return next_ >= bytes_.size(); }

 private:
  std::mt19937 random_;
  bool from_bytes_ = false;
  std::string bytes_;
  std::size_t next_ = 0;
};

}  // namespace dalembert::testing

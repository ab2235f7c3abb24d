// SPDX-License-Identifier: Apache-2.0
// The lengths of the steps of a run, in bounded memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dalembert {

/// Lengths of accepted steps in s, in the order of travel. In a long run the steps are grouped into stretches of
/// equally many steps, and only the shortest and the longest step of each stretch are kept.
class StepHistory {
 public:
  struct Stretch {
    double from = 0, to = 0;           ///< times of the start and the end of the stretch, s
    double shortest = 0, longest = 0;  ///< lengths of the shortest and the longest step in it, s; > 0
  };
  static constexpr std::size_t kMost = 256;  ///< largest number of stretches

  /// Adds a step from one time to another.
  void add(double from, double to) {
    const double length = to > from ? to - from : from - to;
    if (open_ == 0) {
      if (stretches_.empty()) stretches_.reserve(kMost);  // only once, so that later steps do not allocate
      if (stretches_.size() == kMost) join_pairs();
      stretches_.push_back({from, to, length, length});
    } else {
      Stretch& last = stretches_.back();
      last = {last.from, to, std::min(last.shortest, length), std::max(last.longest, length)};
    }
    open_ = (open_ + 1) % steps_;
  }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  /// Number of steps in a stretch; the last stretch may have fewer.
  std::int64_t steps_of_stretch() const { return steps_; }

 private:
  void join_pairs() {
    for (std::size_t k = 0; k < kMost / 2; ++k) {
      const Stretch &a = stretches_[2 * k], &b = stretches_[2 * k + 1];
      stretches_[k] = {a.from, b.to, std::min(a.shortest, b.shortest), std::max(a.longest, b.longest)};
    }
    stretches_.resize(kMost / 2);
    steps_ *= 2;
  }

  std::vector<Stretch> stretches_;
  std::int64_t steps_ = 1, open_ = 0;
};

}  // namespace dalembert

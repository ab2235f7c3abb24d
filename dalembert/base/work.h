// SPDX-License-Identifier: Apache-2.0
// A few words of a file can ask for work without end: ranges of `for` and `sum` multiply. What can grow beyond the
// length of its line is counted while it is done, against a limit that the message states.
#pragma once

#include <cstdint>
#include <utility>

namespace dalembert {

/// Counts up to a limit, and says when it is passed.
class WorkMeter {
 public:
  explicit WorkMeter(std::int64_t limit) : limit_(limit) {}
  /// Counts `amount` more. False from the time on when the limit is passed.
  bool spend(std::int64_t amount = 1) {
    // What would overflow is far beyond every limit.
    spent_ = amount > limit_ - spent_ ? limit_ + 1 : spent_ + amount;
    return spent_ <= limit_;
  }
  bool exhausted() const { return spent_ > limit_; }
  /// True once after it is exhausted: for the one message about it.
  bool exhausted_first() { return exhausted() && !std::exchange(told_, true); }
  std::int64_t limit() const { return limit_; }

 private:
  std::int64_t limit_, spent_ = 0;
  bool told_ = false;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Limits on the work that a file can ask for. A few words of a model file can ask for endless work: ranges of `for` and `sum` multiply.
// Such work is counted while it is done, and an error message states the limit.
#pragma once

#include <cstdint>
#include <utility>

namespace dalembert {

/// Counts work up to a limit and tells when it is exceeded.
class WorkMeter {
 public:
  explicit WorkMeter(std::int64_t limit) : limit_(limit) {}
  /// Counts `amount` more. Returns false once the limit is exceeded.
  bool spend(std::int64_t amount = 1) {
    // Avoids overflow in the sum: an amount above the remaining allowance sets the count to limit + 1.
    spent_ = amount > limit_ - spent_ ? limit_ + 1 : spent_ + amount;
    return spent_ <= limit_;
  }
  bool exhausted() const { return spent_ > limit_; }
  /// True only at the first call after the limit is exceeded, so that one message reports it.
  bool exhausted_first() { return exhausted() && !std::exchange(told_, true); }
  std::int64_t limit() const { return limit_; }

 private:
  std::int64_t limit_, spent_ = 0;
  bool told_ = false;
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#if !defined(__wasi__)  // WebAssembly has neither threads nor processes here
#include "dalembert/study/sweep/deal.h"

#include <algorithm>
#include <utility>

namespace dalembert::sweeping {
namespace {

constexpr std::int64_t kMostAtATime = 4096;  // runs for a process

}  // namespace

Deal::Deal(std::int64_t first, std::int64_t step, std::int64_t end, std::function<bool(std::int64_t index)> has,
           std::int64_t left, int processes)
    : step_(step),
      end_(end),
      has_(std::move(has)),
      next_(first),
      undealt_(left),
      left_(left),
      has_now_(static_cast<std::size_t>(processes)),
      has_made_(static_cast<std::size_t>(processes)) {}

bool Deal::deal(std::int64_t index, int process) {
  std::vector<int>& who = out_[index];
  if (std::ranges::find(who, process) != who.end()) return false;
  who.push_back(process);
  ++has_now_[static_cast<std::size_t>(process)];
  return true;
}

std::vector<std::int64_t> Deal::take(int process, std::int64_t most) {
  const std::lock_guard<std::mutex> hold(mutex_);
  std::vector<std::int64_t> taken;
  const auto full = [&] { return static_cast<std::int64_t>(taken.size()) >= most; };
  for (; next_ < end_ && !full(); next_ += step_) {
    if (has_(next_)) continue;
    deal(next_, process);
    --undealt_;
    taken.push_back(next_);
  }
  if (!taken.empty()) return taken;
  // Nothing is left that nobody has: once around those that others have, from where the last call ended.
  const auto from = out_.lower_bound(again_);
  const auto look_at = [&](auto at, const auto& to) {
    for (; at != to && !full(); ++at)
      if (deal(at->first, process)) taken.push_back(at->first);
  };
  look_at(from, out_.end());
  if (taken.empty()) look_at(out_.begin(), from);
  if (!taken.empty()) again_ = taken.back() + 1;
  return taken;
}

std::int64_t Deal::wanted(int process, int threads) const {
  const std::lock_guard<std::mutex> hold(mutex_);
  const auto k = static_cast<std::size_t>(process);
  const auto processes = static_cast<std::int64_t>(has_now_.size());
  // So few in the end that all come to their end together.
  const std::int64_t fair = std::max<std::int64_t>(undealt_ / (4 * processes), threads);
  const std::int64_t share =
      std::min({std::max<std::int64_t>(has_made_[k] / 2, 2 * threads), fair, kMostAtATime * threads});
  return 2 * has_now_[k] > share ? 0 : share;
}

bool Deal::made(int process, std::int64_t index) {
  const std::lock_guard<std::mutex> hold(mutex_);
  const auto found = out_.find(index);
  if (found == out_.end()) return false;
  for (const int who : found->second) --has_now_[static_cast<std::size_t>(who)];
  ++has_made_[static_cast<std::size_t>(process)];
  out_.erase(found);
  --left_;
  return true;
}

bool Deal::done() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return left_ == 0;
}

}  // namespace dalembert::sweeping
#endif

// SPDX-License-Identifier: Apache-2.0
// Threads that share the runs of a study.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace dalembert {

/// Number of threads for `work` pieces of work: `wanted`, or if that is 0 one for each processor of the process.
inline int threads_for(int wanted, std::int64_t work) {
  if (wanted <= 0) wanted = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return static_cast<int>(std::clamp<std::int64_t>(work, 1, wanted));
}

/// Calls a function in several threads at once, with the number of the thread. The destructor waits for them.
class Threads {
 public:
  using Body = std::function<void(int thread, const std::atomic<bool>& stopped)>;

  Threads(int count, Body body) : body_(std::move(body)), left_(count) {
    for (int k = 0; k < count; ++k)
      threads_.emplace_back([this, k] {
        body_(k, stopped_);
        --left_;
      });
  }
  ~Threads() {
    stopped_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// Waits until all have returned. `look` is called about ten times a second, or more often; when it returns false the threads are told to stop, and so is
  /// the caller by `true`.
  template <typename Look>
  bool wait(const Look& look, std::chrono::milliseconds longest = std::chrono::milliseconds(100)) {
    auto pause = std::chrono::milliseconds(1);
    while (left_ > 0) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest);
      if (look()) continue;
      stopped_ = true;
      return true;
    }
    return false;
  }

 private:
  const Body body_;
  std::atomic<bool> stopped_ = false;
  std::atomic<int> left_;
  std::vector<std::thread> threads_;
};

}  // namespace dalembert

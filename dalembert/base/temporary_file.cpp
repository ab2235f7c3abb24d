// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/temporary_file.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#if defined(__unix__)
#include <unistd.h>
#endif

namespace dalembert {
namespace {

// Fixed memory: a signal handler may neither allocate nor wait for a lock.
enum State : int { kFree, kBeingWritten, kInUse };
struct Slot {
  std::atomic<int> state{kFree};
  std::array<char, 4096> path{};  // as long as the longest path on Linux (PATH_MAX)
};
std::array<Slot, 16> slots;
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) : slot_(-1) {
  if (path.size() >= slots[0].path.size()) return;
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    int free = kFree;
    if (!slots[i].state.compare_exchange_strong(free, kBeingWritten)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].state = kInUse;
    slot_ = static_cast<int>(i);
  }
}

TemporaryFile::~TemporaryFile() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = kFree;
}

void remove_temporary_files() {
#if defined(__unix__)
  for (const Slot& slot : slots)
    if (slot.state == kInUse) unlink(slot.path.data());
#endif
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while something is computed that can be saved.
#pragma once

namespace dalembert::app {

/// While it lives, the first SIGINT or SIGTERM only sets a flag; a second one, a third of a second later or more, ends
/// the process as if nobody listened. (`timeout` sends its signal twice at once: to the process and to its group.)
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

}  // namespace dalembert::app

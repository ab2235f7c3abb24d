// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/waiting.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace dalembert::app {

Waiting::Waiting(Terminal& terminal, std::string what) : terminal_(terminal), what_(std::move(what)) {
  if (!terminal.err_is_terminal() || terminal.quiet()) return;
  // The working thread must receive the signals, so the drawing thread blocks them all.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { draw(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Waiting::~Waiting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  over_.notify_one();
  thread_.join();
  terminal_.clear_line();
}

void Waiting::draw() {
  std::unique_lock lock(mutex_);
  for (int seconds = 1; !over_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }); ++seconds)
    terminal_.show_line(fmt::format("{}: {} s", what_, seconds));
}

}  // namespace dalembert::app

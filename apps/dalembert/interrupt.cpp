// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/interrupt.h"

#include <csignal>
#include <ctime>

namespace dalembert::app {
namespace {

constexpr double kSameSignal = 0.33;  // s

volatile std::sig_atomic_t interrupted_flag = 0;
timespec first_signal;
struct sigaction previous_interrupt, previous_terminate;

// Calls nothing but what POSIX allows in a signal handler.
void on_signal(int number) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (interrupted_flag == 0) {
    interrupted_flag = 1;
    first_signal = now;
    return;
  }
  const double seconds = static_cast<double>(now.tv_sec - first_signal.tv_sec) +
                         1e-9 * static_cast<double>(now.tv_nsec - first_signal.tv_nsec);
  if (seconds < kSameSignal) return;
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted_flag = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &previous_interrupt);
  sigaction(SIGTERM, &action, &previous_terminate);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_interrupt, nullptr);
  sigaction(SIGTERM, &previous_terminate, nullptr);
}

bool InterruptGuard::interrupted() { return interrupted_flag != 0; }

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/interrupt.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <new>
#include <string>
#include <string_view>

#include "apps/dalembert/exit_codes.h"
#include "apps/dalembert/json.h"
#include "dalembert/algebra/memory.h"
#include "dalembert/base/temporary_file.h"

namespace dalembert::app {
namespace {

constexpr double kSameSignal = 0.33;  // s; a second signal within this time is the same one

volatile std::sig_atomic_t guards = 0, guarded = 0, interrupted_flag = 0, ending = 0, answering = 0, saved = 0;
timespec first_signal;

// Messages of the signal handler, built in advance because a handler must not allocate. Never freed, because a signal
// may come at any time.
struct Texts {
  std::string once, saved, again, document, no_memory_document;
};
constexpr std::string_view kNoMemory = "error[E0901]: out of memory\n";
const Texts* texts = nullptr;

Diagnostic interruption(const char* kept) {
  return error("E0903", std::string("interrupted before there was an answer; ") + kept);
}
constexpr const char *kNothingKept = "nothing was saved", *kRunKept = "the run is saved, nothing else";

double seconds_since_first() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - first_signal.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - first_signal.tv_nsec);
}

void write_text(int descriptor, std::string_view text) {
  // Output that a blocked or closed stream does not accept is lost.
  if (::write(descriptor, text.data(), text.size()) < 0) return;
}

// Calls only functions that POSIX allows in a signal handler.
void on_signal(int) {
  // If the output below blocks, the next signal ends the process.
  if (ending != 0) _exit(kExitInterrupted);
  if (guarded != 0 && interrupted_flag == 0) {
    clock_gettime(CLOCK_MONOTONIC, &first_signal);
    interrupted_flag = 1;
    return;
  }
  if (guarded != 0 && seconds_since_first() < kSameSignal) return;
  ending = 1;
  remove_temporary_files();
  write_text(STDERR_FILENO, guarded != 0 ? texts->again : saved != 0 ? texts->saved : texts->once);
  if (guarded == 0 && answering == 0) write_text(STDOUT_FILENO, texts->document);
  _exit(kExitInterrupted);
}

// Calls only the functions that on_signal() calls.
void on_no_memory() {
  if (ending != 0) _exit(kExitNumerical);
  ending = 1;
  remove_temporary_files();
  // End the line that shows progress.
  if (guards != 0 && ::isatty(STDERR_FILENO) == 1) write_text(STDERR_FILENO, "\n");
  write_text(STDERR_FILENO, kNoMemory);
  if (texts != nullptr && answering == 0) write_text(STDOUT_FILENO, texts->no_memory_document);
  _exit(kExitNumerical);
}

}  // namespace

void end_without_memory() {
  std::set_new_handler(on_no_memory);
  ask_new_handler_for_memory();
}

void listen_for_signals(bool json) {
  if (texts != nullptr) return;
  texts = new Texts{"\n" + render(interruption(kNothingKept)), "\n" + render(interruption(kRunKept)),
                    "\ninterrupted again: ended without saving the rest\n",
                    json ? document_text(failure_document({interruption(kNothingKept)})) : "",
                    json ? document_text(failure_document({error("E0901", "out of memory")})) : ""};
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_NODEFER;
  for (const int number : std::array{SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    if (number == SIGHUP && sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

void answer_has_begun() { answering = 1; }

void output_is_saved() { saved = 1; }

InterruptGuard::InterruptGuard() {
  interrupted_flag = 0;
  guards = 1;
}

InterruptGuard::~InterruptGuard() {
  guards = 0;
  guarded = 0;
}

bool InterruptGuard::interrupted() {
  guarded = guards;
  return interrupted_flag != 0;
}

}  // namespace dalembert::app

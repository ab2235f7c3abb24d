// SPDX-License-Identifier: Apache-2.0
// Handling of Ctrl-C (SIGINT), SIGTERM and SIGHUP. A signal ends the program at once with exit status 130, so loops
// need not check. Only where there is something to save, under an InterruptGuard, the code handles the first signal
// itself. Lack of memory ends the program in a similar way.
#pragma once

namespace dalembert::app {

/// Installs the handlers. A signal reports E0903 on standard error and, with `json`, as the document on standard
/// output, and removes temporary files. SIGHUP stays ignored if it was ignored before (nohup).
void listen_for_signals(bool json);

/// From now on lack of memory ends the program anywhere with exit status 3: it reports E0901 on standard error and,
/// after listen_for_signals() with `json`, as the document, and removes temporary files. std::bad_alloc would not do,
/// because most of the library is compiled without exceptions and third-party libraries abort.
void end_without_memory();

/// From now on standard output contains at least part of an answer, so a signal adds no document to it.
void answer_has_begun();

/// From now on there are saved files, which a signal leaves in place and mentions.
void output_is_saved();

/// During its lifetime, from the first call of interrupted() on, the first signal only sets a flag. A second signal at
/// least a third of a second later ends the process; an earlier one is ignored, because `timeout` sends its signal
/// twice, to the process and to its group. Before that first call nothing can be saved yet, and the preparation of a
/// run can take long, so a signal ends the process. Guards do not nest.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

}  // namespace dalembert::app

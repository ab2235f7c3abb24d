// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT), SIGTERM and SIGHUP. They end the program at once, with exit status 130, wherever it is: no loop has
// to look. Only where there is something to save, under an InterruptGuard, the first one is left to the code. Memory that is not
// there ends it in the same way.
#pragma once

namespace dalembert::app {

/// Listens from now on. A signal says E0903 on standard error and, with `json`, as the document on standard output;
/// temporary files are removed. SIGHUP stays ignored where it was (nohup).
void listen_for_signals(bool json);

/// From now on memory that is not there ends the program, wherever it is, with exit status 3: E0901 on standard error and, once it is
/// known that `json` is wanted, as the document; temporary files are removed. Not left to std::bad_alloc: most of the library is
/// compiled without exceptions, and libraries below it abort.
void end_without_memory();

/// From now on standard output holds an answer, or part of one: a signal adds nothing to it.
void answer_has_begun();

/// From now on there are files that a signal leaves as they are, which it says.
void output_is_saved();

/// While it lives, from the first time that interrupted() is asked on, the first signal only sets a flag; a second one, a
/// third of a second later or more, ends the process. Before that nothing is there to be saved, and nobody to look: what a run
/// needs before its first step can take long.
/// (`timeout` sends its signal twice at once: to the process and to its group.) Guards do not nest.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// dalembert lsp: a language server for model files, on standard input and output.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/lsp_messages.h"
#include "apps/dalembert/lsp_server.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"

namespace dalembert::app {
namespace {

void send(const LspJson& message) {
  const int problem = write_all(STDOUT_FILENO, framed(text_of(message)));
  if (problem != 0) fail(kExitIo, "E0501", fmt::format("cannot write to standard output: {}", std::strerror(problem)));
}

// During its lifetime signals come only while the server waits, so that none is missed between a look at it and the wait.
class SignalsWhileWaiting {
 public:
  SignalsWhileWaiting() {
    sigset_t held;
    sigemptyset(&held);
    for (const int number : std::array{SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, number);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsWhileWaiting() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWhileWaiting(const SignalsWhileWaiting&) = delete;
  SignalsWhileWaiting& operator=(const SignalsWhileWaiting&) = delete;

  // Waits for bytes of standard input or of a check; true if there are some of standard input.
  bool wait(const std::vector<LspCheck*>& checks, int milliseconds) const {
    std::vector<pollfd> sources{{STDIN_FILENO, POLLIN, 0}};
    for (const LspCheck* check : checks) {
      sources.push_back({check->descriptor(), POLLIN, 0});
      const int left = check->milliseconds_left();
      milliseconds = milliseconds < 0 ? left : std::min(milliseconds, left);
    }
    const timespec limit{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
    const int ready = ::ppoll(sources.data(), sources.size(), milliseconds < 0 ? nullptr : &limit, &before_);
    return ready > 0 && sources[0].revents != 0;
  }

 private:
  sigset_t before_;
};

enum class Arrival { kBytes, kEnd };

Arrival read_bytes(MessageReader& reader) {
  char block[65536];
  const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return Arrival::kBytes;
  if (count < 0) fail(kExitIo, "E0001", fmt::format("cannot read `standard input`: {}", std::strerror(errno)));
  if (count == 0) return Arrival::kEnd;
  reader.append({block, static_cast<std::size_t>(count)});
  return Arrival::kBytes;
}

// Hands the messages that are there to the server.
void hand_over(MessageReader& reader, LspServer& server) {
  std::vector<std::string> bodies;
  while (auto message = reader.next()) {
    if (message->broken.empty()) {
      bodies.push_back(std::move(message->body));
      continue;
    }
    server.handle(std::exchange(bodies, {}));
    server.answer_broken(message->broken);
  }
  server.handle(bodies);
}

}  // namespace

int run_lsp(const Arguments&, Terminal& terminal) {
  if (::isatty(STDIN_FILENO) == 1)
    terminal.note(
        "dalembert lsp speaks to editors, not to people: the folder editors/ of the sources says how to set it up; "
        "Ctrl-D ends it\n");
  // From here on standard output has messages of the protocol alone.
  answer_has_begun();
  LspServer server(send);
  MessageReader reader;
  const InterruptGuard guard;
  const SignalsWhileWaiting signals;
  while (!InterruptGuard::interrupted()) {
    // All that has come is read before it is handled, and handled before anything is checked.
    bool read = false;
    while (signals.wait({}, 0)) {
      if (read_bytes(reader) == Arrival::kEnd) {
        hand_over(reader, server);
        return server.ended() && !server.was_shut_down() ? kExitModel : kExitOk;
      }
      read = true;
    }
    if (read) hand_over(reader, server);
    if (server.ended()) return server.was_shut_down() ? kExitOk : kExitModel;
    server.start_checks();
    signals.wait(server.running_checks(), -1);
    server.collect_checks();
  }
  return kExitInterrupted;
}

}  // namespace dalembert::app

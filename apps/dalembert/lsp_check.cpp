// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/lsp_check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/lsp_facts.h"
#include "apps/dalembert/terminal.h"

namespace dalembert::app {
namespace {

// Fixes are looked for of so many diagnostics: each loads the model.
constexpr std::size_t kMostWithFixes = 8;

LspJson all_json(const LspDocument& document, const Diagnostics& diagnostics, const LoadOptions& options) {
  LspJson all = LspJson::array();
  std::size_t tried = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool mendable = diagnostic.level == Level::kError && diagnostic.primary.span.source == document.source;
    const bool tries = mendable && !editor::proposed_fixes(diagnostic).empty() && tried++ < kMostWithFixes;
    all.push_back(diagnostic_json(
        document, diagnostic,
        tries ? editor::fixes_that_mend(diagnostic, diagnostics, options) : std::vector<editor::Fix>()));
  }
  return all;
}

// The check itself, in its process: a line of JSON for each part.
void check(const LspDocument& document, int output) {
  const auto say = [&](const LspJson& part) { write_all(output, text_of(part) + "\n"); };
  const std::string path = path_of(document.uri);
  const LoadOptions options{
      .overrides = {}, .directory = std::filesystem::path(path).parent_path().string(), .allow_files = false};
  // What stands in the text is said before fixes are tried, and before anything is derived.
  Result<Model> loaded = load_model(document.source, options);
  const Diagnostics of_text = loaded.diagnostics();
  LspJson plain = LspJson::array();
  for (const Diagnostic& diagnostic : of_text) plain.push_back(diagnostic_json(document, diagnostic, {}));
  say({{"diagnostics", plain}});
  if (!loaded) {
    say({{"diagnostics", all_json(document, of_text, options)}});
    say({{"complete", true}});
    return;
  }
  say({{"facts", facts_json(facts_of_model(*loaded))}});
  const auto model = std::make_shared<const Model>(std::move(loaded).value());
  // Without machine code, whose files a process that is killed would leave unfinished.
  const Findings findings = check_model(path, [&] { return LoadedModel{model, of_text}; }, {.machine_code = false});
  say({{"diagnostics", all_json(document, findings.diagnostics, options)}});
  if (findings.system) say({{"facts", facts_json(facts_of_start(findings))}});
  say({{"complete", true}});
}

// Makes of the process that was just made one that has nothing of the server's, and that ends with it.
void leave_server() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : std::array{SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, stream);
}

}  // namespace

bool LspCheck::start(const LspDocument& document) {
  give_up();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t made = ::fork();
  if (made == 0) {
    ::close(ends[0]);
    leave_server();
    int status = kExitOk;
    try {
      check(document, ends[1]);
    } catch (const std::exception&) {
      status = kExitNumerical;
    }
    _exit(status);
  }
  ::close(ends[1]);
  if (made < 0) {
    ::close(ends[0]);
    return false;
  }
  process_ = made;
  pipe_ = ends[0];
  ::fcntl(pipe_, F_SETFL, O_NONBLOCK);
  end_ = std::chrono::steady_clock::now() + std::chrono::seconds(kMostSeconds);
  return true;
}

void LspCheck::give_up() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::close(pipe_);
  }
  process_ = -1;
  pipe_ = -1;
  bytes_.clear();
}

int LspCheck::milliseconds_left() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

CheckReport LspCheck::receive() {
  CheckReport report;
  char block[65536];
  for (;;) {
    const ssize_t count = ::read(pipe_, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    report.ended = count == 0 || (count < 0 && errno != EAGAIN);
    if (count <= 0) break;
    bytes_.append(block, static_cast<std::size_t>(count));
  }
  std::size_t from = 0;
  for (std::size_t end; (end = bytes_.find('\n', from)) != std::string::npos; from = end + 1) {
    LspJson part = LspJson::parse(bytes_.begin() + static_cast<std::ptrdiff_t>(from),
                                  bytes_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (!part.is_object()) continue;
    if (part.contains("diagnostics")) report.diagnostics = std::move(part["diagnostics"]);
    if (part.contains("facts")) report.facts = std::move(part["facts"]);
    if (part.contains("complete")) report.complete = true;
  }
  bytes_.erase(0, from);
  // The last line and the end of the pipe may come one read apart.
  report.ended = report.ended || report.complete;
  if (report.ended) give_up();
  return report;
}

}  // namespace dalembert::app

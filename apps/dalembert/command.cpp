// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/command.h"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/cli.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/help.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/typed.h"
#include "apps/dalembert/waiting.h"

extern const char* const dalembert_commit;  // cmake/Commit.cmake

namespace dalembert::app {
namespace {

// Replaces `help` and `help VERB` by --help.
std::vector<std::string> with_help_spelled_out(std::vector<std::string> words) {
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

bool has_verb(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (!word.empty() && word[0] != '-') return true;
  return false;
}

int run_verb(const std::vector<std::string>& words, Terminal& terminal) {
  const bool help = mentions(words, "--help") || mentions(words, "-h");
  if (words.empty()) {
    terminal.err(general_help(terminal));
    return kExitUsage;
  }
  if (help && !has_verb(words)) {
    terminal.out(general_help(terminal));
    return kExitOk;
  }
  if (mentions(words, "--version")) {
    terminal.out(
        fmt::format("dalembert {}\ncommit {}\nwith {}\n", DALEMBERT_VERSION, dalembert_commit, DALEMBERT_BACK_ENDS));
    return kExitOk;
  }
  const Arguments arguments = parse_command_line(words);
  terminal.deny(arguments.values("--deny"));
  if (arguments.has("--allow-files")) allow_files();
  if (arguments.has("--help")) {
    terminal.out(verb_help(*arguments.verb, terminal));
    return kExitOk;
  }
  std::optional<Waiting> waiting;
  if (arguments.verb->waits) waiting.emplace(terminal, arguments.verb->name);
  const int status = arguments.verb->run(arguments, terminal);
  waiting.reset();
  return status == kExitOk && terminal.denied() ? kExitModel : status;
}

int give_up(const Failure& failure, bool json, Terminal& terminal) {
  terminal.report(failure.diagnostics);
  if (json) {
    terminal.discard();
    terminal.out(document_text(failure_document(failure.diagnostics)));
  }
  return failure.exit_code;
}

}  // namespace

int run_command(const std::vector<std::string>& typed, std::string* instead) {
  const std::vector<std::string> words = with_help_spelled_out(typed);
  const bool json = mentions(words, "--json");
  listen_for_signals(json);
  remember_typed(typed);
  Terminal terminal({.no_color = mentions(words, "--no-color"),
                     .quiet = mentions(words, "--quiet") || mentions(words, "-q"),
                     .instead = instead});
  int status = kExitOk;
  try {
    status = run_verb(words, terminal);
  } catch (const Failure& failure) {
    status = give_up(failure, json, terminal);
  } catch (const std::bad_alloc&) {
    status = give_up({kExitNumerical, {error("E0901", "out of memory")}}, json, terminal);
  } catch (const std::exception& problem) {
    status =
        give_up({kExitNumerical, {error("E0902", fmt::format("internal error: {}", problem.what()))}}, json, terminal);
  }
  answer_has_begun();
  if (const std::string problem = terminal.flush(); !problem.empty()) {
    terminal.report({error("E0501", fmt::format("cannot write to standard output: {}", problem))});
    status = kExitIo;
  }
  return status;
}

void prepare_process() {
  // If the reader of a pipe goes away, write() fails, and Terminal handles that.
  std::signal(SIGPIPE, SIG_IGN);
  // A limit on file sizes makes write() fail instead of ending the program.
  std::signal(SIGXFSZ, SIG_IGN);
  end_without_memory();
  secure_standard_streams();
}

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// How a verb gives up: it throws what to say and the exit status; main() says it. What is wrong with the command line
// is shown there.
#pragma once

#include <utility>

#include "apps/dalembert/exit_codes.h"
#include "apps/dalembert/typed.h"
#include "dalembert/base/diagnostic.h"

namespace dalembert::app {

struct Failure {
  int exit_code;
  Diagnostics diagnostics;
};

[[noreturn]] inline void fail(int exit_code, Diagnostics diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) point_at_typed(diagnostic);
  throw Failure{exit_code, std::move(diagnostics)};
}
[[noreturn]] inline void fail(int exit_code, Diagnostic diagnostic) {
  fail(exit_code, Diagnostics{std::move(diagnostic)});
}
[[noreturn]] inline void fail(int exit_code, std::string code, std::string message,
                              std::vector<std::string> help = {}) {
  Diagnostic diagnostic = error(std::move(code), std::move(message));
  diagnostic.help = std::move(help);
  fail(exit_code, std::move(diagnostic));
}

}  // namespace dalembert::app

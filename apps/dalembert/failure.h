// SPDX-License-Identifier: Apache-2.0
// How a verb fails: it throws a Failure with diagnostics and an exit status, which main() reports. Errors about the
// command line point to the word in question.
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

// SPDX-License-Identifier: Apache-2.0
// dalembert check: soundness of a model, its freedoms, and its consistent start.
#include <fmt/format.h>

#include "apps/dalembert/check_model.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"

namespace dalembert::app {
namespace {

Findings examine(const Arguments& arguments, const Terminal& terminal) {
  const std::string& name = arguments.operands[0];
  const std::vector<Override> overrides = overrides_of(arguments);
  Findings findings = check_model(name, [&] { return load(name, overrides); });
  if (findings.exit_code == kExitOk && terminal.denies(findings.diagnostics)) findings.exit_code = kExitModel;
  findings.document["ok"] = findings.exit_code == kExitOk;
  findings.document["diagnostics"] = to_json(findings.diagnostics);
  return findings;
}

std::string closing_line(const Findings& findings, const Terminal& terminal, const std::string& model) {
  if (findings.exit_code != kExitOk) return terminal.red("not ok") + "\n";
  const int warnings = static_cast<int>(findings.diagnostics.size());
  const std::string count = warnings == 0 ? "" : ", " + counted(warnings, "warning", "warnings");
  std::string line = terminal.green("ok") + count + "\n";
  if (terminal.quiet()) return line;
  if (model != "-") line += fmt::format("\nnext: dalembert derive {0}    dalembert simulate {0}\n", shell_word(model));
  return line;
}

}  // namespace

int run_check(const Arguments& arguments, Terminal& terminal) {
  const Findings findings = examine(arguments, terminal);
  terminal.report(findings.diagnostics);
  if (arguments.json())
    terminal.out(document_text(findings.document));
  else if (!findings.text.empty())
    terminal.out((terminal.quiet() ? "" : findings.text) + closing_line(findings, terminal, arguments.operands[0]));
  return findings.exit_code;
}

}  // namespace dalembert::app

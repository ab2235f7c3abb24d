// SPDX-License-Identifier: Apache-2.0
// dalembert audit: is what someone derived by hand right?
#include "dalembert/analyze/audit.h"

#include <fmt/format.h>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/report/audit_json.h"

namespace dalembert::app {
namespace {

std::string place(const Span& span) {
  if (!span) return {};
  const auto position = span.source->position(span.begin);
  return fmt::format("{}:{}:{}", span.source->name(), position.line, position.column);
}

std::string point_text(const CounterExample& point) {
  std::string at;
  for (const auto& [name, value] : point.at) at += (at.empty() ? "" : ", ") + name + " = " + value.to_string();
  std::string text = fmt::format("{}{} is right, {} is claimed", at.empty() ? "" : "where " + at + ": ",
                                 point.correct_digits, point.claimed_digits);
  // Digits that hardly differ are hard to subtract by eye.
  if (point.correct_digits.size() > 12 && !point.difference_digits.empty())
    text += fmt::format(", the difference is {}", point.difference_digits);
  return text;
}

std::string describe(const AuditedClaim& claim, const Terminal& terminal) {
  const auto line = [](std::string_view label, const std::string& text) {
    return text.empty() ? std::string() : fmt::format("  {:<14}{}\n", label, text);
  };
  const std::string verdict = to_text(claim.verdict);
  const std::string shown = claim.verdict == ClaimVerdict::kProved      ? terminal.green(verdict)
                            : claim.verdict == ClaimVerdict::kDisproved ? terminal.red(verdict)
                                                                        : terminal.bold(verdict);
  const bool proved = claim.verdict == ClaimVerdict::kProved;
  // A proof holds where nothing that was divided by is 0; a claim that fails at one point is wrong.
  const std::string assumed = proved ? describe_conditions(claim) : "";
  std::string text = fmt::format("{}  {}{}\n", terminal.bold(claim.entry), shown, assumed.empty() ? "" : " " + assumed);
  text += line("source", claim.source) + line("claimed", claim.claimed) + labelled_list("given", claim.given);
  if (!proved) {
    text += line("correct", claim.correct) + line("difference", claim.difference);
    if (claim.point) text += line("for example", point_text(*claim.point));
  }
  text += line("note", claim.note);
  if (!proved) text += line("at", place(claim.span));
  return text + "\n";
}

Diagnostics undecided_warnings(const AuditReport& report) {
  Diagnostics warnings;
  for (const AuditedClaim& claim : report.claims) {
    if (claim.verdict != ClaimVerdict::kUndecided) continue;
    warnings.push_back(
        warning("W0241", fmt::format("the claim about `{}` could not be decided", claim.entry), claim.span));
    if (!claim.note.empty()) warnings.back().notes.push_back(claim.note);
  }
  return warnings;
}

}  // namespace

int run_audit(const Arguments& arguments, Terminal& terminal) {
  LoadedModel loaded = load(arguments.operands[0], overrides_of(arguments));
  const Result<Equations> equations = derive(loaded.model);
  if (!equations) fail(kExitModel, equations.diagnostics());
  const Result<AuditReport> report = audit(*equations);
  if (!report) fail(kExitModel, report.diagnostics());
  terminal.report(loaded.warnings);
  terminal.report(undecided_warnings(*report));
  if (report->claims.empty()) {
    Diagnostic nothing = warning("W0240", "the model claims nothing, so there is nothing to audit");
    nothing.help.push_back("state what was derived by hand: [[claim]] with entry = \"B[theta]\" and equals = \"…\"");
    terminal.report({nothing});
  }
  const int disproved = report->count(ClaimVerdict::kDisproved);
  if (arguments.json()) {
    terminal.out(audit_json(loaded.model->name, *report).text());
  } else {
    for (const AuditedClaim& claim : report->claims) terminal.out(describe(claim, terminal));
    terminal.out(fmt::format("{}: {} proved, {} disproved, {} undecided\n",
                             counted(static_cast<int>(report->claims.size()), "claim", "claims"),
                             report->count(ClaimVerdict::kProved), disproved, report->count(ClaimVerdict::kUndecided)));
  }
  return disproved > 0 ? kExitNo : kExitOk;
}

}  // namespace dalembert::app

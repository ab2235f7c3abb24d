// SPDX-License-Identifier: Apache-2.0
// dalembert audit: checks equations that someone derived by hand.
#include "dalembert/analyze/audit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/named_text.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/report/json_documents.h"

namespace dalembert::app {
namespace {

std::string place(const Span& span) {
  if (!span) return {};
  const auto position = span.source->position(span.begin);
  return fmt::format("{}:{}:{}", span.source->name(), position.line, position.column);
}

// Names of the two compared sides: the correct formula and the claim, or this model and another one.
struct Labels {
  std::string correct = "correct", claimed = "claimed";
  bool two_models() const { return correct != "correct"; }
};
const Labels kTwoModels{"here", "there"};

std::string point_text(const CounterExample& point, const Labels& labels) {
  std::string at;
  for (const auto& [name, value] : point.at) at += (at.empty() ? "" : ", ") + name + " = " + value.to_string();
  std::string follows;
  for (const CounterExample::Follower& one : point.follows)
    follows += (follows.empty() ? "" : ", ") + one.name + " = " + one.digits;
  if (!follows.empty()) at += (at.empty() ? "" : " and therefore ") + follows;
  const std::string where = at.empty() ? "" : "where " + at + ": ";
  std::string text = !labels.two_models() ? fmt::format("{}{} is right, {} is claimed", where, point.correct_digits,
                                                        point.claimed_digits)
                                          : fmt::format("{}{} {}, {} {}", where, labels.correct, point.correct_digits,
                                                        labels.claimed, point.claimed_digits);
  // If many digits agree, print the difference too.
  if (point.correct_digits.size() > 12 && !point.difference_digits.empty())
    text += fmt::format(", the difference is {}", point.difference_digits);
  return text;
}

std::string describe(const AuditedClaim& claim, const Terminal& terminal, const Labels& labels = {}) {
  const auto line = [](std::string_view label, const std::string& text) {
    return text.empty() ? std::string() : fmt::format("  {:<14}{}\n", label, text);
  };
  const std::string verdict = to_text(claim.verdict);
  const std::string shown = claim.verdict == ClaimVerdict::kProved      ? terminal.green(verdict)
                            : claim.verdict == ClaimVerdict::kDisproved ? terminal.red(verdict)
                                                                        : terminal.bold(verdict);
  const bool proved = claim.verdict == ClaimVerdict::kProved;
  // A proof holds only where no denominator is zero; the conditions are shown. A disproof needs no conditions.
  const std::string assumed = proved ? describe_conditions(claim) : "";
  std::string text = fmt::format("{}  {}{}\n", terminal.bold(claim.entry), shown, assumed.empty() ? "" : " " + assumed);
  if (!labels.two_models()) text += line("source", claim.source);
  text += line(labels.claimed, claim.claimed);
  if (!labels.two_models()) text += labelled_list("given", claim.given);
  for (const auto& [name, value] : claim.constants) text += line("constant", fmt::format("{} = {}", name, value));
  if (!proved) {
    text += line(labels.correct, claim.correct) + line("difference", claim.difference);
    if (claim.point) text += line("for example", point_text(*claim.point, labels));
  }
  text += line("note", claim.note);
  if (!proved) text += line("at", place(claim.span));
  return text + "\n";
}

// If a condition cannot be used, its error becomes a warning; the other claims are still judged.
Diagnostics undecided_warnings(const AuditReport& report) {
  Diagnostics warnings;
  for (const AuditedClaim& claim : report.claims) {
    if (claim.verdict != ClaimVerdict::kUndecided) continue;
    if (claim.refusal) {
      warnings.push_back(*claim.refusal);
      continue;
    }
    warnings.push_back(
        warning("W0241", fmt::format("the claim about `{}` could not be decided", claim.entry), claim.span));
    if (!claim.note.empty()) warnings.back().notes.push_back(claim.note);
  }
  return warnings;
}

std::vector<StudyStatement::Named> read_map(const Arguments& arguments) {
  std::vector<StudyStatement::Named> map;
  for (const std::string& text : arguments.values("--map"))
    map.push_back(read_named("--map", text, '=', "x=x_c - b*cos(theta)"));
  return map;
}

std::vector<std::string> map_texts(const ModelComparison& compared) {
  std::vector<std::string> texts;
  for (const auto& [name, formula] : compared.map) texts.push_back(fmt::format("{} = {}", name, formula));
  return texts;
}

// Runs `audit A --against B`: compares the equations and the motion of two models.
int run_comparison(const Arguments& arguments, Terminal& terminal, const std::string& against) {
  const LoadedModel loaded = load(arguments.operands[0], overrides_of(arguments)), other = load(against, {});
  const Result<Equations> equations = derive(loaded.model), others = derive(other.model);
  for (const Result<Equations>* derived : {&equations, &others})
    if (!*derived) fail(kExitModel, derived->diagnostics());
  const Result<ModelComparison> compared = compare_models(*equations, *others, Notation::kText, read_map(arguments));
  if (!compared) fail(kExitModel, compared.diagnostics());
  terminal.report(loaded.warnings);
  terminal.report(other.warnings);
  terminal.report(undecided_warnings(compared->report));
  const int disproved = compared->report.count(ClaimVerdict::kDisproved);
  if (arguments.json()) {
    terminal.out(comparison_json(loaded.model->name, other.model->name, *compared).text());
    return disproved > 0 ? kExitNo : kExitOk;
  }
  std::string here = loaded.model->name, there = other.model->name;
  if (here == there) here = arguments.operands[0], there = against;
  if (compared->swapped) std::swap(here, there);
  const char* compared_by = !compared->map.empty() ? "by the map, where it has full rank"
                            : compared->equations  ? "term by term"
                                                   : "on states that keep the constraints of both";
  terminal.out(fmt::format("The {} of {} (here) and {} (there), {}.\n", compared->equations ? "equations" : "motion",
                           here, there, compared_by));
  terminal.out(labelled_list("map", map_texts(*compared)) + labelled_list("only here", compared->without) +
               labelled_list("as numbers", compared->as_numbers));
  if (!compared->report.claims.empty()) terminal.out(labelled_list("given", compared->report.claims.front().given));
  terminal.out("\n");
  for (const AuditedClaim& claim : compared->report.claims) terminal.out(describe(claim, terminal, kTwoModels));
  const int all = static_cast<int>(compared->report.claims.size()),
            proved = compared->report.count(ClaimVerdict::kProved);
  terminal.out(fmt::format("{}: {} of {} the same, {} different, {} undecided\n",
                           disproved > 0   ? "the two say different things"
                           : proved == all ? "the two say the same"
                                           : "no difference was found",
                           proved, all, disproved, all - proved - disproved));
  return disproved > 0 ? kExitNo : kExitOk;
}

}  // namespace

int run_audit(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--map") && !arguments.has("--against"))
    fail(kExitUsage, "E0403", "`--map` needs the other model", {"write --against OTHER"});
  if (const auto against = arguments.value("--against")) return run_comparison(arguments, terminal, *against);
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
  if (disproved > 0) return kExitNo;
  const bool refused = std::ranges::any_of(report->claims, [](const AuditedClaim& c) { return c.refusal.has_value(); });
  return refused ? kExitModel : kExitOk;
}

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/single_refusals.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "dalembert/base/text.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/program_run.h"
#include "dalembert/codegen/single_precision.h"

namespace dalembert {
namespace {

// Numbers that a float holds, though perhaps rounded: 0, and those of its normal range.
bool fits_single(double value) {
  const double size = std::abs(value);
  return !std::isfinite(value) || size == 0 || (size >= kLeastSingle && size <= kMostSingle);
}

// Calls `look` with each real number of the steps.
void each_number(const std::vector<Step>& steps, const std::function<void(double)>& look) {
  const std::function<void(const Term&)> in_term = [&](const Term& term) {
    if (term.kind == Term::kNumber) look(parse_double(term.text).value_or(0));
    for (const Term& argument : term.arguments) in_term(argument);
  };
  for (const Step& step : steps) {
    for (const Term* term : {&step.target, &step.second, &step.value}) in_term(*term);
    each_number(step.body, look);
    each_number(step.otherwise, look);
  }
}

Diagnostic refuse_number(const std::string& what, double value) {
  Diagnostic problem =
      error("E0443", fmt::format("{} is {}, which single precision cannot hold: its numbers are from {:.1e} to {:.1e}",
                                 what, to_text(value), kLeastSingle, kMostSingle));
  problem.help.emplace_back("`--precision double` holds it; other units of the model may bring it nearer to 1");
  return problem;
}

// Numbers beyond those of float, or that are the same in it, as times of samples.
std::optional<Diagnostic> refuse_numbers(const CodeModel& model) {
  for (const NamedEntry& parameter : model.parameters)
    if (!fits_single(parameter.value)) return refuse_number("the parameter `" + parameter.name + "`", parameter.value);
  std::optional<double> wrong;
  const auto look = [&](double value) {
    if (!fits_single(value)) wrong = value;
  };
  for (const Routine& routine : model.program.routines) each_number(routine.body, look);
  if (wrong) return refuse_number("a number of the equations", *wrong);
  for (const auto& [table, values] : model.program.tables) {
    for (const double value : values) look(value);
    if (wrong) return refuse_number("a sample of an input, or a coefficient of its spline,", *wrong);
    if (!table.starts_with("times_")) continue;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (to_single(values[i - 1]) < to_single(values[i])) continue;
      Diagnostic problem = error("E0443", fmt::format("samples of an input at t = {} and {} are at one time in single "
                                                      "precision, which has seven digits",
                                                      to_text(values[i - 1]), to_text(values[i])));
      problem.help.emplace_back("`--precision double` tells them apart; so do fewer samples, or times that begin at 0");
      return problem;
    }
  }
  return std::nullopt;
}

// The motion at the start, where double precision finds it and single precision does not.
std::optional<Diagnostic> refuse_start(const CodeModel& model, const Assembly& start) {
  if (!start.ok()) return std::nullopt;
  const auto status_at_start = [&](bool single) {
    const auto& [t, q, v] = start.state;
    Program program = model.program;
    program.single = single;
    std::vector<double> u(as_size(model.layout().inputs));
    ProgramRun run(program, model.prepared);
    const std::vector<double> p = default_parameters(model);
    if (program.find("inputs") != nullptr) u = run.call("inputs", p, {{"t", {t}}}, 0).array("u");
    return run.call("accelerations", p, {{"t", {t}}, {"q", q}, {"v", v}, {"u", u}}, 0).status;
  };
  const int status = status_at_start(true);
  if (status == 0 || status == ProgramRun::kTooLong || status_at_start(false) != 0) return std::nullopt;
  Diagnostic problem = error(
      "E0443", fmt::format("single precision finds no accelerations at the model's start: status {} of `accelerations`",
                           status));
  problem.help.emplace_back(
      status == 3 ? "a number in between is beyond 3.4e+38; other units of the model may bring it nearer to 1"
                  : "the equations lose more digits than its seven; `--precision double` has sixteen");
  return problem;
}

}  // namespace

Diagnostic refuse_single_precision(std::string_view language) {
  const std::string_view why = language == "fmu"      ? ": numbers of FMI are of double precision"
                               : language == "casadi" ? ": numbers of CasADi are of double precision"
                               : language == "latex"  ? ": formulas have no precision"
                               : language == "js"     ? ": JavaScript computes with double precision"
                                                      : "";
  Diagnostic problem = error("E0442", fmt::format("what is exported to `{}` has no single precision{}", language, why));
  problem.help.emplace_back("single precision is for C and C++: `--to c --precision single`");
  return problem;
}

std::optional<Diagnostic> refuse_in_single(const CodeModel& model, const Assembly& start) {
  if (std::optional<Diagnostic> refused = refuse_numbers(model)) return refused;
  return refuse_start(model, start);
}

}  // namespace dalembert

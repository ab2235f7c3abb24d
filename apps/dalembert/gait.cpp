// SPDX-License-Identifier: Apache-2.0
// dalembert gait: the displacement of a system by a cycle of its shape, and its sensitivities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/local_connection.h"
#include "dalembert/expr/print.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/study/gait_study.h"

namespace dalembert::app {
namespace {

constexpr double kRoundOff = 1e-12;  // values below this fraction of their terms are round-off and shown as 0

std::string eight_digits(double value) { return shown_number(value, 8); }

std::string number_beside(double value, double size) {
  return eight_digits(std::abs(value) <= kRoundOff * size ? 0 : value);
}

double largest_of(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

LoadedModel load_cycle(const Arguments& arguments) {
  LoadedModel loaded = load(arguments.operands.at(0), overrides_of(arguments));
  if (const auto cycle = arguments.value("--cycle")) {
    auto model = std::make_shared<Model>(*loaded.model);
    Diagnostics problems = prescribe_cycle(make_source("--cycle", *cycle), *model);
    if (!problems.empty()) fail(kExitUsage, std::move(problems));
    loaded.model = std::move(model);
  }
  return loaded;
}

// Exit status: 2 for a wrong request, 1 for a wrong model, 3 if no start was found.
int exit_code_of_gait(const Diagnostics& problems) {
  const std::string& code = problems.front().code;
  if (code == "E0403") return kExitUsage;
  return code == "E0322" || code == "E0407" || code == "E0272" || code == "E0506" ? kExitModel : kExitNumerical;
}

std::string unit_of_coordinate(const GaitStudy& study, int i) {
  return unit_suffix(coordinate_unit(study.system.dynamics.names().coordinate_units[static_cast<std::size_t>(i)]));
}

std::vector<std::string> values_text(const GaitStudy& study, const std::vector<double>& values, const char* per) {
  std::vector<std::string> items;
  const std::vector<std::string> names = told_names(study);
  const double size = largest_of(values);
  for (std::size_t i = 0; i < names.size(); ++i)
    items.push_back(fmt::format("{}{} = {}{}{}", names[i], *per ? "'" : "", number_beside(values[i], size),
                                unit_of_coordinate(study, study.order[i]), per));
  return items;
}

// A small loop in shape space displaces the system by −area · curvature.
std::string curvature_text(const GaitStudy& study, EquationPrinter& printer) {
  std::string out = "  curvature of A: a small loop displaces by -area times it\n";
  const std::vector<int>& actuated = study.given.actuated;
  const auto name = [&](std::size_t j) {
    return study.system.model->coordinates[static_cast<std::size_t>(actuated[j])].name;
  };
  std::size_t pair = 0;
  for (std::size_t i = 0; i < actuated.size(); ++i)
    for (std::size_t j = i + 1; j < actuated.size(); ++j, ++pair)
      for (std::size_t r = 0; r < study.local->curvature[pair].size(); ++r) {
        const std::string formula = text_of(printer.entry(study.local->curvature[pair][r]));
        out += fmt::format("    dA[{},{},{}] = {}\n", told_names(study)[r], name(i), name(j),
                           formula.size() <= kLongestFormula
                               ? formula
                               : fmt::format("(a formula of {} characters: `--json` has it)", formula.size()));
      }
  return out;
}

std::string text(const GaitStudy& study, const GaitRun& run, const std::optional<BestGait>& optimized,
                 const Terminal& terminal) {
  const Model& model = *study.system.model;
  EquationPrinter printer(*study.equations.graph, Form::kCanonical, Notation::kText);
  std::string out = fmt::format(
      "{}: {}\n", terminal.bold(model.name),
      study.kinematic ? "kinematic, the constraints alone move it" : "mixed, it starts from rest and keeps a momentum");
  std::vector<std::string> shape;
  for (std::size_t j = 0; j < study.given.shape.size(); ++j)
    shape.push_back(fmt::format("{} = {}", model.coordinates[static_cast<std::size_t>(study.given.actuated[j])].name,
                                text_of(printer.entry(study.given.shape[j]))));
  out += labelled_list("cycle", shape);
  out += fmt::format("  {:<14}{} s{}\n", "period", to_text(study.given.period, 9),
                     study.options.cycles > 1 ? fmt::format(", {} cycles", study.options.cycles) : "");
  out += labelled_list(study.local ? "in body axes" : "displacement",
                       values_text(study, told(study, run.displacement), ""));
  if (!study.kinematic) out += labelled_list("velocity", values_text(study, told(study, run.velocity), "/s"));
  out += fmt::format("  {:<14}{}\n", "effort", eight_digits(run.effort));
  Table table;
  std::vector<std::string> heading{"changes by"};
  for (const std::string& name : told_names(study)) heading.push_back(name);
  heading.emplace_back("effort");
  table.add(heading);
  const std::vector<GaitSensitivity> changes = gait_sensitivities(study, run);
  double size = 0, of_effort = 0;
  for (const GaitSensitivity& by : changes) {
    size = std::max(size, largest_of(by.displacement));
    of_effort = std::max(of_effort, std::abs(by.effort));
  }
  for (const GaitSensitivity& by : changes) {
    std::vector<std::string> line{by.name};
    for (const double d : by.displacement) line.push_back(number_beside(d, size));
    line.push_back(number_beside(by.effort, of_effort));
    table.add(std::move(line));
  }
  out += "\n" + table.text();
  if (study.local) {
    out += "\n  connection, xi = -A q_a'" + std::string(study.local->mixed() ? " + B p" : "") + "\n";
    for (std::size_t i = 0; i < study.local->A.size(); ++i)
      for (std::size_t j = 0; j < study.local->A[i].size(); ++j)
        out += fmt::format("    A[{},{}] = {}\n", told_names(study)[i],
                           model.coordinates[static_cast<std::size_t>(study.given.actuated[j])].name,
                           text_of(printer.entry(study.local->A[i][j])));
    for (std::size_t i = 0; i < study.local->B.size(); ++i)
      for (std::size_t k = 0; k < study.local->B[i].size(); ++k)
        out += fmt::format("    B[{},{}] = {}\n", told_names(study)[i], text_of(printer.entry(study.local->p[k])),
                           text_of(printer.entry(study.local->B[i][k])));
    for (std::size_t k = 0; k < study.local->p.size(); ++k)
      out += fmt::format("    {}' = {}\n", text_of(printer.entry(study.local->p[k])),
                         text_of(printer.entry(study.local->pdot[k])));
    if (!study.local->curvature.empty()) out += "\n" + curvature_text(study, printer);
  }
  if (!optimized) return out;
  const GaitOptimum& best = optimized->optimum;
  out += "\n" + terminal.bold("the most distance per effort") + "\n";
  if (!best.run.ok()) return out + fmt::format("  {:<14}{}\n", "remark", best.remark);
  std::vector<std::string> cycle;
  for (std::size_t j = 0; j < optimized->shape.size(); ++j)
    cycle.push_back(fmt::format("{} = {}", model.coordinates[static_cast<std::size_t>(study.given.actuated[j])].name,
                                optimized->shape[j]));
  out += labelled_list("cycle", cycle);
  out += labelled_list("displacement", values_text(study, told(study, best.run.displacement), ""));
  out += fmt::format("  {:<14}{}, {} at the start, {}\n", "per effort", eight_digits(best.best),
                     eight_digits(best.start), counted(best.iterations, "iteration", "iterations"));
  if (!best.remark.empty()) out += fmt::format("  {:<14}{}\n", "remark", best.remark);
  return out;
}

}  // namespace

int run_gait(const Arguments& arguments, Terminal& terminal) {
  GaitRequest request;
  System system = build(load_cycle(arguments));
  request.period = arguments.quantity("--period", Dimension::time(), 0);
  request.cycles = static_cast<int>(arguments.whole_number("--cycles", 1e6, "1 to 1e6").value_or(1));
  request.harmonics = static_cast<int>(arguments.whole_number("--harmonics", 50, "1 to 50").value_or(1));
  const Result<GaitStudy> study = study_gait(std::move(system), request);
  if (!study) fail(exit_code_of_gait(study.diagnostics()), study.diagnostics());
  Diagnostics warnings = study->system.warnings;
  warnings.insert(warnings.end(), study->warnings.begin(), study->warnings.end());
  terminal.report(warnings);
  terminal.stop_if_denied();

  const Result<GaitRun> run = dalembert::run_gait(*study);
  if (!run) fail(kExitNumerical, run.diagnostics());
  std::optional<BestGait> best;
  if (arguments.has("--optimize")) {
    Result<BestGait> found = best_gait(*study, request.harmonics);
    if (!found) fail(kExitModel, found.diagnostics());
    best = std::move(found).value();
  }
  terminal.out(arguments.json() ? document_text(gait_json(*study, *run, best ? &*best : nullptr))
                                : text(*study, *run, best, terminal));
  return kExitOk;
}

}  // namespace dalembert::app

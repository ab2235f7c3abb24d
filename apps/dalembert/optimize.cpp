// SPDX-License-Identifier: Apache-2.0
// dalembert optimize: values of parameters for which a measure of the run is least or greatest.
#include "dalembert/study/optimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/named_text.h"
#include "apps/dalembert/new_model_file.h"
#include "apps/dalembert/progress.h"
#include "apps/dalembert/run_settings.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

OptimizationStatement read_statement(const Arguments& arguments) {
  if (arguments.has("--minimize") == arguments.has("--maximize"))
    fail(kExitUsage, "E0435", "one of `--minimize` and `--maximize` is needed",
         {"--minimize \"max(abs(lambda(pin[1])))\""});
  OptimizationStatement statement;
  statement.maximize = arguments.has("--maximize");
  const std::string option = statement.maximize ? "--maximize" : "--minimize";
  statement.objective = MappedText::of(*arguments.value(option), option);
  for (const std::string& text : arguments.values("--free"))
    statement.free.push_back(read_named("--free", text, '=', "L1=0.1 m:0.3 m"));
  for (const std::string& text : arguments.values("--subject-to"))
    statement.constraints.push_back(MappedText::of(text, "--subject-to"));
  return statement;
}

OptimizeOptions read_options(const Arguments& arguments) {
  OptimizeOptions options;
  options.starts = static_cast<int>(arguments.whole_number("--starts", 1e6, "1 to 1e6").value_or(options.starts));
  options.seed = static_cast<std::uint64_t>(read_seed(arguments).value_or(0));
  options.threads = static_cast<int>(arguments.whole_number("--threads", 4096, "1 to 4096").value_or(0));
  options.max_points =
      static_cast<int>(arguments.whole_number("--max-points", 1e6, "1 to 1e6").value_or(options.max_points));
  return options;
}

std::string with_unit(double value, const std::string& unit, int digits) {
  return shown_number(value, digits) + (unit.empty() ? "" : " " + unit);
}

std::string limit_text(const Optimum& optimum, const ActiveLimit& limit) {
  std::string text = limit.text;
  if (std::isnan(limit.multiplier)) return text;
  // Of an equation no side is relief.
  const char* change = limit.text.find("==") != std::string::npos ? "one unit more at its right" : "one unit of relief";
  return text + fmt::format("   {}: {} {}", change, with_unit(std::abs(limit.multiplier), optimum.objective_unit, 6),
                            limit.multiplier < 0 ? "worse" : "better");
}

std::string text_of(const Optimum& optimum, const OptimizationStatement& statement, const std::string& model,
                    const Terminal& terminal) {
  std::string text = fmt::format("{}: {} {}\n", terminal.bold(model), statement.maximize ? "maximize" : "minimize",
                                 statement.objective.text);
  text += wrapped("  " + optimum.message, 110, 2) + "\n";
  if (!optimum.values.empty()) {
    Table table;
    for (std::size_t k = 0; k < optimum.names.size(); ++k)
      table.add({optimum.names[k], with_unit(optimum.values[k], optimum.units[k], 10),
                 fmt::format("of {} to {}", to_text(optimum.lower[k], 6), to_text(optimum.upper[k], 6))});
    table.add({"objective", with_unit(optimum.objective, optimum.objective_unit, 10), ""});
    text += table.text();
    for (std::size_t i = 0; i < optimum.constraints.size(); ++i)
      text += fmt::format("  constraint    {}: left - right = {}\n", optimum.constraints[i],
                          shown_number(optimum.differences[i], 4));
    for (const ActiveLimit& limit : optimum.active)
      text += fmt::format("  active        {}\n", limit_text(optimum, limit));
  }
  for (const std::string& note : optimum.notes) text += wrapped("  " + note, 110, 2) + "\n";
  std::vector<std::string> starts;
  for (const OptimizationStart& start : optimum.starts)
    starts.push_back(start.to.empty()
                         ? "none"
                         : fmt::format("{}{}", six_digits(start.objective), start.feasible ? "" : " (infeasible)"));
  text += labelled_list("by start", starts);
  return text + fmt::format("  {:<14}{}\n", "runs", optimum.runs);
}

Diagnostics warnings_of(const Optimum& optimum) {
  Diagnostics warnings = optimum.warnings;
  for (std::size_t i = 0; i < std::min<std::size_t>(optimum.failures.size(), 3); ++i) {
    const auto& [reason, count] = optimum.failures[i];
    warnings.push_back(
        warning("W0323", fmt::format("{} did not count: {}", counted(static_cast<int>(count), "run", "runs"), reason)));
  }
  if (optimum.status != Optimum::Status::kFound && optimum.status != Optimum::Status::kInterrupted)
    warnings.push_back(warning("W0324", optimum.message));
  return warnings;
}

int exit_code_of(Optimum::Status status) {
  switch (status) {
    case Optimum::Status::kFound:
      return kExitOk;
    case Optimum::Status::kNothing:
      return kExitNumerical;
    case Optimum::Status::kInterrupted:
      return kExitInterrupted;
    case Optimum::Status::kNotProved:
    case Optimum::Status::kInfeasible:
      break;
  }
  return kExitNo;
}

}  // namespace

int run_optimize(const Arguments& arguments, Terminal& terminal) {
  const OptimizationStatement statement = read_statement(arguments);
  OptimizeOptions options = read_options(arguments);
  const LoadedModel loaded = load(arguments.operands.at(0), overrides_of(arguments));
  const std::string output = choose_model_output(arguments, *loaded.model);
  const IntegrateOptions run = choose_options(arguments, *loaded.model);
  Diagnostics warnings = loaded.warnings;
  std::vector<std::string> expressions{statement.objective.text};
  for (const MappedText& one : statement.constraints) expressions.push_back(one.text);
  leave_out_read_parameters(warnings, *loaded.model, expressions);
  terminal.report(warnings);
  terminal.stop_if_denied();
  const InterruptGuard guard;
  std::optional<Progress> progress(std::in_place, terminal, Work::without_end("optimize", "runs"));
  options.progress = [&](std::int64_t runs) {
    progress->update(static_cast<double>(runs));
    return !InterruptGuard::interrupted();
  };
  const Result<Optimum> found =
      optimize(*loaded.model, statement, run, options, {.machine_code = !arguments.has("--no-jit")});
  progress.reset();
  if (!found)
    fail(found.diagnostics().front().primary.span.source == loaded.model->source ? kExitModel : kExitUsage,
         found.diagnostics());
  if (found->status == Optimum::Status::kInterrupted)
    terminal.report({warning("W0302", fmt::format("interrupted after {} runs", found->runs))});
  terminal.report(warnings_of(*found));
  terminal.out(arguments.json() ? document_text(optimum_json(*found))
                                : text_of(*found, statement, loaded.model->name, terminal));
  if (!output.empty() && !found->values.empty()) {
    std::vector<NewValue> values;
    for (std::size_t k = 0; k < found->names.size(); ++k) values.push_back({found->names[k], found->values[k]});
    write_new_model(output, arguments, *loaded.model, std::move(values), terminal);
  }
  return exit_code_of(found->status);
}

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// dalembert report: a page that shows and explains a model and a run of it.
#include <fmt/format.h>

#include <algorithm>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/given_state.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/plot.h"
#include "apps/dalembert/progress.h"
#include "apps/dalembert/report_page.h"
#include "apps/dalembert/run_file.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/study/start_warnings.h"

namespace dalembert::app {
namespace {

IntegrateOptions options_of(const Arguments& arguments, const SystemAt& given) {
  SimulationSettings settings = given.system.model->simulation;
  if (const auto until = arguments.quantity("--until", Dimension::time(), -kNoLimit)) settings.until = until;
  Result<IntegrateOptions> chosen = run_options(settings, *given.system.model, given.state.t);
  if (!chosen) fail(kExitModel, chosen.diagnostics());
  IntegrateOptions options = std::move(chosen).value();
  options.cross_check = arguments.has("--cross-check");
  choose_report_rows(given.state.t, options);
  return options;
}

Trajectory run_model(const SystemAt& given, IntegrateOptions options, Terminal& terminal) {
  Progress progress(terminal, Work::time(given.state.t, options.until, options.max_steps));
  options.progress_every = 1;
  options.progress = [&](const RunPoint& at) {
    progress.update(at.t);
    return !InterruptGuard::interrupted();
  };
  const InterruptGuard guard;
  Trajectory run = integrate(given.system.dynamics, given.state, options);
  if (run.status == RunStatus::kStopped && run.size() > 0)
    run.reason = fmt::format("interrupted at t = {:.6g} s", run.time.back());
  return run;
}

}  // namespace

int report_operand(const Arguments& arguments, const std::string& path, PageParts parts, Terminal& terminal) {
  const std::string operand = arguments.operands[0];
  const bool of_file = is_run_path(operand), degrees = arguments.has("--degrees");
  for (const char* option : {"--until", "--at", "--cross-check"})
    if (of_file && arguments.has(option))
      fail(kExitUsage, "E0403", fmt::format("`{}` goes with a MODEL, not with a RUN", option));
  if (!of_file && arguments.has("--model"))
    fail(kExitUsage, "E0403", fmt::format("`--model` goes with a RUN, and `{}` is none", operand),
         {"a RUN is a .csv or .json file"});

  Arguments of_model = arguments;
  if (of_file) of_model.operands[0] = model_of_run(arguments);
  const SystemAt given = build_system_at(of_model);
  terminal.report(given.system.warnings);
  if (of_file) {
    const RunFile run = read_run(operand);
    require_run_of(run, given.system.dynamics.names());
    write_report({given, run.table, nullptr, command_of(arguments), parts, degrees}, path, terminal);
    return kExitOk;
  }

  const IntegrateOptions options = options_of(arguments, given);
  require_samples(given.system, given.state.t, options.until);
  const Diagnostics doubts = start_warnings(given.system, find_ranks(given.system, *given.start));
  terminal.report(doubts);
  const Trajectory run = run_model(given, options, terminal);
  const dalembert::Table rows = to_table(run);
  write_report({given, rows, &run, command_of(arguments), parts, degrees, doubts}, path, terminal);
  if (run.status == RunStatus::kFailed) {
    terminal.report({error("E0304", run.reason)});
    return kExitNumerical;
  }
  if (run.status == RunStatus::kStopped) return kExitInterrupted;
  return run.verdict.holds ? kExitOk : kExitNo;
}

int run_report(const Arguments& arguments, Terminal& terminal) {
  const std::optional<std::string> path = arguments.value("--output");
  if (!path) fail(kExitUsage, "E0403", "`report` needs `--output FILE.html`");
  require_page_path("--output", *path);
  if (is_study_path(arguments.operands[0])) {
    for (const char* option : {"--until", "--at", "--cross-check", "--degrees", "--model", "--set"})
      if (arguments.has(option))
        fail(kExitUsage, "E0403", fmt::format("`{}` goes with a MODEL or a RUN, not with a STUDY", option),
             {"leave it out"});
    return report_study(arguments, *path, terminal);
  }
  return report_operand(arguments, *path, PageParts::kAll, terminal);
}

}  // namespace dalembert::app

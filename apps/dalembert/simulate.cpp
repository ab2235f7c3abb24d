// SPDX-License-Identifier: Apache-2.0
// dalembert simulate: the motion from a consistent start, its verdict and its files.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/progress.h"
#include "apps/dalembert/report_page.h"
#include "apps/dalembert/run_output.h"
#include "apps/dalembert/run_peaks.h"
#include "apps/dalembert/run_report.h"
#include "apps/dalembert/run_settings.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/store/file.h"
#include "dalembert/store/run_files.h"
#include "dalembert/study/massless.h"
#include "dalembert/study/start_warnings.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kMostKept = std::size_t{1} << 23;  // numbers kept in memory without an output; 64 MB

// The texts between commas that are outside of all parentheses.
std::vector<MappedText> formulas_of(const Arguments& arguments, const std::string& option) {
  std::vector<MappedText> formulas;
  for (const std::string& value : arguments.values(option)) {
    const MappedText text = MappedText::of(value, option);
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= value.size(); ++i) {
      if (i < value.size() && (value[i] == '(' || value[i] == '[')) ++depth;
      if (i < value.size() && (value[i] == ')' || value[i] == ']')) --depth;
      if (i < value.size() && (value[i] != ',' || depth > 0)) continue;
      formulas.push_back(text.part(begin, i).trimmed());
      begin = i + 1;
    }
  }
  return formulas;
}

// What `--sensitivity k,theta` and `--gradient-of "G,integral(F^2)"` name.
std::optional<RunGradients> differentiate(const Arguments& arguments, const System& system, IntegrateOptions& options) {
  std::vector<Span> places;
  for (const std::string& text : arguments.values("--sensitivity"))
    for (const MappedText& name : MappedText::of(text, "--sensitivity").split(','))
      if (std::ranges::find(options.tangents, name.text, &Tangent::name) == options.tangents.end()) {
        options.tangents.push_back({.name = name.text});
        places.push_back(name.span());
      }
  const std::vector<MappedText> numbers = formulas_of(arguments, "--gradient-of");
  if (!numbers.empty() && !options.tangents.empty())
    fail(kExitUsage, "E0403", "`--gradient-of` and `--sensitivity` do not go together",
         {"make two runs: the run itself is the same in both"});
  if (numbers.empty()) {
    if (const Diagnostics problems = find_tangents(system, options, places); !problems.empty())
      fail(kExitUsage, problems);
    return std::nullopt;
  }
  Result<RunGradients> gradients = RunGradients::prepare(system, numbers, {.machine_code = !arguments.has("--no-jit")});
  if (!gradients) fail(kExitUsage, gradients.diagnostics());
  gradients->ask(options);
  return *std::move(gradients);
}

struct SimulatedRun {
  Trajectory trajectory;
  bool interrupted = false;
  bool limited = false;  // the run ended at the step limit
};

std::size_t numbers_of_row(const Layout& layout) {
  const int numbers = 6 + layout.nq + 2 * layout.nv + 2 * layout.m + layout.frictions + layout.inputs + layout.outputs +
                      layout.conserved;
  return static_cast<std::size_t>(numbers);
}

// Integrates with a progress bar. The caller holds an InterruptGuard until the run is saved. `whole`: keep all rows in
// memory.
SimulatedRun run_with_progress(const System& system, const State& start, IntegrateOptions options,
                               const std::optional<RunGradients>& gradients, PartialRun* partial, bool whole,
                               Terminal& terminal) {
  Progress progress(terminal, Work::time(start.t, options.until, options.max_steps));
  options.find_peaks = true;
  options.progress_every = 1;
  options.progress = [&](const RunPoint& at) {
    progress.update(at.t);
    return !InterruptGuard::interrupted();
  };
  // For CSV output, rows that are in the partial file need no memory. JSON stores series column by column and is
  // written from memory at the end. Without an output, derivatives are printed of the end alone, and at most kMostKept
  // numbers are kept in case the run is interrupted.
  if (partial != nullptr && whole)
    options.recorded = [partial](const Trajectory& so_far) { partial->add(so_far); };
  else if (partial != nullptr)
    options.take_rows = [partial](const Trajectory& so_far) { return partial->add(so_far); };
  else if (!whole) {
    options.sensitivities_at_end = true;
    options.take_rows = [most = kMostKept / numbers_of_row(system.dynamics.layout())](const Trajectory& so_far) {
      return so_far.size() > most;
    };
  }
  if (options.formulation == Formulation::kReduced)
    options.quasi_velocities = compile_quasi_velocities(system.equations);
  Trajectory trajectory = integrate(system.dynamics, start, options);
  if (gradients) gradients->finish(options, start, trajectory);
  const bool interrupted = trajectory.status == RunStatus::kStopped && InterruptGuard::interrupted();
  if (interrupted)
    trajectory.reason =
        fmt::format("interrupted at t = {} s", trajectory.size() > 0 ? to_text(trajectory.time.back(), 6) : "?");
  const bool limited =
      trajectory.status == RunStatus::kFailed && trajectory.steps + trajectory.rejected >= options.max_steps;
  return {std::move(trajectory), interrupted, limited};
}

// Writes the run to its output, or an interrupted run to a file of its own, and reports the path.
Diagnostics save(const SimulatedRun& run, std::optional<RunOutput> output, PartialRun* partial, Terminal& terminal) {
  const Trajectory& trajectory = run.trajectory;
  if (!output && run.interrupted) output = partial_output(trajectory.names.model);
  if (!output || output->to_standard_output() || trajectory.size() == 0) {
    if (partial != nullptr) partial->discard();
    return {};
  }
  Diagnostics problems = write_run_file(trajectory, *output, partial);
  const std::size_t rows = partial != nullptr ? trajectory.rows_of_run() : trajectory.size();
  if (problems.empty()) {
    const std::string what = fmt::format("wrote {}: {}, {} series{}\n", output->path,
                                         counted(static_cast<int>(rows), "row", "rows"), trajectory.columns().size(),
                                         trajectory.status == RunStatus::kOk ? ""
                                         : partial == nullptr && trajectory.forgotten > 0
                                             ? "; it holds the first row and the last part of the run"
                                             : ", as far as the run went");
    // Report the file of an interrupted run even with --quiet.
    if (run.interrupted)
      terminal.err(what);
    else
      terminal.note(what);
  }
  return problems;
}

// Writes FILE.units.json beside FILE: {"time": "s", "q/theta": "rad", …}; null if a unit is unknown.
Diagnostics write_units(const Trajectory& run, const std::string& path) {
  Json units = Json::object();
  for (const Trajectory::Column& column : run.columns()) units.append(column.name, text_or_null(column.unit));
  return write_file(path + ".units.json", [&](std::ostream& out) { out << document_text(units); });
}

// Opens the partial file beside the output, and warns of rows that an earlier run left there.
std::unique_ptr<PartialRun> begin_partial(const std::optional<RunOutput>& output, Diagnostics& diagnostics) {
  if (!output || !has_partial_file(*output)) return nullptr;
  Result<std::unique_ptr<PartialRun>> partial = PartialRun::begin(output->path);
  if (!partial) throw Failure{kExitIo, partial.diagnostics()};
  if (const std::optional<LeftRows>& left = (*partial)->left())
    diagnostics.push_back(warning(
        "W0304",
        fmt::format("an earlier run to `{}` did not end; its {} up to t = {} s are kept in `{}`", output->path,
                    counted(static_cast<int>(left->rows), "row", "rows"), to_text(left->until, 6), left->path)));
  return std::move(*partial);
}

Diagnostics judge(const SimulatedRun& run, const System& system) {
  const Trajectory& trajectory = run.trajectory;
  if (run.interrupted) return {warning("W0302", trajectory.reason)};
  if (trajectory.status != RunStatus::kOk) {
    Diagnostic failure = error("E0304", trajectory.reason.empty() ? "the run failed" : trajectory.reason);
    if (run.limited)
      failure.help.push_back("`--max-steps N` raises the limit; so does `--every TIME`, which stores fewer rows");
    for (std::string& advice : help_for_massless(system.equations)) failure.help.push_back(std::move(advice));
    return {failure};
  }
  if (!trajectory.verdict.holds) return {warning("W0303", "the run reached its end, but its verdict does not hold")};
  return {};
}

int exit_code_of(const SimulatedRun& run) {
  if (run.interrupted) return kExitInterrupted;
  if (run.trajectory.status != RunStatus::kOk) return kExitNumerical;
  return run.trajectory.verdict.holds ? kExitOk : kExitNo;
}

int give_up_on_start(const System& system, const ModelStart& start, Diagnostics diagnostics, bool json,
                     Terminal& terminal) {
  diagnostics.push_back(explain_start(system, start));
  terminal.report(diagnostics);
  if (json) terminal.out(document_text(no_run_document(system, start, diagnostics)));
  return exit_code_of_start(diagnostics.back());
}

// Prints what came out, as text or JSON. `rows_printed`: the standard output has the rows.
void report_run(const System& system, const ModelStart& start, const Trajectory& run, const IntegrateOptions& options,
                const Diagnostics& diagnostics, bool rows_printed, bool json, Terminal& terminal) {
  if (json) {
    Json document = run_json(run, start.assembly, system.dynamics.names(), system.compile_seconds);
    document["peaks"] = run_peaks_json(run);
    document["diagnostics"] = to_json(diagnostics);
    terminal.out(document_text(document));
  } else if (terminal.quiet()) {
    if (!rows_printed) terminal.out(verdict_line(run, terminal));
  } else {
    terminal.out(describe_setup(system, start, options, terminal) + describe_run(run, terminal) +
                 peaks_text(run, system.equations));
  }
}

// The prescribed coordinates that the constraints determine already: E0321.
int give_up_on_drives(const System& system, const ModelStart& start, Diagnostics diagnostics, const Diagnostics& twice,
                      bool json, Terminal& terminal) {
  diagnostics.insert(diagnostics.end(), twice.begin(), twice.end());
  terminal.report(diagnostics);
  if (json) terminal.out(document_text(no_run_document(system, start, diagnostics)));
  return kExitModel;
}

}  // namespace

int run_simulate(const Arguments& arguments, Terminal& terminal) {
  const bool json = arguments.json();
  std::optional<RunOutput> output = choose_output(arguments);
  const std::optional<std::string> page = arguments.value("--report");
  if (page == "-")
    fail(kExitUsage, "E0403", "`--report` does not take `-`", {"`dalembert report MODEL -o -` writes it"});
  if (page) require_page_path("--report", *page);
  const ModelSource source = read_model_source(arguments.operands.at(0));
  LoadedModel loaded = load(source, overrides_of(arguments));
  std::vector<std::string> formulas;
  for (const MappedText& one : formulas_of(arguments, "--gradient-of")) formulas.push_back(one.text);
  leave_out_read_parameters(loaded.warnings, *loaded.model, formulas);
  const System system = build(std::move(loaded), {.machine_code = !arguments.has("--no-jit")});
  IntegrateOptions options = choose_options(arguments, *system.model);
  if (page && !output) choose_report_rows(system.model->initial.t, options);

  require_samples(system, system.model->initial.t, options.until);
  // Find a start on the constraint manifold.
  const ModelStart start = find_start(system);
  Diagnostics diagnostics = system.warnings;
  if (!start.assembly.ok()) return give_up_on_start(system, start, std::move(diagnostics), json, terminal);
  if (const Diagnostics twice = overdetermined(system, start); !twice.empty())
    return give_up_on_drives(system, start, std::move(diagnostics), twice, json, terminal);
  const Diagnostics doubts_of_start = start_warnings(system, start);
  diagnostics.insert(diagnostics.end(), doubts_of_start.begin(), doubts_of_start.end());
  append_new(diagnostics, inertia_warnings(system, start.assembly.state));
  append_new(diagnostics, run_warnings(*system.model, start.assembly.state.t, options.until));
  const std::optional<RunGradients> gradients = differentiate(arguments, system, options);
  if (gradients) append_new(diagnostics, gradients->warnings());
  const std::unique_ptr<PartialRun> partial = begin_partial(output, diagnostics);
  terminal.report(diagnostics);
  terminal.stop_if_denied();

  // Integrate, and write the files before anything else can fail.
  std::optional<InterruptGuard> guard(std::in_place);
  const bool whole = options.cross_check || page || (output && (output->format != RunFormat::kCsv || !partial));
  const SimulatedRun run =
      run_with_progress(system, start.assembly.state, options, gradients, partial.get(), whole, terminal);
  if (output && run.interrupted) output = partial_output(*output);
  Diagnostics problems = save(run, output, partial.get(), terminal);
  if (arguments.has("--units") && problems.empty() && output && !output->to_standard_output())
    problems = write_units(run.trajectory, output->path);
  guard.reset();
  if (output && problems.empty()) output_is_saved();
  if (page && run.trajectory.size() > 0) {
    const dalembert::Table rows = to_table(run.trajectory);
    const SystemAt given{system, start.assembly.state, start.held.hold_position, start.held.hold_velocity};
    write_report({given, rows, &run.trajectory, command_of(arguments), PageParts::kAll, false, doubts_of_start}, *page,
                 terminal);
  }
  const Diagnostics judgement = judge(run, system);
  terminal.report(judgement);
  diagnostics.insert(diagnostics.end(), judgement.begin(), judgement.end());
  terminal.report(problems);
  diagnostics.insert(diagnostics.end(), problems.begin(), problems.end());
  if (output && output->to_standard_output()) {
    std::ostringstream csv;
    write_csv(run.trajectory, csv);
    terminal.out(csv.str());
    terminal.send_results_to_stderr();
  }

  report_run(system, start, run.trajectory, options, diagnostics, output && output->to_standard_output(), json,
             terminal);
  return problems.empty() ? exit_code_of(run) : kExitIo;
}

}  // namespace dalembert::app

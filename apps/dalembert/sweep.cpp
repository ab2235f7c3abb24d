// SPDX-License-Identifier: Apache-2.0
// dalembert sweep: many runs of a model, a row of numbers for each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "apps/dalembert/crew_of_process.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/model_source.h"
#include "apps/dalembert/named_text.h"
#include "apps/dalembert/progress.h"
#include "apps/dalembert/run_settings.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/csv.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/study/sweep.h"
#include "dalembert/study/sweep/study_output.h"
#include "dalembert/study/sweep/sweep_run.h"

namespace dalembert::app {
namespace {

constexpr std::int64_t kMostInMemory = 100'000;
constexpr std::size_t kMostShown = 40;

// The study of the model, with what options replace. Quantities given by options replace all of the file's.
StudyStatement read_study(const Arguments& arguments, const Model& model) {
  StudyStatement study = model.study;
  if (arguments.has("--vary") || arguments.has("--sample") || arguments.has("--runs-from")) {
    study.vary.clear();
    study.sample.clear();
    if (!arguments.has("--sample")) study.runs.reset();
  }
  for (const std::string& text : arguments.values("--vary"))
    study.vary.push_back(read_named("--vary", text, '=', "L1=0.1:0.3:21"));
  for (const std::string& text : arguments.values("--sample"))
    study.sample.push_back(read_named("--sample", text, '~', "k~normal(20,2)"));
  for (const std::string& text : arguments.values("--measure")) {
    StudyStatement::Named one = read_named("--measure", text, '=', "peak=max(abs(x))");
    std::erase_if(study.measure, [&](const StudyStatement::Named& other) {
      return other.name == one.name && other.place.source == model.source;
    });
    study.measure.push_back(std::move(one));
  }
  if (const auto runs = arguments.whole_number("--runs", 1e9, "1 to 1e9")) study.runs = *runs;
  if (const auto seed = read_seed(arguments)) study.seed = *seed;
  if (const auto sampling = arguments.value("--sampling")) study.sampling = *sampling;
  // What an option says stands at no place of the file.
  for (const char* key : {"runs", "sampling"})
    if (arguments.has(fmt::format("--{}", key))) study.places.erase(key);
  return study;
}

// The rows of --runs-from: a header of names, perhaps with units, then numbers, in SI where the header has no unit.
StudyRows read_rows(const Arguments& arguments) {
  StudyRows rows;
  const std::optional<std::string> path = arguments.value("--runs-from");
  if (!path) return rows;
  const Result<SourcePtr> source = read_file(*path);
  if (!source) fail(kExitIo, source.diagnostics());
  CsvReader reader(*source);
  std::vector<CsvField> fields;
  const auto refuse = [](std::string message, const Span& place) {
    fail(kExitUsage, error("E0502", std::move(message), place));
  };
  if (!reader.next(fields)) refuse(fmt::format("`{}` is empty: expected a header row of names", *path), {});
  std::vector<double> factors;
  for (const CsvField& field : fields) {
    const Result<CsvName> name = read_csv_name(field, reader.place(field));
    if (!name) fail(kExitUsage, name.diagnostics());
    rows.names.push_back(name->name);
    rows.places.push_back(name->place);
    rows.dimensions.push_back(name->unit ? std::optional(name->unit->dimension) : std::nullopt);
    factors.push_back(name->unit ? name->unit->factor : 1);
  }
  while (reader.next(fields)) {
    if (fields.size() == 1 && fields.front().text.empty()) continue;
    if (fields.size() != rows.names.size())
      refuse(fmt::format("a row of {} values under {} names", fields.size(), rows.names.size()), reader.line());
    std::vector<double>& row = rows.values.emplace_back();
    for (const CsvField& field : fields) {
      const auto number = parse_double(field.text);
      if (!number || !std::isfinite(*number)) refuse(fmt::format("`{}` is no number", field.text), reader.place(field));
      row.push_back(*number * factors[row.size()]);
    }
  }
  if (rows.values.empty()) refuse(fmt::format("`{}` has no rows below its header", *path), {});
  return rows;
}

struct Shard {
  std::int64_t number = 1, of = 1;
};
Shard read_shard(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("--shard");
  if (!text) return {};
  const std::size_t slash = text->find('/');
  const auto number = [](std::string_view part) {
    const auto read = parse_double(part);
    return read && *read == std::floor(*read) && *read >= 1 && *read <= 1e9 ? static_cast<std::int64_t>(*read) : 0;
  };
  Shard shard{number(text->substr(0, slash)), slash == std::string::npos ? 0 : number(text->substr(slash + 1))};
  if (shard.number < 1 || shard.of < 1 || shard.number > shard.of)
    fail(kExitUsage, "E0403", fmt::format("`--shard` does not take `{}`", *text),
         {"it takes i/n with i from 1 to n: `--shard 2/7`"});
  return shard;
}

std::string output_of(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.value("--output");
  if (!path) return "";
  if (!path->ends_with(".csv") && !sweeping::is_netcdf_path(*path))
    fail(kExitUsage, "E0403", fmt::format("`--output` does not take `{}`: the format is chosen by the suffix", *path),
         {"write FILE.csv or FILE.nc"});
  // Of several processes one writes.
  if (crew_of_process().member == nullptr) require_writable(*path);
  return *path;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : fmt::format("{} [{}]", name, unit);
}

// What failed or is doubtful, by reason: how often, and a run of which it is said.
struct Failures {
  struct Reason {
    std::int64_t count = 0, first = 0;
  };
  std::map<std::string, Reason> reasons;
  void add(std::int64_t index, const std::string& reason) {
    if (reasons.size() > 1000) return;
    Reason& known = reasons[reason];
    if (known.count++ == 0) known.first = index;
  }
};

Failures failures_in(const std::string& path) {
  Failures failures;
  const Diagnostics problems = sweeping::visit_study(
      path, [](const sweeping::StudyHead&) {},
      [&](const sweeping::StudyLine& line) {
        if (!line.holds || !line.reason.empty()) failures.add(line.index, line.reason);
        return true;
      });
  if (!problems.empty()) fail(kExitIo, problems);
  return failures;
}

Diagnostics warnings_of(const Failures& failures) {
  Diagnostics warnings;
  std::vector<std::pair<std::string, Failures::Reason>> sorted(failures.reasons.begin(), failures.reasons.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  for (const auto& [reason, which] : sorted) {
    if (warnings.size() == 3) break;
    warnings.push_back(warning(
        "W0307", fmt::format("{}: {}",
                             which.count == 1 ? fmt::format("run {}", which.first)
                                              : fmt::format("{} runs, run {} among them", which.count, which.first),
                             reason.empty() ? "the verdict does not hold" : reason)));
  }
  return warnings;
}

std::string table_of(const Sweep& sweep, const std::vector<StudyRun>& rows) {
  Table table;
  std::vector<std::string> line{"run"};
  for (std::size_t k = 0; k < sweep.quantities().size(); ++k)
    line.push_back(with_unit(sweep.quantities()[k], sweep.quantity_units()[k]));
  for (std::size_t k = 0; k < sweep.measures().size(); ++k)
    line.push_back(with_unit(sweep.measures()[k], sweep.measure_units()[k]));
  line.emplace_back("verdict");
  table.add(line);
  for (std::size_t i = 0; i < std::min(rows.size(), kMostShown); ++i) {
    const StudyRun& run = rows[i];
    line = {std::to_string(run.index)};
    for (const auto* list : {&run.values, &run.measures})
      for (const double value : *list) line.push_back(std::isnan(value) ? "-" : shown_number(value, 8));
    line.emplace_back(run.status == RunStatus::kFailed ? "failed" : run.holds ? "holds" : "does not hold");
    table.add(line);
  }
  std::string text = table.text();
  if (rows.size() > kMostShown)
    text += fmt::format("  … and {} more: `-o FILE.csv` has all\n", rows.size() - kMostShown);
  return text;
}

dalembert::Json rows_json(const Sweep& sweep, const std::vector<StudyRun>& rows) {
  dalembert::Json all = dalembert::Json::array();
  for (const StudyRun& run : rows) {
    dalembert::Json row = dalembert::Json::object();
    row.append("index", run.index);
    for (std::size_t k = 0; k < run.values.size(); ++k) row.append(sweep.quantities()[k], run.values[k]);
    for (std::size_t k = 0; k < run.measures.size(); ++k) row.append(sweep.measures()[k], run.measures[k]);
    row.append("holds", run.holds ? 1 : 0);
    row.append("status", std::string(to_text(run.status)));
    row.append("error", run.error);
    row.append("reason", run.reason);
    all.push_back(std::move(row));
  }
  return all;
}

dalembert::Json summary_json(const SweepCount& count, const std::string& output) {
  dalembert::Json summary = dalembert::Json::object();
  summary.append("runs", count.runs);
  summary.append("ok", count.ok);
  summary.append("stopped", count.stopped);
  summary.append("failed", count.failed);
  summary.append("holds", count.holds);
  summary.append("seconds", count.seconds);
  summary.append("output", output.empty() ? dalembert::Json() : dalembert::Json(output));
  return summary;
}

std::string summary_text(const std::string& title, const SweepCount& count, const Terminal& terminal) {
  std::string text =
      fmt::format("{}: {}, {} ok, {} failed; {} {}", terminal.bold(title),
                  counted(static_cast<int>(count.made()), "run", "runs"), count.ok, count.failed,
                  counted(static_cast<int>(count.holds), "verdict", "verdicts"), count.holds == 1 ? "holds" : "hold");
  const std::int64_t made = count.made() - count.earlier;
  if (count.earlier > 0) text += fmt::format("; {} of them made earlier", count.earlier);
  if (made > 0 && count.seconds > 0)
    text += fmt::format(" ({} s, {} runs/s)", to_text(count.seconds, 3),
                        to_text(static_cast<double>(made) / count.seconds, 3));
  return text + "\n";
}

int exit_code_of(const SweepCount& count) {
  return count.holds == count.made() && count.failed == 0 ? kExitOk : kExitNo;
}

int exit_code_of_problem(const Diagnostics& problems) {
  const std::string& code = problems.front().code;
  return code == "E0501" || code == "E0502" || code == "E0424" || code == "E0510" ? kExitIo : kExitUsage;
}

int merge(const Arguments& arguments, Terminal& terminal) {
  const std::string output = output_of(arguments);
  if (output.empty())
    fail(kExitUsage, "E0403", "`--merge` needs a file for the whole",
         {"dalembert sweep --merge part1.csv part2.csv -o study.csv"});
  if (std::ranges::find(arguments.operands, output) != arguments.operands.end())
    fail(kExitUsage, "E0403", fmt::format("`{}` is both a part and the whole", output), {"name another --output"});
  const Result<SweepOutcome> merged = merge_sweeps(arguments.operands, output);
  if (!merged) fail(exit_code_of_problem(merged.diagnostics()), merged.diagnostics());
  terminal.report(merged->warnings);
  terminal.out(arguments.json() ? document_text(summary_json(merged->count, output))
                                : summary_text("merge", merged->count, terminal));
  terminal.note(fmt::format("wrote {}\n", output));
  return exit_code_of(merged->count);
}

SweepJob read_job(const Arguments& arguments) {
  SweepJob job;
  job.output = output_of(arguments);
  const Shard shard = read_shard(arguments);
  job.shard = shard.number;
  job.shards = shard.of;
  job.program = "dalembert " DALEMBERT_VERSION;
  job.restart = arguments.has("--restart");
  // Each of several processes has one thread, unless more are asked for.
  job.threads = static_cast<int>(
      arguments.whole_number("--threads", 4096, "1 to 4096").value_or(crew_of_process().alone() ? 0 : 1));
  job.crew = crew_of_process().first;
  if (shard.of > 1 && sweeping::is_netcdf_path(job.output))
    fail(
        kExitUsage, "E0403", "`--shard` writes CSV, and NetCDF files are of whole studies",
        {fmt::format("write -o part{}.csv, then `dalembert sweep --merge part*.csv -o {}`", shard.number, job.output)});
  if (shard.of > 1 && job.output.empty()) fail(kExitUsage, "E0403", "`--shard` needs a file", {"-o part.csv"});
  return job;
}

// Makes the runs, with a progress bar; into `rows` if there is no file.
SweepOutcome make_runs(const Sweep& sweep, SweepJob job, std::vector<StudyRun>& rows, Terminal& terminal) {
  const InterruptGuard guard;
  std::optional<Progress> progress;
  job.progress = [&](const SweepCount& count) {
    if (!progress)
      progress.emplace(terminal,
                       Work::count(static_cast<double>(count.earlier), static_cast<double>(count.runs), "runs"));
    progress->update(static_cast<double>(count.made()));
    return !InterruptGuard::interrupted();
  };
  Result<SweepOutcome> outcome = job.output.empty() ? Result<SweepOutcome>(dalembert::run_sweep(sweep, job, rows))
                                                    : dalembert::run_sweep(sweep, job);
  progress.reset();
  if (!outcome) fail(exit_code_of_problem(outcome.diagnostics()), outcome.diagnostics());
  return *std::move(outcome);
}

// Says how far an interrupted sweep came.
int interrupted(const SweepCount& count, const std::string& output, bool json, Terminal& terminal) {
  terminal.report({warning("W0302", fmt::format("interrupted after {} of {} runs", count.made(), count.runs))});
  if (!output.empty()) terminal.err(fmt::format("the rows are kept in {}.parts: the same command goes on\n", output));
  if (json) terminal.out(document_text(summary_json(count, output)));
  return kExitInterrupted;
}

Failures failures_of(const std::vector<StudyRun>& rows, const std::string& output) {
  Failures failures;
  if (!output.empty()) return failures_in(output);
  for (const StudyRun& run : rows)
    if (!run.holds || !run.reason.empty()) failures.add(run.index, run.reason);
  return failures;
}

// Options that change nothing: `--set` of what the study varies, and how to sample where nothing is sampled.
Diagnostics warn_of_no_effect(const Sweep& sweep, const Arguments& arguments) {
  Diagnostics warnings;
  for (const Override& one : overrides_of(arguments))
    if (std::ranges::find(sweep.quantities(), one.name) != sweep.quantities().end())
      warnings.push_back(
          warning("W0334", fmt::format("`--set {}` has no effect: the study varies it", one.name), one.name_span));
  for (const char* option : {"--seed", "--sampling"})
    if (sweep.samples() == 0 && arguments.has(option))
      warnings.push_back(warning("W0334", fmt::format("`{}` has no effect: nothing is sampled", option)));
  return warnings;
}

// Makes runs for process 0, which writes and reports.
int make_runs_as_member(const Sweep& sweep, const SweepJob& job) {
  const InterruptGuard guard;
  const std::string why = crew_of_process().member->make_runs(sweep, study_head(sweep, job).mark.identity, job.threads,
                                                              [] { return !InterruptGuard::interrupted(); });
  if (!why.empty()) fail(kExitNumerical, "E0449", fmt::format("this process ends: {}", why));
  return InterruptGuard::interrupted() ? kExitInterrupted : kExitOk;
}

}  // namespace

CrewOfProcess& crew_of_process() {
  static CrewOfProcess crew;
  return crew;
}

int run_sweep(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--merge")) return merge(arguments, terminal);
  if (arguments.operands.size() > 1)
    fail(kExitUsage, "E0408", "`sweep` takes one model", {"`sweep --merge FILE FILE -o FILE` takes several files"});
  const SweepJob job = read_job(arguments);
  const LoadedModel loaded = load(arguments.operands.at(0), overrides_of(arguments));
  const IntegrateOptions options = choose_options(arguments, *loaded.model);
  const StudyStatement study = read_study(arguments, *loaded.model);
  const Result<Sweep> prepared =
      Sweep::prepare(*loaded.model, study, read_rows(arguments), options, {.machine_code = !arguments.has("--no-jit")});
  if (!prepared)
    fail(prepared.diagnostics().front().primary.span.source == loaded.model->source ? kExitModel : kExitUsage,
         prepared.diagnostics());
  const Sweep& sweep = *prepared;
  if (job.output.empty() && sweep.runs() > kMostInMemory)
    fail(kExitUsage, "E0403", fmt::format("{} runs need a file", sweep.runs()),
         {"-o study.csv: rows are saved as they are made"});
  if (crew_of_process().member != nullptr) return make_runs_as_member(sweep, job);
  Diagnostics diagnostics = loaded.warnings;
  append_new(diagnostics, sweep.warnings());
  append_new(diagnostics, warn_of_no_effect(sweep, arguments));
  leave_out_read_parameters(diagnostics, *loaded.model, texts_of(study.measure));
  terminal.report(diagnostics);
  terminal.stop_if_denied();

  std::vector<StudyRun> rows;
  const SweepOutcome outcome = make_runs(sweep, job, rows, terminal);
  const SweepCount& count = outcome.count;
  terminal.report(outcome.warnings);
  if (outcome.interrupted) return interrupted(count, job.output, arguments.json(), terminal);
  terminal.report(warnings_of(failures_of(rows, job.output)));
  if (arguments.json()) {
    dalembert::Json summary = summary_json(count, job.output);
    if (job.output.empty()) summary.append("rows", rows_json(sweep, rows));
    terminal.out(document_text(summary));
  } else {
    terminal.out(summary_text(loaded.model->name, count, terminal));
    if (job.output.empty()) terminal.out(table_of(sweep, rows));
  }
  if (!job.output.empty()) terminal.note(fmt::format("wrote {} and {}.log\n", job.output, job.output));
  return exit_code_of(count);
}

}  // namespace dalembert::app

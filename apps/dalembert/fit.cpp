// SPDX-License-Identifier: Apache-2.0
// dalembert fit: parameters and initial values from measurements.
#include "dalembert/study/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
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
#include "dalembert/study/degrees.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kMostReasons = 3;  // why trial runs failed
constexpr std::size_t kMostCorrelated = 8;
constexpr std::size_t kMostMinima = 5, kMostShown = 6;  // other minima, and unknowns of each
constexpr double kClose = 0.99;                         // correlations from here on are shown

FitRequest read_fit_request(const Arguments& arguments, const Model& model) {
  FitRequest request;
  for (const std::string& text : arguments.values("--measure"))
    request.measure.push_back(read_named("--measure", text, '=', "theta=theta"));
  request.free = arguments.listed("--free");
  if (request.free.empty() && !arguments.has("--offset"))
    fail(kExitUsage, "E0430", "nothing is free", {"name parameters and initial values: `--free k,c,theta`"});
  request.per_file = arguments.listed("--per-file");
  request.offset = arguments.has("--offset");
  for (const std::string& text : arguments.values("--bounds"))
    request.bounds.push_back(read_named("--bounds", text, '=', "k=0 N/m : 10 N/m"));
  for (const std::string& text : arguments.values("--prior"))
    request.prior.push_back(read_named("--prior", text, '~', "k~normal(20 N/m, 2 N/m)"));
  for (const std::string& text : arguments.values("--sigma"))
    request.sigma.push_back(read_named("--sigma", text, '=', "theta=0.01 rad"));
  request.run = choose_options(arguments, model);
  request.compile.machine_code = !arguments.has("--no-jit");
  if (const auto most = arguments.whole_number("--iterations", 1e6, "1 to 1e6"))
    request.most_iterations = static_cast<int>(*most);
  if (const auto starts = arguments.whole_number("--starts", 1e5, "1 to 1e5"))
    request.starts = static_cast<int>(*starts);
  if (const auto seed = read_seed(arguments)) request.seed = static_cast<std::uint64_t>(*seed);
  if (const auto threads = arguments.whole_number("--threads", 1e4, "1 to 1e4"))
    request.threads = static_cast<int>(*threads);
  return request;
}

std::vector<FitData> read_data(const Arguments& arguments, const FitRequest& request) {
  std::vector<FitData> data;
  Diagnostics problems;
  for (std::size_t k = 1; k < arguments.operands.size(); ++k) {
    Result<FitData> read = read_fit_data(arguments.operands[k], request);
    if (read)
      data.push_back(*std::move(read));
    else
      append_new(problems, read.diagnostics());
  }
  if (!problems.empty()) fail(kExitIo, problems);
  return data;
}

std::string measured_text(double value, const std::string& unit, int digits) {
  return shown_number(value, digits) + (unit.empty() ? "" : " " + unit);
}

std::string state_of(const Fit& fit, const Fit::Parameter& one) {
  if (one.at_bound != 0) return one.at_bound < 0 ? "at its lower bound" : "at its upper bound";
  if (!one.determined) return "not determined";
  if (!std::isnan(one.sigma)) return "+- " + measured_text(one.sigma, one.unit, 3);
  return fit.columns.empty() ? "" : "error unknown";
}

std::string parameters_text(const Fit& fit) {
  Table table;
  table.add({"", "value", "standard error", "first value"});
  for (const Fit::Parameter& one : fit.parameters)
    table.add(
        {one.name, measured_text(one.value, one.unit, 8), state_of(fit, one), measured_text(one.start, one.unit, 6)});
  return table.text();
}

std::string columns_text(const Fit& fit) {
  Table table;
  table.add({"", "samples", "rms of residuals", "sigma of a sample"});
  for (const Fit::Column& one : fit.columns)
    table.add({one.name, std::to_string(one.samples), measured_text(one.rms, one.unit, 4),
               std::isnan(one.sigma)
                   ? "its own"
                   : measured_text(one.sigma, one.unit, 4) + (one.sigma_given ? ", given" : ", estimated")});
  return table.text();
}

// Pairs of parameters that are determined together much better than each.
std::string correlations_text(const Fit& fit) {
  std::vector<std::string> close;
  for (std::size_t i = 0; i < fit.correlation.size(); ++i)
    for (std::size_t j = i + 1; j < fit.correlation.size(); ++j)
      if (std::abs(fit.correlation[i][j]) >= kClose)
        close.push_back(
            fmt::format("{} and {} {:.4f}", fit.parameters[i].name, fit.parameters[j].name, fit.correlation[i][j]));
  return labelled_list("correlated", close, kMostCorrelated);
}

std::string failures_text(const Fit& fit) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(fit.failures.begin(), fit.failures.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t k = 0; k < std::min(sorted.size(), kMostReasons); ++k)
    text += fmt::format("  not taken, {}: {}\n", counted(static_cast<int>(sorted[k].second), "trial", "trials"),
                        sorted[k].first);
  if (sorted.size() > kMostReasons) text += fmt::format("  and for {} more reasons\n", sorted.size() - kMostReasons);
  return text;
}

// Where the searches from several starts ended: at the answer, at other minima, nowhere.
std::string starts_text(const Fit& fit) {
  if (fit.starts.size() < 2) return "";
  std::map<std::int64_t, std::vector<const Fit::Start*>> minima;
  std::size_t begun = 0;
  for (const Fit::Start& one : fit.starts)
    if (one.runs > 0) ++begun, minima[one.minimum].push_back(&one);
  const auto starts = [](std::size_t count) { return counted(static_cast<int>(count), "start", "starts"); };
  std::string text = fmt::format("  {}", starts(fit.starts.size()));
  if (begun < fit.starts.size()) text += fmt::format(", {} of them not begun", fit.starts.size() - begun);
  if (minima.contains(0)) text += fmt::format(", {} to these values", minima[0].size());
  if (minima.contains(-1)) text += fmt::format(", {} to no minimum", minima[-1].size());
  text += "\n";
  const std::size_t others = minima.size() - minima.count(0) - minima.count(-1);
  std::size_t shown = 0;
  for (const auto& [minimum, ends] : minima) {
    if (minimum <= 0) continue;
    if (++shown > kMostMinima)
      return text +
             fmt::format("  and {}\n", counted(static_cast<int>(others - kMostMinima), "more minimum", "more minima"));
    std::vector<std::string> values;
    for (std::size_t k = 0; k < std::min(fit.parameters.size(), kMostShown); ++k)
      values.push_back(fmt::format("{} = {}", fit.parameters[k].name,
                                   measured_text(ends.front()->to[k], fit.parameters[k].unit, 6)));
    if (fit.parameters.size() > kMostShown) values.emplace_back("...");
    text += fmt::format("  another minimum, {}, -ln(likelihood) larger by {}: {}\n", starts(ends.size()),
                        shown_number(ends.front()->worse_by, 4), fmt::join(values, ", "));
  }
  return text;
}

std::string fit_text(const Fit& fit, const std::string& model, const Terminal& terminal) {
  const char* how = fit.end == Fit::End::kConverged     ? "fitted"
                    : fit.end == Fit::End::kInterrupted ? "interrupted, the best so far"
                                                        : "not fitted, the best so far";
  std::string text =
      fmt::format("{}: {} ({}, {})\n", terminal.bold(model), how, counted(fit.iterations, "iteration", "iterations"),
                  counted(static_cast<int>(fit.runs), "run", "runs"));
  if (fit.end != Fit::End::kConverged) text += wrapped("  " + fit.message, 110, 2) + "\n";
  text += parameters_text(fit);
  if (!fit.columns.empty()) text += columns_text(fit);
  text += correlations_text(fit) + starts_text(fit) + failures_text(fit);
  if (!fit.columns.empty()) {
    text += fmt::format("  {} {}\n", terminal.bold("verdict"),
                        fit.verdict.holds ? terminal.green("holds") : terminal.red("does not hold"));
    for (const std::string& reason : fit.verdict.reasons) text += fmt::format("    {}\n", reason);
  }
  return text;
}

int exit_code_of_fit(const Fit& fit) {
  if (fit.end == Fit::End::kInterrupted) return kExitInterrupted;
  if (fit.end != Fit::End::kConverged) return kExitNumerical;
  return fit.verdict.holds ? kExitOk : kExitNo;
}

int exit_code_of_problem(const Diagnostics& problems, const Model& model) {
  const Diagnostic& first = problems.front();
  if (first.code == "E0432") return kExitNumerical;
  if (first.code == "E0431" || first.code == "E0433") return kExitIo;
  return first.primary.span && first.primary.span.source == model.source ? kExitModel : kExitUsage;
}

// Each quantity has one value in a model file; what differs by file, and the offset of a clock, have none, which is said.
std::vector<NewValue> values_of(const Fit& fit, const FitRequest& request, Terminal& terminal) {
  std::vector<NewValue> values;
  std::vector<std::string> left_out;
  for (const Fit::Parameter& one : fit.parameters)
    if (std::ranges::find(request.free, one.name) != request.free.end())
      values.push_back({one.name, one.value});
    else
      left_out.push_back(one.name.substr(0, one.name.find('[')));
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  if (!left_out.empty())
    terminal.note(fmt::format("of each file, and not written to the model: {}\n", fmt::join(left_out, ", ")));
  return values;
}

// Those whose messages are not among the known ones.
Diagnostics without(Diagnostics all, const Diagnostics& known) {
  std::erase_if(all, [&](const Diagnostic& one) {
    return std::ranges::find(known, one.message, &Diagnostic::message) != known.end();
  });
  return all;
}

Fit find(const Model& model, const std::vector<FitData>& data, FitRequest& request, Terminal& terminal) {
  const InterruptGuard guard;
  Progress progress(terminal, Work::without_end("fit", "runs"));
  request.progress = [&](std::int64_t runs, double) {
    progress.update(static_cast<double>(runs));
    return !InterruptGuard::interrupted();
  };
  Result<Fit> found = fit(model, data, request);
  if (!found) fail(exit_code_of_problem(found.diagnostics(), model), found.diagnostics());
  return *std::move(found);
}

}  // namespace

int run_fit(const Arguments& arguments, Terminal& terminal) {
  const LoadedModel loaded = load(arguments.operands.at(0), overrides_of(arguments));
  FitRequest request = read_fit_request(arguments, *loaded.model);
  const std::string output = choose_model_output(arguments, *loaded.model);
  std::optional<FigureOutput> plot;
  if (const auto path = arguments.value("--plot")) plot = choose_figure_output(*path);
  const bool degrees = arguments.has("--degrees");
  if (degrees && !plot) fail(kExitUsage, "E0403", "`--degrees` is for the figure of `--plot`", {"leave it out"});
  const std::vector<FitData> data = read_data(arguments, request);
  Diagnostics warnings = loaded.warnings;
  leave_out_read_parameters(warnings, *loaded.model, texts_of(request.measure));
  // Before the runs, which a sample far beyond the others makes long.
  const Diagnostics of_data = doubts_of_data(data);
  append_new(warnings, of_data);
  if (arguments.has("--seed") && request.starts <= 1)
    warnings.push_back(warning("W0334", "`--seed` has no effect: there are no other starts (`--starts 8`)"));
  terminal.report(warnings);
  terminal.stop_if_denied();
  const Fit found = find(*loaded.model, data, request, terminal);
  Diagnostics said;
  append_new(said, found.warnings);
  if (degrees &&
      std::ranges::none_of(found.columns, [](const auto& one) { return unit_in_degrees(one.unit).has_value(); }))
    said.push_back(warning("W0325", "`--degrees` changes nothing in the figure: no column is measured as an angle"));
  said = without(std::move(said), loaded.warnings);
  terminal.report(without(said, of_data));
  if (arguments.json()) {
    Json document = fit_json(found);
    document["diagnostics"] = to_json(said);
    terminal.out(document_text(document));
  } else {
    terminal.out(fit_text(found, loaded.model->name, terminal));
  }
  if (!output.empty()) write_new_model(output, arguments, *loaded.model, values_of(found, request, terminal), terminal);
  if (plot && !found.columns.empty()) write_figure(fit_svg(found, loaded.model->name, degrees), *plot, terminal);
  if (found.end == Fit::End::kInterrupted)
    terminal.report({warning("W0302", fmt::format("interrupted after {} runs", found.runs))});
  return exit_code_of_fit(found);
}

}  // namespace dalembert::app

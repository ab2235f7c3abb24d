// SPDX-License-Identifier: Apache-2.0
// dalembert plot RUN [RUN...]: series of one run or several, as a figure or in the terminal.
#include <fmt/format.h>

#include <algorithm>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/plot.h"
#include "apps/dalembert/run_file.h"
#include "apps/dalembert/system.h"
#include "dalembert/base/text.h"
#include "dalembert/figure/text_chart.h"
#include "dalembert/study/charts.h"

namespace dalembert::app {
namespace {

[[noreturn]] void give_up(const Diagnostics& problems) {
  fail(problems.front().code == "E0502" ? kExitIo : kExitUsage, problems);
}

ChartRequest request_of(const Arguments& arguments) {
  ChartRequest request{.y = arguments.values("--y"), .x = arguments.value("--x"), .phase = arguments.value("--phase")};
  if (request.phase)
    for (const char* option : {"--x", "--y"})
      if (arguments.has(option))
        fail(kExitUsage, "E0403", fmt::format("`--phase` says already what `{}` would", option));
  request.log_y = arguments.has("--log-y");
  request.mark_peaks = arguments.value("--annotate") == "peaks";
  request.x_range = read_range(arguments, "--x-range");
  request.y_range = read_range(arguments, "--y-range");
  request.degrees = arguments.has("--degrees");
  if (request.log_y && request.y_range && !((*request.y_range)[0] > 0))
    fail(kExitUsage, "E0403", "`--log-y` needs a `--y-range` above 0");
  return request;
}

// In the terminal the peaks are listed below the curves.
std::string peak_table(const ChartSelection& selection, const Chart& chart) {
  Table table;
  table.add({"", "lowest", "at " + selection.x.name, "highest", "at " + selection.x.name, "unit"});
  const AxisRange x = x_range_of(chart);
  for (const ChartSeries& one : selection.y)
    for (std::size_t r = 0; r < selection.runs.size(); ++r) {
      const dalembert::Table& run = selection.runs[r].table;
      const ChartCurve curve{run.columns[selection.x.column[r]], run.columns[one.column[r]], {}};
      const Peaks peaks = find_peaks(curve, x);
      if (!peaks.any) continue;
      table.add({selection.runs.size() > 1 ? fmt::format("{} {}", one.name, selection.labels[r]) : one.name,
                 shown_number(curve.y[peaks.low], 5), shown_number(curve.x[peaks.low], 5),
                 shown_number(curve.y[peaks.high], 5), shown_number(curve.x[peaks.high], 5), one.unit});
    }
  return table.text(0);
}

// Units of series that have none, from the model of the runs.
void add_units(const std::string& model, const Arguments& given, std::vector<RunFile>& runs, Terminal& terminal) {
  Arguments arguments = given;
  arguments.operands = {model};
  const System system = build_system(arguments);
  terminal.report(system.warnings);
  for (RunFile& run : runs) {
    require_run_of(run, system.dynamics.names());
    add_units_of(system.dynamics.names(), run.table);
  }
}

}  // namespace

int plot_runs(const Arguments& arguments, Terminal& terminal) {
  const std::optional<std::string> path = arguments.value("--output");
  std::optional<FigureOutput> output;
  if (path) output = choose_figure_output(*path);
  if (output && arguments.has("--ascii"))
    fail(kExitUsage, "E0403", "`--ascii` is for the terminal, and `--output` writes a figure",
         {"leave one of them out"});
  if (arguments.json() && output && output->to_standard_output())
    fail(kExitUsage, "E0403", "`--json` and `--output -` both want standard output", {"write the figure to a file"});
  std::vector<RunFile> runs;
  for (const std::string& operand : arguments.operands) runs.push_back(read_run(operand));
  if (const auto model = arguments.value("--model")) add_units(*model, arguments, runs, terminal);
  const ChartRequest request = request_of(arguments);
  const Result<ChartSelection> selected = select_series(std::move(runs), request);
  if (!selected) give_up(selected.diagnostics());
  const ChartSelection& selection = *selected;
  if (selection.left_out > 0)
    terminal.note(fmt::format("{} more; -y names them: -y 'lambda.*'\n",
                              counted(static_cast<int>(selection.left_out), "series", "series")));
  const Diagnostics gaps = look_for_gaps(selection, request.log_y);
  if (has_errors(gaps)) give_up(gaps);
  terminal.report(gaps);
  const Chart chart = make_chart(selection, request, !output);
  if (output) {
    const ChartDrawing drawing = draw_chart(chart);
    write_figure(drawing.svg, *output, terminal);
    if (drawing.peaks_unnamed > 0)
      terminal.note(fmt::format("{} marked without numbers, for which there was no room; --json tells them all\n",
                                counted(static_cast<int>(drawing.peaks_unnamed), "peak is", "peaks are")));
  } else if (!arguments.json()) {
    // As many lines as fit on a screen, but at least four for each panel.
    const int panels = static_cast<int>(chart.panels.size());
    terminal.out(draw_text(chart, {.width = terminal.width(),
                                   .height = std::clamp(36 / panels, 4, 16),
                                   .ascii = arguments.has("--ascii"),
                                   .color = terminal.out_color()}));
    if (chart.mark_peaks) terminal.out("\n" + peak_table(selection, chart));
  }
  if (arguments.json()) {
    Json document = chart_json(selection, chart);
    if (path) document["file"] = *path;
    terminal.out(document_text(document));
  }
  return kExitOk;
}

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// dalembert plot RUN [RUN...]: series of one run or several, as a figure or in the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/plot.h"
#include "apps/dalembert/run_file.h"
#include "dalembert/base/text.h"
#include "dalembert/figure/chart.h"
#include "dalembert/figure/text_chart.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kMostCurves = 100;  // of one figure
constexpr std::size_t kFewByDefault = 8;  // series of one unit, where nobody has said which

// A series in every run.
struct Series {
  std::string name, unit;
  std::vector<std::size_t> column;  // of each run
};

struct Selection {
  std::vector<RunFile> runs;
  std::vector<std::string> labels;  // of the runs
  Series x;
  std::vector<Series> y;
};

// Runs by their file's name, or by their path where these are the same.
std::vector<std::string> run_labels(const std::vector<RunFile>& runs) {
  std::vector<std::string> labels;
  for (const RunFile& run : runs) labels.push_back(std::filesystem::path(run.path).stem().string());
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (std::ranges::count(labels, labels[i]) > 1)
      return [&] {
        std::vector<std::string> paths;
        for (const RunFile& run : runs) paths.push_back(run.path);
        return paths;
      }();
  return labels;
}

Series everywhere(const std::vector<RunFile>& runs, std::size_t column) {
  Series series{runs[0].table.names[column], runs[0].unit(column), {}};
  for (const RunFile& run : runs) {
    series.column.push_back(find_series_of(run, series.name).front());
    const std::string& unit = run.unit(series.column.back());
    if (series.unit.empty()) series.unit = unit;
    if (!unit.empty() && unit != series.unit)
      fail(kExitUsage, "E0403",
           fmt::format("`{}` is in {} in `{}` and in {} in `{}`", series.name, series.unit, runs[0].path, unit,
                       run.path));
  }
  return series;
}

// One series, no pattern.
Series one_series(const std::vector<RunFile>& runs, const std::string& option, const std::string& asked) {
  const std::vector<std::size_t> found = find_series_of(runs[0], asked);
  if (found.size() > 1)
    fail(kExitUsage, "E0403", fmt::format("`{}` takes one series, and `{}` means {}", option, asked, found.size()));
  return everywhere(runs, found[0]);
}

// Coordinates, then multipliers, actuations and outputs: a few of each unit.
std::vector<Series> usual_series(const std::vector<RunFile>& runs, Terminal& terminal) {
  const RunFile& run = runs[0];
  std::vector<Series> series;
  std::size_t left_out = 0;
  const auto add = [&](const std::vector<std::string_view>& groups) {
    std::map<std::string, std::size_t> count;
    for (const std::string_view group : groups)
      for (std::size_t i = 0; i < run.table.names.size(); ++i) {
        if (!run.table.names[i].starts_with(group)) continue;
        if (++count[run.unit(i)] > kFewByDefault)
          ++left_out;
        else
          series.push_back(everywhere(runs, i));
      }
  };
  add({"q/"});
  add({"lambda/", "F/", "friction/"});
  if (series.empty())
    for (std::size_t i = 0; i < run.table.names.size() && series.size() < kFewByDefault; ++i)
      if (run.table.names[i] != "time") series.push_back(everywhere(runs, i));
  if (series.empty())
    fail(kExitIo, "E0502", fmt::format("`{}` holds no series beside `{}`", run.path, run.table.names[0]));
  if (left_out > 0)
    terminal.note(fmt::format("{} more; -y names them: -y 'lambda.*'\n",
                              counted(static_cast<int>(left_out), "series", "series")));
  return series;
}

Selection select(const Arguments& arguments, Terminal& terminal) {
  Selection selection;
  for (const std::string& path : arguments.operands) selection.runs.push_back(read_run(path));
  selection.labels = run_labels(selection.runs);
  const std::vector<RunFile>& runs = selection.runs;
  if (const std::optional<std::string> phase = arguments.value("--phase")) {
    for (const char* option : {"--x", "--y"})
      if (arguments.has(option))
        fail(kExitUsage, "E0403", fmt::format("`--phase` says already what `{}` would", option));
    const std::vector<std::string> two = split_names(*phase);
    if (two.size() != 2)
      fail(kExitUsage, "E0403", fmt::format("`--phase` does not take `{}`", *phase), {"it takes two series: X,Y"});
    selection.x = one_series(runs, "--phase", two[0]);
    selection.y.push_back(one_series(runs, "--phase", two[1]));
    return selection;
  }
  selection.x = one_series(runs, "-x", arguments.value("--x").value_or(runs[0].table.names[0]));
  for (const std::string& list : arguments.values("--y"))
    for (const std::string& name : split_names(list)) {
      if (name.empty()) fail(kExitUsage, "E0403", fmt::format("`-y` does not take `{}`: a name is empty", list));
      for (const std::size_t column : find_series_of(runs[0], name))
        // A name and a pattern may mean the same one.
        if (std::ranges::none_of(selection.y, [&](const Series& s) { return s.column[0] == column; }))
          selection.y.push_back(everywhere(runs, column));
    }
  if (selection.y.empty()) selection.y = usual_series(runs, terminal);
  if (selection.y.size() * runs.size() > kMostCurves)
    fail(kExitUsage, "E0403",
         fmt::format("{} curves are too many for one figure, which takes {}", selection.y.size() * runs.size(),
                     kMostCurves),
         {"-y names fewer series"});
  return selection;
}

// E0412 where there is nothing to be drawn of a series, W0312 where there are gaps.
void look_for_gaps(const Selection& selection, bool logarithmic, Terminal& terminal) {
  Diagnostics gaps;
  const auto look = [&](const Series& series, bool of_y) {
    for (std::size_t r = 0; r < selection.runs.size(); ++r) {
      const std::vector<double>& values = selection.runs[r].table.columns[series.column[r]];
      const auto missing =
          static_cast<std::size_t>(std::ranges::count_if(values, [&](double value) { return !std::isfinite(value); }));
      const bool zeros = of_y && logarithmic &&
                         std::ranges::all_of(values, [](double value) { return value == 0 || !std::isfinite(value); });
      if (missing == values.size())
        fail(kExitIo, "E0502",
             fmt::format("`{}` in `{}` has no value that is a number", series.name, selection.runs[r].path));
      if (zeros)
        fail(kExitUsage, "E0403",
             fmt::format("`--log-y` cannot show `{}` in `{}`: it is 0", series.name, selection.runs[r].path));
      if (missing > 0)
        gaps.push_back(warning("W0312", fmt::format("{} of {} values of `{}` in `{}` are no numbers: gaps in its curve",
                                                    missing, values.size(), series.name, selection.runs[r].path)));
    }
  };
  look(selection.x, false);
  for (const Series& series : selection.y) look(series, true);
  terminal.report(gaps);
}

// Names of several series along one axis, as far as there is room; the group's letter where they share it.
void label_panel(ChartPanel& panel, const std::vector<RichText>& names, const std::string& unit,
                 const std::string& group) {
  for (const RichText& name : names) {
    if (!panel.label.empty()) panel.label.push_back({", "});
    panel.label.insert(panel.label.end(), name.begin(), name.end());
  }
  panel.label = with_unit(std::move(panel.label), unit);
  const bool same = std::ranges::all_of(names, [&](const RichText& name) {
    return name.size() > 1 && name[0].text == names[0][0].text && name[1].level == TextPiece::kSubscript;
  });
  panel.shorter = with_unit(same ? RichText{names[0][0]} : unit.empty() ? RichText{{group}} : RichText{}, unit);
  if (!same && !panel.shorter.empty() && panel.shorter[0].text.starts_with(' ')) panel.shorter[0].text.erase(0, 1);
}

// Of series whose unit is not known, only those of one group are of one kind: q/, v/, lambda/.
std::string kind_of(const Series& series) {
  return series.unit.empty() ? "\n" + series.name.substr(0, series.name.find('/') + 1) : series.unit;
}

// `apart`: each series has a panel of its own; else those of one unit share it.
Chart make_chart(const Selection& selection, const Arguments& arguments, bool apart) {
  Chart chart;
  const auto series_and_unit = [](const Series& series) { return with_unit(typeset_series(series.name), series.unit); };
  chart.x_label = series_and_unit(selection.x);
  chart.x_unit = selection.x.unit == "1" ? "" : selection.x.unit;
  chart.log_y = arguments.has("--log-y");
  chart.mark_peaks = arguments.value("--annotate") == "peaks";
  if (const auto range = read_range(arguments, "--x-range")) chart.x_window = {(*range)[0], (*range)[1], false};
  if (const auto range = read_range(arguments, "--y-range")) chart.y_window = {(*range)[0], (*range)[1], chart.log_y};
  if (chart.log_y && chart.y_window && !(chart.y_window->from > 0))
    fail(kExitUsage, "E0403", "`--log-y` needs a `--y-range` above 0");

  const auto kind = [&](const Series& series) { return apart ? series.name : kind_of(series); };
  std::vector<std::string> kinds;
  for (const Series& series : selection.y)
    if (std::ranges::find(kinds, kind(series)) == kinds.end()) kinds.push_back(kind(series));
  const bool several = selection.runs.size() > 1;
  for (const std::string& here : kinds) {
    ChartPanel panel;
    std::vector<RichText> names;
    std::string unit, group;
    for (const Series& series : selection.y) {
      if (kind(series) != here) continue;
      names.push_back(typeset_series(series.name));
      unit = series.unit;
      group = series.name.substr(0, series.name.find('/') + 1) + "…";
    }
    for (const Series& series : selection.y) {
      if (kind(series) != here) continue;
      for (std::size_t r = 0; r < selection.runs.size(); ++r) {
        RichText name = typeset_series(series.name);
        const std::string run = shortened(selection.labels[r], 40);
        if (several && names.size() == 1)
          name = {{run}};
        else if (several)
          name.push_back({" " + run});
        const dalembert::Table& table = selection.runs[r].table;
        panel.curves.push_back(
            {table.columns[selection.x.column[r]], table.columns[series.column[r]], std::move(name)});
      }
    }
    label_panel(panel, names, unit, group);
    chart.panels.push_back(std::move(panel));
  }
  for (const std::string& label : selection.labels) chart.title += (chart.title.empty() ? "" : ", ") + label;
  std::vector<std::string> names;
  for (const Series& series : selection.y) names.push_back(series.name);
  chart.description = fmt::format("{} against {} of {}", join_words(names, ""), selection.x.name,
                                  counted(static_cast<int>(selection.runs.size()), "run", "runs"));
  return chart;
}

// In the terminal the numbers stand below the curves.
std::string peak_table(const Selection& selection, const Chart& chart) {
  Table table;
  table.add({"", "lowest", "at " + selection.x.name, "highest", "at " + selection.x.name, "unit"});
  const AxisRange x = x_range_of(chart);
  for (const Series& one : selection.y)
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

Json describe(const Selection& selection, const Chart& chart, const std::string& path) {
  Json series = Json::array();
  const AxisRange x = x_range_of(chart);
  for (const Series& one : selection.y)
    for (std::size_t r = 0; r < selection.runs.size(); ++r) {
      const dalembert::Table& table = selection.runs[r].table;
      const ChartCurve curve{table.columns[selection.x.column[r]], table.columns[one.column[r]], {}};
      const Peaks peaks = find_peaks(curve, x);
      Json entry{{"name", one.name},
                 {"unit", text_or_null(one.unit)},
                 {"run", selection.runs[r].path},
                 {"rows", curve.y.size()}};
      const auto value = [&](const char* name, double number) { entry[name] = peaks.any ? Json(number) : Json(); };
      value("min", curve.y[peaks.low]);
      value("x_min", curve.x[peaks.low]);
      value("max", curve.y[peaks.high]);
      value("x_max", curve.x[peaks.high]);
      series.push_back(std::move(entry));
    }
  return {{"file", text_or_null(path)}, {"x", selection.x.name}, {"series", std::move(series)}};
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
  const Selection selection = select(arguments, terminal);
  look_for_gaps(selection, arguments.has("--log-y"), terminal);
  const Chart chart = make_chart(selection, arguments, !output);
  if (output) {
    const ChartDrawing drawing = draw_chart(chart);
    write_figure(drawing.svg, *output, terminal);
    if (drawing.peaks_unnamed > 0)
      terminal.note(fmt::format("{} marked without numbers, for which there was no room; --json tells them all\n",
                                counted(static_cast<int>(drawing.peaks_unnamed), "peak is", "peaks are")));
  } else if (!arguments.json()) {
    // As many lines as fit a screen, or more where there are many panels.
    const int panels = static_cast<int>(chart.panels.size());
    terminal.out(draw_text(chart, {.width = terminal.width(),
                                   .height = std::clamp(36 / panels, 4, 16),
                                   .ascii = arguments.has("--ascii"),
                                   .color = terminal.out_color()}));
    if (chart.mark_peaks) terminal.out("\n" + peak_table(selection, chart));
  }
  if (arguments.json()) terminal.out(document_text(describe(selection, chart, path.value_or(""))));
  return kExitOk;
}

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/figure/axis.h"
#include "dalembert/figure/chart.h"
#include "dalembert/figure/rich_text.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/degrees.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostCurves = 100;  // largest number of curves in one figure
constexpr std::size_t kFewByDefault = 8;  // default number of series for each unit

// The file names of runs, or their paths if two names coincide.
std::vector<std::string> run_labels(const std::vector<NamedRun>& runs) {
  std::vector<std::string> labels;
  for (const NamedRun& run : runs)
    labels.push_back(run.label.empty() ? std::filesystem::path(run.name).stem().string() : run.label);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (std::ranges::count(labels, labels[i]) > 1)
      return [&] {
        std::vector<std::string> paths;
        for (const NamedRun& run : runs) paths.push_back(run.name);
        return paths;
      }();
  return labels;
}

Result<ChartSeries> everywhere(const std::vector<NamedRun>& runs, std::size_t column) {
  ChartSeries series{runs[0].table.names[column], runs[0].unit(column), {}};
  for (const NamedRun& run : runs) {
    const Result<std::vector<std::size_t>> there = find_series_of(run, series.name);
    if (!there) return there.diagnostics();
    series.column.push_back(there->front());
    const std::string& unit = run.unit(series.column.back());
    if (series.unit.empty()) series.unit = unit;
    if (!unit.empty() && unit != series.unit)
      return error("E0403", fmt::format("`{}` is in {} in `{}` and in {} in `{}`", series.name, series.unit,
                                        runs[0].name, unit, run.name));
  }
  return series;
}

// Changes all angles of the runs to degrees.
void turn_to_degrees(std::vector<NamedRun>& runs) {
  for (NamedRun& run : runs)
    for (std::size_t i = 0; i < run.table.columns.size(); ++i)
      if (auto unit = unit_in_degrees(run.unit(i))) {
        run.table.units[i] = *std::move(unit);
        for (double& value : run.table.columns[i]) value *= kDegreesPerRadian;
      }
}

// Finds a single series; a pattern with several matches is an error.
Result<ChartSeries> one_series(const std::vector<NamedRun>& runs, const std::string& option, const std::string& asked) {
  const Result<std::vector<std::size_t>> found = find_series_of(runs[0], asked);
  if (!found) return found.diagnostics();
  if (found->size() > 1)
    return error("E0403", fmt::format("`{}` takes one series, and `{}` means {}", option, asked, found->size()));
  return everywhere(runs, found->front());
}

// The default selection: coordinates, then multipliers, actuations and frictions, a few for each unit; if there are
// none, the first other series.
Diagnostics choose_usual_series(ChartSelection& selection) {
  const NamedRun& run = selection.runs[0];
  std::vector<ChartSeries>& series = selection.y;
  Diagnostics problems;
  const auto append = [&](std::size_t i) {
    Result<ChartSeries> one = everywhere(selection.runs, i);
    if (one)
      series.push_back(std::move(one).value());
    else if (problems.empty())
      problems = one.diagnostics();
  };
  const auto add = [&](const std::vector<std::string_view>& groups) {
    std::map<std::string, std::size_t> count;
    for (const std::string_view group : groups)
      for (std::size_t i = 0; i < run.table.names.size(); ++i) {
        if (!run.table.names[i].starts_with(group)) continue;
        if (++count[run.unit(i)] > kFewByDefault)
          ++selection.left_out;
        else
          append(i);
      }
  };
  add({"q/"});
  add({"lambda/", "F/", "friction/"});
  if (series.empty())
    for (std::size_t i = 0; i < run.table.names.size() && series.size() < kFewByDefault && problems.empty(); ++i)
      if (run.table.names[i] != "time") append(i);
  if (series.empty() && problems.empty())
    problems = {error("E0502", fmt::format("`{}` holds no series beside `{}`", run.name, run.table.names[0]))};
  return problems;
}

// Labels a panel with the names of its series. The shorter label is their common letter, if they share one, and the
// unit.
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

// The kind of a series, by which panels are shared: its unit. If this is unknown, its group: q/, v/, lambda/.
std::string kind_of(const ChartSeries& series) {
  return series.unit.empty() ? "\n" + series.name.substr(0, series.name.find('/') + 1) : series.unit;
}

// Selects series of runs whose numbers are those to be shown.
Result<ChartSelection> select_shown(std::vector<NamedRun> runs, const ChartRequest& request) {
  ChartSelection selection;
  selection.runs = std::move(runs);
  selection.labels = run_labels(selection.runs);
  const std::vector<NamedRun>& all = selection.runs;
  const auto refused = [](std::string message, std::string help = {}) {
    Diagnostic problem = error("E0403", std::move(message));
    if (!help.empty()) problem.help = {std::move(help)};
    return problem;
  };
  if (request.phase) {
    const std::vector<std::string> two = split_names(*request.phase);
    if (two.size() != 2)
      return refused(fmt::format("`--phase` does not take `{}`", *request.phase), "it takes two series: X,Y");
    Result<ChartSeries> x = one_series(all, "--phase", two[0]);
    if (!x) return x.diagnostics();
    Result<ChartSeries> y = one_series(all, "--phase", two[1]);
    if (!y) return y.diagnostics();
    selection.x = std::move(x).value();
    selection.y.push_back(std::move(y).value());
    return selection;
  }
  Result<ChartSeries> x = one_series(all, "-x", request.x.value_or(all[0].table.names[0]));
  if (!x) return x.diagnostics();
  selection.x = std::move(x).value();
  for (const std::string& list : request.y)
    for (const std::string& name : split_names(list)) {
      if (name.empty()) return refused(fmt::format("`-y` does not take `{}`: a name is empty", list));
      const Result<std::vector<std::size_t>> columns = find_series_of(all[0], name);
      if (!columns) return columns.diagnostics();
      for (const std::size_t column : *columns) {
        // A name and a pattern may match the same series.
        if (std::ranges::any_of(selection.y, [&](const ChartSeries& s) { return s.column[0] == column; })) continue;
        Result<ChartSeries> one = everywhere(all, column);
        if (!one) return one.diagnostics();
        selection.y.push_back(std::move(one).value());
      }
    }
  if (selection.y.empty())
    if (Diagnostics problems = choose_usual_series(selection); !problems.empty()) return problems;
  if (selection.y.size() * all.size() > kMostCurves)
    return refused(fmt::format("{} curves are too many for one figure, which takes {}", selection.y.size() * all.size(),
                               kMostCurves),
                   "-y names fewer series");
  return selection;
}

}  // namespace

Result<ChartSelection> select_series(std::vector<NamedRun> runs, const ChartRequest& request) {
  if (request.degrees) turn_to_degrees(runs);
  Result<ChartSelection> selection = select_shown(std::move(runs), request);
  if (!request.degrees || !selection) return selection;
  const auto turned = [](const ChartSeries& series) { return series.unit.starts_with("deg"); };
  if (turned(selection->x) || std::ranges::any_of(selection->y, turned)) return selection;
  Diagnostic none =
      error("E0403", "`--degrees` has nothing to change: no series in the figure is known to be an angle");
  none.help = {
      "leave it out",
      "a .csv knows units where `simulate --units` wrote them, or `plot --model MODEL` says them; a .json has them"};
  return none;
}

Diagnostics look_for_gaps(const ChartSelection& selection, bool logarithmic) {
  Diagnostics gaps, problems;
  const auto look = [&](const ChartSeries& series, bool of_y) {
    for (std::size_t r = 0; r < selection.runs.size(); ++r) {
      const std::vector<double>& values = selection.runs[r].table.columns[series.column[r]];
      const auto missing =
          static_cast<std::size_t>(std::ranges::count_if(values, [&](double value) { return !std::isfinite(value); }));
      const bool zeros = of_y && logarithmic &&
                         std::ranges::all_of(values, [](double value) { return value == 0 || !std::isfinite(value); });
      if (!problems.empty()) return;
      if (missing == values.size())
        problems = {error(
            "E0502", fmt::format("`{}` in `{}` has no value that is a number", series.name, selection.runs[r].name))};
      else if (zeros)
        problems = {error(
            "E0403", fmt::format("`--log-y` cannot show `{}` in `{}`: it is 0", series.name, selection.runs[r].name))};
      if (missing > 0)
        gaps.push_back(warning("W0312", fmt::format("{} of {} values of `{}` in `{}` are no numbers: gaps in its curve",
                                                    missing, values.size(), series.name, selection.runs[r].name)));
    }
  };
  look(selection.x, false);
  for (const ChartSeries& series : selection.y) look(series, true);
  return problems.empty() ? gaps : problems;
}

Chart make_chart(const ChartSelection& selection, const ChartRequest& request, bool apart) {
  Chart chart;
  const auto series_and_unit = [](const ChartSeries& series) {
    return with_unit(typeset_series(series.name), series.unit);
  };
  chart.x_label = series_and_unit(selection.x);
  chart.x_unit = selection.x.unit == "1" ? "" : selection.x.unit;
  chart.log_y = request.log_y;
  chart.mark_peaks = request.mark_peaks;
  if (request.x_range) chart.x_window = {(*request.x_range)[0], (*request.x_range)[1], false};
  if (request.y_range) chart.y_window = {(*request.y_range)[0], (*request.y_range)[1], chart.log_y};

  const auto kind = [&](const ChartSeries& series) { return apart ? series.name : kind_of(series); };
  std::vector<std::string> kinds;
  for (const ChartSeries& series : selection.y)
    if (std::ranges::find(kinds, kind(series)) == kinds.end()) kinds.push_back(kind(series));
  const bool several = selection.runs.size() > 1;
  for (const std::string& here : kinds) {
    ChartPanel panel;
    std::vector<RichText> names;
    std::string unit, group;
    for (const ChartSeries& series : selection.y) {
      if (kind(series) != here) continue;
      names.push_back(typeset_series(series.name));
      unit = series.unit;
      group = series.name.substr(0, series.name.find('/') + 1) + "…";
    }
    for (const ChartSeries& series : selection.y) {
      if (kind(series) != here) continue;
      for (std::size_t r = 0; r < selection.runs.size(); ++r) {
        RichText name = typeset_series(series.name);
        const std::string run = shortened(selection.labels[r], 40);
        if (several && names.size() == 1)
          name = {{run}};
        else if (several)
          name.push_back({" " + run});
        const Table& table = selection.runs[r].table;
        panel.curves.push_back(
            {table.columns[selection.x.column[r]], table.columns[series.column[r]], std::move(name)});
      }
    }
    label_panel(panel, names, unit, group);
    chart.panels.push_back(std::move(panel));
  }
  for (const std::string& label : selection.labels) chart.title += (chart.title.empty() ? "" : ", ") + label;
  std::vector<std::string> names;
  for (const ChartSeries& series : selection.y) names.push_back(series.name);
  chart.description = fmt::format("{} against {} of {}", join_words(names, ""), selection.x.name,
                                  counted(static_cast<int>(selection.runs.size()), "run", "runs"));
  return chart;
}

Json chart_json(const ChartSelection& selection, const Chart& chart) {
  Json series = Json::array();
  const AxisRange x = x_range_of(chart);
  for (const ChartSeries& one : selection.y)
    for (std::size_t r = 0; r < selection.runs.size(); ++r) {
      const Table& table = selection.runs[r].table;
      const ChartCurve curve{table.columns[selection.x.column[r]], table.columns[one.column[r]], {}};
      const Peaks peaks = find_peaks(curve, x);
      Json entry{{"name", one.name},
                 {"unit", text_or_null(one.unit)},
                 {"run", selection.runs[r].name},
                 {"rows", curve.y.size()}};
      const auto value = [&](const char* name, double number) { entry[name] = peaks.any ? Json(number) : Json(); };
      value("min", curve.y[peaks.low]);
      value("x_min", curve.x[peaks.low]);
      value("max", curve.y[peaks.high]);
      value("x_max", curve.x[peaks.high]);
      series.push_back(std::move(entry));
    }
  return {{"file", nullptr}, {"x", selection.x.name}, {"series", std::move(series)}};
}

std::string chart_svg(const Chart& chart) { return draw_chart(chart).svg; }
std::string chart_svg(const ChartSelection& selection, const ChartRequest& request, bool apart) {
  return chart_svg(make_chart(selection, request, apart));
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/study_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/figure/chart.h"
#include "dalembert/figure/heat_map.h"
#include "dalembert/figure/histogram.h"
#include "dalembert/study/degrees.h"
#include "dalembert/study/sweep/study_output.h"

namespace dalembert {
namespace {

using sweeping::StudyColumn;
using sweeping::StudyHead;
using sweeping::StudyLine;

constexpr std::size_t kMostAcross = 200, kMostUp = 150;  // cells of a map
constexpr std::size_t kMostLines = 7;

enum class PlotKind { kMap, kLines, kHistogram, kPoints };

// A column that is drawn; its number is that of the study's columns, or one more for `error`.
struct PlotColumn {
  std::size_t number = 0;
  std::string name, unit;
  double scale = 1;  // of what is shown to what is in the file
  RichText label() const { return with_unit(typeset_symbol(name), unit); }
};

struct PlotChoice {
  PlotKind kind = PlotKind::kHistogram;
  PlotColumn measure;
  std::vector<PlotColumn> axes;  // to the right, then up, or the quantity whose values have lines of their own
};

struct PlotRun {
  double value = 0;
  std::array<double, 2> at{};  // on each axis
  bool failed = false, doubtful = false;
};

Diagnostic plot_problem(std::string message, std::string help) {
  Diagnostic problem = error("E0403", std::move(message));
  problem.help.push_back(std::move(help));
  return problem;
}

Result<PlotColumn> find_column(const StudyHead& head, const std::string& path, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < head.columns.size(); ++k) {
    names.push_back(head.columns[k].name);
    if (names.back() == name) return PlotColumn{k, name, head.columns[k].unit};
  }
  if (name == "error") return PlotColumn{names.size(), name, ""};
  names.emplace_back("error");
  Diagnostic problem = error("E0412", fmt::format("`{}` has no column `{}`", path, name));
  if (const auto near = nearest(name, names)) problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  problem.help.push_back("it has " + join_words(names));
  return problem;
}

// What is drawn, and along which axes.
class PlotChooser {
 public:
  PlotChooser(const StudyHead& head, const std::string& path, const StudyPlotRequest& request)
      : head_(head), path_(path), request_(request) {}

  Result<PlotChoice> choose() {
    for (const StudyColumn& column : head_.columns) {
      stated_ = stated_ || column.kind != StudyColumn::Kind::kMeasure;
      if (column.kind == StudyColumn::Kind::kVaried && column.count > 1) varied_.push_back(column.name);
    }
    if (Diagnostics problems = add(request_.measure); !problems.empty()) return problems;
    choice_.measure = choice_.axes.front();
    choice_.axes.clear();
    if (request_.y && !request_.x) return plot_problem("`-y` without `-x` makes no map", "-x NAME -y NAME");
    Diagnostics problems = request_.x ? choose_asked() : choose_varied();
    if (!problems.empty()) return problems;
    if ((request_.logarithmic || request_.range) && choice_.kind != PlotKind::kMap && choice_.kind != PlotKind::kLines)
      return plot_problem(fmt::format("`{}` is for maps and lines", request_.logarithmic ? "--log-y" : "--y-range"),
                          "leave it out");
    return choice_;
  }

 private:
  bool is_varied(const std::string& name) const { return std::ranges::find(varied_, name) != varied_.end(); }

  Diagnostics add(const std::string& name) {
    Result<PlotColumn> column = find_column(head_, path_, name);
    if (!column) return column.diagnostics();
    choice_.axes.push_back(*std::move(column));
    return {};
  }

  Diagnostics choose_asked() {
    if (Diagnostics problems = add(*request_.x); !problems.empty()) return problems;
    if (request_.y) {
      choice_.kind = PlotKind::kMap;
      if (Diagnostics problems = add(*request_.y); !problems.empty()) return problems;
      for (const PlotColumn& axis : choice_.axes)
        if (stated_ && !is_varied(axis.name))
          return {plot_problem(fmt::format("`{}` is not varied on a grid, so it has no cells", axis.name),
                               fmt::format("leave out `-y`: `-x {}` draws points", axis.name))};
      if (*request_.x != *request_.y) return {};
      return {plot_problem(fmt::format("`{}` is on both axes", *request_.x), "-x and -y take two quantities")};
    }
    choice_.kind = is_varied(*request_.x) ? PlotKind::kLines : PlotKind::kPoints;
    if (choice_.kind == PlotKind::kLines && varied_.size() == 2)
      return add(varied_[0] == *request_.x ? varied_[1] : varied_[0]);
    return {};
  }

  Diagnostics choose_varied() {
    if (!stated_)
      return {plot_problem(fmt::format("no `{}.log` says what was varied in `{}`", path_, path_),
                           "-x NAME -y NAME draw a map, -x NAME draws points; or bring the log")};
    if (varied_.size() > 2)
      return {plot_problem(fmt::format("{} are varied, and a map has two axes", join_words(varied_)),
                           fmt::format("-x {} -y {} draws means over the others", varied_[0], varied_[1]))};
    choice_.kind = varied_.empty() ? PlotKind::kHistogram : varied_.size() == 1 ? PlotKind::kLines : PlotKind::kMap;
    for (const std::string& name : varied_)
      if (Diagnostics problems = add(name); !problems.empty()) return problems;
    return {};
  }

  const StudyHead& head_;
  const std::string& path_;
  const StudyPlotRequest& request_;
  bool stated_ = false;  // whether the file says which columns are quantities
  std::vector<std::string> varied_;
  PlotChoice choice_;
};

// Shows angles in degrees; E0403 if there are none.
Diagnostics choice_in_degrees(PlotChoice& choice) {
  bool any = false;
  const auto turn = [&](PlotColumn& column) {
    auto unit = unit_in_degrees(column.unit);
    if (!unit) return;
    column.unit = *std::move(unit);
    column.scale = kDegreesPerRadian;
    any = true;
  };
  turn(choice.measure);
  for (PlotColumn& axis : choice.axes) turn(axis);
  if (any) return {};
  return {plot_problem("`--degrees` has nothing to change: nothing in the figure is known to be an angle",
                       "leave it out; the .log beside a study, or its .nc, has the units")};
}

// How many runs there are of each kind, and what their numbers are.
struct PlotCounts {
  std::int64_t runs = 0, failed = 0, doubtful = 0, missing = 0;
  double low = INFINITY, high = -INFINITY, sum = 0;
  std::int64_t with_value() const { return runs - failed - missing; }
  double mean() const { return sum / static_cast<double>(with_value()); }

  void add(const PlotRun& run) {
    ++runs;
    if (run.failed) ++failed;
    if (run.doubtful) ++doubtful;
    if (run.failed) return;
    if (!std::isfinite(run.value)) {
      ++missing;
      return;
    }
    low = std::min(low, run.value);
    high = std::max(high, run.value);
    sum += run.value;
  }
};

std::string runs_text(std::int64_t count) { return counted(static_cast<int>(count), "run", "runs"); }

// The quantile of sorted numbers, linear between them.
double quantile_of(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  if (k + 1 >= sorted.size()) return sorted.back();
  return sorted[k] + (at - static_cast<double>(k)) * (sorted[k + 1] - sorted[k]);
}

// The values of an axis, ascending, in groups if there are more than `most`.
struct GroupedAxis {
  std::vector<double> middles;
  std::map<double, std::size_t> group;

  GroupedAxis(const std::vector<PlotRun>& runs, std::size_t axis, std::size_t most) {
    for (const PlotRun& run : runs) group.emplace(run.at[axis], 0);
    const std::size_t size = (group.size() + most - 1) / most;
    std::size_t k = 0;
    double first = 0;
    for (auto& [value, number] : group) {
      number = k++ / size;
      if (number == middles.size()) middles.push_back(first = value);
      middles[number] = first + (value - first) / 2;
    }
  }
};

class StudyPicture {
 public:
  StudyPicture(const StudyHead& head, const StudyPlotRequest& request, PlotChoice choice, std::vector<PlotRun> runs)
      : head_(head), request_(request), choice_(std::move(choice)), runs_(std::move(runs)) {
    if (request.range) window_ = {(*request.range)[0], (*request.range)[1], request.logarithmic};
    for (const PlotRun& run : runs_) counts_.add(run);
  }
  const PlotCounts& counts() const { return counts_; }
  std::string svg() const;
  Json json(const std::string& path) const;

 private:
  std::string map() const;
  std::string lines() const;
  void add_marks(const std::vector<double>& shown, ChartPanel& panel, std::vector<std::string>& notes) const;
  void add_quantiles(std::vector<std::vector<double>>& store, ChartPanel& panel) const;
  std::string histogram() const;
  std::string points() const;

  std::string title() const {
    std::string text = choice_.measure.name;
    for (std::size_t k = 0; k < choice_.axes.size(); ++k) text += (k == 0 ? " over " : " and ") + choice_.axes[k].name;
    return head_.model.empty() ? text : fmt::format("{}: {}", head_.model, text);
  }
  std::string description() const {
    const std::string unit = unit_suffix(choice_.measure.unit);
    return fmt::format("{}: {} from {}{} to {}{}; {} failed, {} verdicts do not hold.", runs_text(counts_.runs),
                       choice_.measure.name, to_text(counts_.low, 5), unit, to_text(counts_.high, 5), unit,
                       counts_.failed, counts_.doubtful);
  }
  std::string failed_text() const { return "failed: " + runs_text(counts_.failed); }
  std::string doubtful_text() const { return "verdict does not hold: " + runs_text(counts_.doubtful); }
  std::string missing_text() const { return "without a value: " + runs_text(counts_.missing); }

  const StudyHead& head_;
  const StudyPlotRequest& request_;
  PlotChoice choice_;
  std::vector<PlotRun> runs_;
  std::optional<AxisRange> window_;  // of the measure
  PlotCounts counts_;
};

std::string StudyPicture::map() const {
  const GroupedAxis x(runs_, 0, kMostAcross), y(runs_, 1, kMostUp);
  HeatMap map{title(),
              description(),
              choice_.axes[0].label(),
              choice_.axes[1].label(),
              choice_.measure.label(),
              x.middles,
              y.middles,
              {},
              {},
              request_.logarithmic,
              window_};
  if (request_.logarithmic && counts_.low < 0) map.value_label.insert(map.value_label.begin(), {"magnitude of "});
  map.cells.assign(map.x.size() * map.y.size(), {NAN, false, false});
  std::vector<std::int64_t> count(map.cells.size());
  for (const PlotRun& run : runs_) {
    const std::size_t k = y.group.at(run.at[1]) * map.x.size() + x.group.at(run.at[0]);
    MapCell& cell = map.cells[k];
    cell.failed = cell.failed || run.failed;
    cell.doubtful = cell.doubtful || run.doubtful;
    if (!run.failed && std::isfinite(run.value)) cell.value = (count[k]++ == 0 ? 0 : cell.value) + run.value;
  }
  for (std::size_t k = 0; k < count.size(); ++k) map.cells[k].value /= static_cast<double>(count[k]);
  const auto some = [&](auto&& is) { return std::ranges::any_of(map.cells, is); };
  using Mark = LegendEntry::Mark;
  if (some([](const MapCell& cell) { return cell.failed && !std::isfinite(cell.value); }))
    map.legend.push_back({Mark::kHatched, failed_text()});
  if (some([](const MapCell& cell) { return cell.failed && std::isfinite(cell.value); }))
    map.legend.push_back({Mark::kCross, map.legend.empty() ? failed_text() : "some failed"});
  if (counts_.doubtful > 0) map.legend.push_back({Mark::kRing, doubtful_text()});
  if (counts_.missing > 0) map.legend.push_back({Mark::kNone, missing_text()});
  if (const auto [least, most] = std::ranges::minmax(count); most > 1)
    map.legend.push_back(
        {Mark::kNone, fmt::format("cells are means of {}{} runs", least < most ? "up to " : "", most)});
  return draw_heat_map(map);
}

// The lines of quantiles where several runs are at each place.
void StudyPicture::add_quantiles(std::vector<std::vector<double>>& store, ChartPanel& panel) const {
  std::map<double, std::vector<double>> at;
  for (const PlotRun& run : runs_)
    if (std::vector<double>& there = at[run.at[0]]; !run.failed && std::isfinite(run.value)) there.push_back(run.value);
  std::vector<double>& x = store.emplace_back();
  for (auto& [value, numbers] : at) {
    x.push_back(value);
    std::ranges::sort(numbers);
  }
  for (const auto& [p, name] : {std::pair{0.95, "95 %"}, std::pair{0.5, "median"}, std::pair{0.05, "5 %"}}) {
    std::vector<double>& y = store.emplace_back();
    for (const auto& [value, numbers] : at) y.push_back(numbers.empty() ? NAN : quantile_of(numbers, p));
    panel.curves.push_back({store[0], y, {{name}}});
  }
}

// Marks in the lines that are shown, and what they mean.
void StudyPicture::add_marks(const std::vector<double>& shown, ChartPanel& panel,
                             std::vector<std::string>& notes) const {
  std::set<double> crosses;
  for (const PlotRun& run : runs_) {
    if (std::ranges::find(shown, run.at[1]) == shown.end()) continue;
    if (run.doubtful) panel.marks.push_back({run.at[0], run.value});
    if (run.failed && crosses.insert(run.at[0]).second) panel.marks.push_back({run.at[0], NAN});
  }
  if (counts_.failed > 0) notes.push_back("× " + failed_text());
  if (counts_.doubtful > 0) notes.push_back("○ " + doubtful_text());
  if (counts_.missing > 0) notes.push_back(missing_text());
}

std::string StudyPicture::lines() const {
  Chart chart;
  chart.title = title();
  chart.description = description();
  chart.x_label = choice_.axes[0].label();
  chart.log_y = request_.logarithmic;
  chart.y_window = window_;
  ChartPanel& panel = chart.panels.emplace_back();
  panel.label = panel.shorter = choice_.measure.label();
  // A line for each value of the second quantity, or for a few of them.
  std::map<double, std::map<double, std::pair<double, std::int64_t>>> lines;
  for (const PlotRun& run : runs_) {
    auto& [sum, count] = lines[run.at[1]][run.at[0]];
    if (run.failed || !std::isfinite(run.value)) continue;
    sum += run.value;
    ++count;
  }
  std::int64_t most = 1;
  for (const auto& [value, line] : lines)
    for (const auto& [x, sum] : line) most = std::max(most, sum.second);
  std::vector<double> shown;
  for (const auto& [value, line] : lines) shown.push_back(value);
  std::vector<std::string> notes;
  if (const std::size_t all = shown.size(); all > kMostLines) {
    std::vector<double> few;
    for (std::size_t k = 0; k < kMostLines; ++k) few.push_back(shown[k * (all - 1) / (kMostLines - 1)]);
    shown = few;
    notes.push_back(fmt::format("{} of {} values of {}", kMostLines, all, choice_.axes[1].name));
  }
  std::vector<std::vector<double>> store;
  store.reserve(2 * kMostLines);
  if (choice_.axes.size() == 1 && most > 1) {
    add_quantiles(store, panel);
  } else {
    for (const double value : shown) {
      std::vector<double>&x = store.emplace_back(), &y = store.emplace_back();
      for (const auto& [place, sum] : lines[value]) {
        x.push_back(place);
        y.push_back(sum.second == 0 ? NAN : sum.first / static_cast<double>(sum.second));
      }
      RichText name;
      if (choice_.axes.size() > 1) {
        name = typeset_symbol(choice_.axes[1].name);
        const std::string unit = choice_.axes[1].unit;
        name.push_back({" = " + figure_number(value, 4) + (unit.empty() ? "" : " " + typeset_unit(unit))});
      }
      panel.curves.push_back({x, y, name});
    }
    if (most > 1) notes.push_back(fmt::format("means of {} runs", most));
  }
  add_marks(shown, panel, notes);
  chart.note = fmt::format("{}", fmt::join(notes, "; "));
  return draw_chart(chart).svg;
}

std::string StudyPicture::histogram() const {
  Histogram histogram{title(), description(), choice_.measure.label(), {}, {}, {}};
  std::vector<double> sorted;
  for (const PlotRun& run : runs_) {
    if (run.failed || !std::isfinite(run.value)) continue;
    (run.doubtful ? histogram.doubtful : histogram.numbers).push_back(run.value);
    sorted.push_back(run.value);
  }
  std::ranges::sort(sorted);
  double squares = 0;
  for (const double value : sorted) squares += (value - counts_.mean()) * (value - counts_.mean());
  const double deviation = sorted.size() > 1 ? std::sqrt(squares / static_cast<double>(sorted.size() - 1)) : 0;
  using Mark = LegendEntry::Mark;
  // Two entries, of which the second one begins a row where the numbers are long.
  histogram.legend.push_back(
      {Mark::kNone, fmt::format("{}: mean {}, standard deviation {}", runs_text(std::ssize(sorted)),
                                figure_number(counts_.mean(), 5), figure_number(deviation, 3))});
  histogram.legend.push_back(
      {Mark::kNone, fmt::format("90 % from {} to {}", figure_number(quantile_of(sorted, 0.05), 5),
                                figure_number(quantile_of(sorted, 0.95), 5))});
  if (counts_.doubtful > 0) histogram.legend.push_back({Mark::kHatchedBar, doubtful_text()});
  if (counts_.failed > 0) histogram.legend.push_back({Mark::kNone, failed_text()});
  if (counts_.missing > 0) histogram.legend.push_back({Mark::kNone, missing_text()});
  return draw_histogram(histogram);
}

std::string StudyPicture::points() const {
  PointCloud cloud{title(), description(), choice_.axes[0].label(), choice_.measure.label(), {}, {}, {}, {}};
  for (const PlotRun& run : runs_) {
    if (!run.failed && !std::isfinite(run.value)) continue;
    cloud.x.push_back(run.at[0]);
    cloud.y.push_back(run.failed ? NAN : run.value);
    cloud.doubtful.push_back(run.doubtful);
  }
  using Mark = LegendEntry::Mark;
  if (counts_.failed > 0) cloud.legend.push_back({Mark::kCross, failed_text()});
  if (counts_.doubtful > 0) cloud.legend.push_back({Mark::kRing, doubtful_text()});
  if (counts_.missing > 0) cloud.legend.push_back({Mark::kNone, missing_text()});
  return draw_point_cloud(cloud);
}

std::string StudyPicture::svg() const {
  switch (choice_.kind) {
    case PlotKind::kMap:
      return map();
    case PlotKind::kLines:
      return lines();
    case PlotKind::kHistogram:
      return histogram();
    case PlotKind::kPoints:
      return points();
  }
  return "";
}

Json StudyPicture::json(const std::string& path) const {
  static constexpr const char* kKinds[] = {"map", "lines", "histogram", "points"};
  const auto axis = [&](std::size_t k) { return k < choice_.axes.size() ? Json(choice_.axes[k].name) : Json(); };
  return {{"file", nullptr},
          {"study", path},
          {"model", text_or_null(head_.model)},
          {"kind", kKinds[static_cast<std::size_t>(choice_.kind)]},
          {"measure", choice_.measure.name},
          {"unit", text_or_null(choice_.measure.unit)},
          {"x", axis(0)},
          {"y", axis(1)},
          {"runs", counts_.runs},
          {"failed", counts_.failed},
          {"not_holding", counts_.doubtful},
          {"without_value", counts_.missing},
          {"min", counts_.low},
          {"max", counts_.high},
          {"mean", counts_.mean()}};
}

}  // namespace

Result<StudyPlot> plot_study(const sweeping::StudySource& study, const StudyPlotRequest& request) {
  const std::string& path = study.name();
  StudyHead head;
  Result<PlotChoice> choice = Diagnostics{};
  std::vector<PlotRun> runs;
  Diagnostics problems = study.visit(
      [&](const StudyHead& given) {
        head = given;
        choice = PlotChooser(head, path, request).choose();
        if (!choice || !request.degrees) return;
        if (Diagnostics none = choice_in_degrees(*choice); !none.empty()) choice = std::move(none);
      },
      [&](const StudyLine& line) {
        if (!choice) return false;
        const auto value = [&](const PlotColumn& column) {
          return column.scale * (column.number < line.values.size() ? line.values[column.number] : line.error);
        };
        PlotRun& run = runs.emplace_back();
        run.value = value(choice->measure);
        for (std::size_t k = 0; k < choice->axes.size(); ++k) run.at[k] = value(choice->axes[k]);
        run.failed = line.status == "failed";
        run.doubtful = !run.failed && !line.holds;
        // A run without a place has none in the picture.
        if (!std::ranges::all_of(run.at, [](double at) { return std::isfinite(at); })) runs.pop_back();
        return true;
      });
  if (!problems.empty()) return problems;
  if (!choice) return choice.diagnostics();
  const std::string measure = choice->measure.name;
  const StudyPicture picture(head, request, *std::move(choice), std::move(runs));
  const PlotCounts& counts = picture.counts();
  if (counts.with_value() == 0)
    return error("E0502", fmt::format("`{}` has no value in any run of `{}`", measure, path));
  if (request.logarithmic && counts.low == 0 && counts.high == 0)
    return error("E0403", fmt::format("`--log-y` cannot show `{}`: it is 0", measure));
  return StudyPlot{picture.svg(), picture.json(path)};
}

}  // namespace dalembert

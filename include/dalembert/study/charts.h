// SPDX-License-Identifier: Apache-2.0
// Charts: series of one or several runs, those that a name or pattern matches (figure/chart.h), and the phase plane of a motion with two states
// (figure/figure.h).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/run_files.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

struct NamedRun {
  std::string name;        ///< the path of its file, or another name
  Table table;             ///< with units of each series; empty if unknown
  std::string label = {};  ///< name in figures; empty: `name`, or the file name of a path
  const std::string& unit(std::size_t series) const { return table.units[series]; }
};

/// Adds units of series that have the same unit in every run (time, energies), where the table has none.
void add_known_units(Table& table);
/// The same for the series of a model with these names and units; units that are there stay.
void add_units_of(const Names& names, Table& table);

/// E0521 if the run lacks a coordinate of the model, because it is a run of another model.
Diagnostics check_run_of(const NamedRun& run, const Names& names);

/// Splits "lambda.pin.x, lambda.*" at commas outside brackets.
std::vector<std::string> split_names(const std::string& asked);
/// The series that a name or pattern (with * and ?) matches, in the order of the run. Errors: E0412, with the nearest
/// name, if there is none or if a short name is ambiguous.
Result<std::vector<std::size_t>> find_series_of(const NamedRun& run, const std::string& asked);

struct Chart;  // figure/chart.h

struct ChartRequest {
  /// Names and patterns of the series drawn; if empty, a few series of each unit.
  std::vector<std::string> y = {};
  std::optional<std::string> x = {};       ///< name of the series along the horizontal axis; default: time
  std::optional<std::string> phase = {};   ///< "X,Y": a series along each axis; replaces `x` and `y`
  bool log_y = false, mark_peaks = false;  ///< options of the same names in Chart
  std::optional<std::array<double, 2>> x_range = {}, y_range = {};
  bool degrees = false;  ///< shows rad, rad/s … in degrees; ranges are then in degrees, too
};

/// One series, present in every run.
struct ChartSeries {
  std::string name, unit;
  std::vector<std::size_t> column;  ///< column of the series in each run
};

struct ChartSelection {
  std::vector<NamedRun> runs;
  std::vector<std::string> labels;  ///< names of the runs: file names, or paths if these coincide
  ChartSeries x;
  std::vector<ChartSeries> y;
  std::size_t left_out = 0;  ///< series for which the default selection has no room
};

/// Selects series. `runs` must not be empty. Errors: E0412 for unknown names, E0403 for series that do not fit into one
/// figure, or if degrees are asked for and no series is known to be an angle; E0502 for a run that contains only its
/// time.
Result<ChartSelection> select_series(std::vector<NamedRun> runs, const ChartRequest& request);

/// Error E0502 or E0403 if a series has no value to draw; warning W0312 if it has gaps.
Diagnostics look_for_gaps(const ChartSelection& selection, bool logarithmic);

/// Makes the chart. `apart`: each series has its own panel; otherwise series with the same unit share one. The chart
/// refers to the numbers of `selection`.
Chart make_chart(const ChartSelection& selection, const ChartRequest& request, bool apart);

/// The chart as an SVG document.
std::string chart_svg(const Chart& chart);
/// Makes the chart of the selected series and draws it as an SVG document.
std::string chart_svg(const ChartSelection& selection, const ChartRequest& request, bool apart = false);

/// The output of `plot --json`, with "file" null.
Json chart_json(const ChartSelection& selection, const Chart& chart);

struct PhasePlotOptions {
  /// Names of the horizontal and the vertical state, "theta,theta'"; default: as found.
  std::optional<std::string> states = {};
  /// Visible ranges of both states, SI; default: equilibria and start.
  std::optional<std::array<double, 2>> right = {}, up = {};
  /// Shows states in rad and rad/s in degrees; their ranges are then in degrees, too. The JSON stays in SI.
  bool degrees = false;
};

struct PhasePlot {
  std::string svg;
  Json json;  ///< output of `plot --phase --json`, with "file" null
};

/// Errors: E0310 if the motion does not have exactly two states or depends on time, E0403 for other names and for
/// degrees of what is no angle, and those of linearize().
Result<PhasePlot> plot_phase(SystemAt given, const PhasePlotOptions& options);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Series of one run or several as a chart (figure/chart.h): which, what they are called, which share a panel.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/figure/chart.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/run_series.h"

namespace dalembert {

struct ChartRequest {
  std::vector<std::string> y = {};         ///< names and patterns; none: a few of each kind
  std::optional<std::string> x = {};       ///< else the time
  std::optional<std::string> phase = {};   ///< "X,Y", instead of both
  bool log_y = false, mark_peaks = false;  ///< see Chart
  std::optional<std::array<double, 2>> x_range = {}, y_range = {};
};

/// A series in every run.
struct ChartSeries {
  std::string name, unit;
  std::vector<std::size_t> column;  ///< of each run
};

struct ChartSelection {
  std::vector<NamedRun> runs;
  std::vector<std::string> labels;  ///< of the runs: the file's name, or the path where these are the same
  ChartSeries x;
  std::vector<ChartSeries> y;
  std::size_t left_out = 0;  ///< series that a figure of everything has no room for
};

/// `runs` has one at least. Errors: E0412 for names, E0403 for what cannot be in one figure, E0502 for a run that holds
/// nothing else than its time.
Result<ChartSelection> select_series(std::vector<NamedRun> runs, const ChartRequest& request);

/// An error E0502 or E0403 where there is nothing to be drawn of a series, else W0312 where there are gaps.
Diagnostics look_for_gaps(const ChartSelection& selection, bool logarithmic);

/// `apart`: each series has a panel of its own; else those of one unit share it. It looks at the numbers of the selection.
Chart make_chart(const ChartSelection& selection, const ChartRequest& request, bool apart);

/// What `plot --json` prints, "file" null.
Json chart_json(const ChartSelection& selection, const Chart& chart);

}  // namespace dalembert

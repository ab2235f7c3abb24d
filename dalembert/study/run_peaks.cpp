// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/run_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/dynamics/output_names.h"
#include "dalembert/store/json_parts.h"

namespace dalembert {
namespace {

std::string at_or_empty(const std::vector<std::string>& list, std::size_t i) { return i < list.size() ? list[i] : ""; }

}  // namespace

void RunPeaks::add(const Trajectory& run) {
  const auto groups = {&run.lambda, &run.friction, &run.outputs};
  if (extremes_.empty()) extremes_.resize(run.lambda.size() + run.friction.size() + run.outputs.size());
  for (; seen_ < run.rows_of_run(); ++seen_) {
    const std::size_t row = seen_ == 0 ? 0 : seen_ - run.forgotten;
    std::size_t at = 0;
    for (const auto* group : groups)
      for (const std::vector<double>& series : *group) {
        Extremes& extremes = extremes_[at++];
        const double value = series[row];
        if (!std::isfinite(value)) continue;
        if (!extremes.any || value < extremes.min) {
          extremes.min = value;
          extremes.t_min = run.time[row];
        }
        if (!extremes.any || value > extremes.max) {
          extremes.max = value;
          extremes.t_max = run.time[row];
        }
        extremes.any = true;
      }
  }
}

std::vector<RunPeaks::Line> RunPeaks::lines(const Trajectory& run) const {
  const Names& names = run.names;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < extremes_.size(); ++i) {
    if (!extremes_[i].any) continue;
    std::size_t k = i;
    Line line{{}, {}, extremes_[i], kNoRow};
    if (k < run.lambda.size()) {
      const bool driven = k >= names.constraint_rows();
      line.name = fmt::format("{}/{}", driven ? "F" : "lambda", at_or_empty(names.rows, k));
      line.unit = at_or_empty(names.lambda_units, k);
      if (!driven) line.row = k;
    } else if ((k -= run.lambda.size()) < run.friction.size()) {
      line.name = "friction/" + at_or_empty(names.frictions, k);
      line.unit = at_or_empty(names.friction_units, k);
    } else {
      k -= run.friction.size();
      // Velocities with names of their own are kept among the outputs.
      if (is_series_name(at_or_empty(names.outputs, k))) continue;
      line.name = "output/" + at_or_empty(names.outputs, k);
      line.unit = at_or_empty(names.output_units, k);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Json RunPeaks::json(const Trajectory& run) const {
  Json peaks = Json::object();
  for (const Line& line : lines(run))
    peaks.append(line.name, {{"min", line.extremes.min},
                             {"t_min", line.extremes.t_min},
                             {"max", line.extremes.max},
                             {"t_max", line.extremes.t_max},
                             {"unit", text_or_null(line.unit)}});
  return peaks;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/run_peaks.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

std::vector<PeakLine> peak_lines(const Trajectory& run) {
  const Names& names = run.names;
  std::vector<PeakLine> lines;
  for (std::size_t i = 0; i < run.peaks.size(); ++i) {
    if (!run.peaks[i].any) continue;
    std::size_t k = i;
    PeakLine line{{}, {}, run.peaks[i], PeakLine::kNoRow};
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
      // Quasi-velocities are stored among the outputs; they are skipped here.
      if (is_series_name(at_or_empty(names.outputs, k))) continue;
      line.name = "output/" + at_or_empty(names.outputs, k);
      line.unit = at_or_empty(names.output_units, k);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Json run_peaks_json(const Trajectory& run) {
  Json peaks = Json::object();
  for (const PeakLine& line : peak_lines(run)) {
    Json one = {{"min", line.extremes.min},
                {"t_min", line.extremes.t_min},
                {"max", line.extremes.max},
                {"t_max", line.extremes.t_max},
                {"unit", text_or_null(line.unit)}};
    if (!std::isnan(line.extremes.t_turn)) one.append("sign_changes_at", line.extremes.t_turn);
    peaks.append(line.name, std::move(one));
  }
  return peaks;
}

}  // namespace dalembert

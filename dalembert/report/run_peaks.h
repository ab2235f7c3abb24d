// SPDX-License-Identifier: Apache-2.0
// Extremes of every multiplier, actuation, friction and output of a run, by which parts are sized.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

struct PeakLine {
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
  std::string name, unit;  ///< name of the series, such as "lambda/pin[1]", and its unit
  Extremes extremes;
  std::size_t row = kNoRow;  ///< number of the constraint row; kNoRow for other series
};

/// The extremes of each series that had a finite value, from Trajectory::peaks.
std::vector<PeakLine> peak_lines(const Trajectory& run);

/// Peaks by series: {"lambda/pin[1]": {"min", "t_min", "max", "t_max", "unit"}}.
Json run_peaks_json(const Trajectory& run);

}  // namespace dalembert

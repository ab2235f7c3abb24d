// SPDX-License-Identifier: Apache-2.0
// Where every multiplier, actuation, friction and output of a run is smallest and largest: what parts are sized by.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

struct PeakLine {
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
  std::string name, unit;  ///< "lambda/pin[1]"
  Extremes extremes;
  std::size_t row = kNoRow;  ///< of the constraints; of others kNoRow
};

/// Of each series that had a number, from Trajectory::peaks.
std::vector<PeakLine> peak_lines(const Trajectory& run);

/// {"lambda/pin[1]": {"min", "t_min", "max", "t_max", "unit"}}
Json run_peaks_json(const Trajectory& run);

}  // namespace dalembert

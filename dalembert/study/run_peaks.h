// SPDX-License-Identifier: Apache-2.0
// Where every multiplier, actuation, friction and output of a run is smallest and largest: what parts are sized by.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// Looks at the output rows of a run as they come, before they are forgotten (IntegrateOptions::take_rows).
class RunPeaks {
 public:
  /// The rows that are new. Allocates on the first call alone.
  void add(const Trajectory& run);

  struct Extremes {
    double min = 0, t_min = 0, max = 0, t_max = 0;
    bool any = false;
  };
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
  struct Line {
    std::string name, unit;
    Extremes extremes;  ///< values that are no numbers are left out of account
    std::size_t row;    ///< of the constraints; of others kNoRow
  };
  /// Of each series that had a number.
  std::vector<Line> lines(const Trajectory& run) const;
  /// {"lambda/pin[1]": {"min", "t_min", "max", "t_max", "unit"}}
  Json json(const Trajectory& run) const;

 private:
  std::size_t seen_ = 0;            // rows of the run
  std::vector<Extremes> extremes_;  // of the rows of W, frictions, outputs
};

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Where every multiplier, actuation, friction and output of a run is smallest and largest: what parts are sized by.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/json_value.h"

namespace dalembert::app {

/// Looks at the output rows of a run as they come, before they are forgotten (IntegrateOptions::take_rows).
class RunPeaks {
 public:
  /// The rows that are new. Allocates on the first call alone.
  void add(const Trajectory& run);

  /// {"lambda/pin[1]": {"min", "t_min", "max", "t_max", "unit"}}; values that are no numbers are left out of account.
  Json json(const Trajectory& run) const;
  /// A table of at most `limit` rows, with what each multiplier is (report/multipliers.h). Empty without any series.
  std::string text(const Trajectory& run, const Equations& equations, std::size_t limit = 12) const;

 private:
  struct Extremes {
    double min = 0, t_min = 0, max = 0, t_max = 0;
    bool any = false;
  };
  struct Line {
    std::string name, unit;
    Extremes extremes;
    std::size_t row;  // of the constraints; of others none
  };
  std::vector<Line> lines(const Trajectory& run) const;

  std::size_t seen_ = 0;            // rows of the run
  std::vector<Extremes> extremes_;  // of the rows of W, frictions, outputs
};

}  // namespace dalembert::app

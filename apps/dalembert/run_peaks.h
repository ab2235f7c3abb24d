// SPDX-License-Identifier: Apache-2.0
// The table of peaks at the end of the output of `simulate`.
#pragma once

#include <cstddef>
#include <string>

#include "dalembert/derive/equations.h"
#include "dalembert/report/run_peaks.h"

namespace dalembert::app {

/// At most `limit` rows, with the meaning of each multiplier (report/multipliers.h). Empty if there are no such series.
std::string peaks_text(const Trajectory& run, const Equations& equations, std::size_t limit = 12);

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// The table of peaks that `simulate` ends with.
#pragma once

#include <cstddef>
#include <string>

#include "dalembert/derive/equations.h"
#include "dalembert/report/run_peaks.h"

namespace dalembert::app {

/// At most `limit` rows, with what each multiplier is (report/multipliers.h). Empty without any series.
std::string peaks_text(const Trajectory& run, const Equations& equations, std::size_t limit = 12);

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// The table of peaks at the end of the output of `simulate`.
#pragma once

#include <cstddef>
#include <string>

#include "dalembert/derive/equations.h"
#include "dalembert/report/run_peaks.h"

namespace dalembert::app {

/// The table: a row for each multiplier, actuation, friction and output, at most `limit`, with the meaning of each
/// multiplier (report/equations_text.h). Empty if the run has none of these series.
std::string peaks_text(const Trajectory& run, const Equations& equations, std::size_t limit = 12);

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// The series of a run in a report document: all rows of a short run, the extremes of stretches of a long one.
#pragma once

#include "dalembert/derive/equations.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/run_files.h"

namespace dalembert {

/// Largest number of values in a document: 2 MB of text.
inline constexpr std::size_t kReportNumbers = 320'000;

/// {"rows", "kept", "decimated", "note", "time", "columns"}. A run with more than kReportNumbers values is divided into
/// stretches of rows. Each stretch becomes two rows, at the times of its first and last row: the smallest and the
/// largest value of each series, in their order in time. So every extreme is kept, shifted in time by at most one
/// stretch. O(rows · series).
Json series_json(const Table& run, const Equations& equations);

/// Minima and maxima of the multipliers, actuations, frictions and outputs of a run: [{"series", "min", "t_min", "max",
/// "t_max"}]. If `run` has searched for peaks between the rows (Trajectory::peaks), these are used, otherwise the rows.
/// `run` may be null.
Json peaks_json(const Table& rows, const Trajectory* run = nullptr);

/// Adds series "balance/…" that should be 0 and show how accurate the run is: |E − E₀ − work| in J, and |c − c₀| of
/// each other conserved quantity, where `run` still has all values. `run` may be null.
Table with_balances(Table rows, const Trajectory* run);

/// The LaTeX of a series: "\dot{\theta}" for v/theta, "\lambda_{\mathrm{pin,1}}" for lambda/pin[1].
std::string series_latex(const std::string& series, const Equations& equations);

}  // namespace dalembert

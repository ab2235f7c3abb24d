// SPDX-License-Identifier: Apache-2.0
// The series of a run in a report document: all rows of a short run, smallest and largest values of a long one.
#pragma once

#include "dalembert/derive/equations.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/table.h"

namespace dalembert {

/// Numbers that a document has room for: 2 MB of text.
inline constexpr std::size_t kReportNumbers = 320'000;

/// {"rows", "kept", "decimated", "note", "time", "columns"}. Beyond kReportNumbers a stretch of rows is two rows: the
/// smallest and the largest value of each series in it, in the order in which they come, at the times of the stretch's
/// first and last row. So every extreme is kept, up to half a stretch away from its time. O(rows · series).
Json series_json(const Table& run, const Equations& equations);

/// Where multipliers, actuations, frictions and outputs of a run are smallest and largest: [{"series", "min", "t_min",
/// "max", "t_max"}]. Of the rows, or of the run between them too, where it was looked at (Trajectory::peaks); it may be null.
Json peaks_json(const Table& rows, const Trajectory* run = nullptr);

/// The rows with what should be 0 in them and shows how far they can be trusted, as further series "balance/…": |E − E₀ −
/// work| in J, and |c − c₀| of what else is conserved, where the run still has all of it. `run` may be null.
Table with_balances(Table rows, const Trajectory* run);

/// What typesets a series: "\dot{\theta}" of v/theta, "\lambda_{\mathrm{pin,1}}" of lambda/pin[1].
std::string series_latex(const std::string& series, const Equations& equations);

}  // namespace dalembert

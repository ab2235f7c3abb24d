// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the error of the final state that a verdict names, by a second run.
#pragma once

#include <cstdint>

#include "dalembert/integrate/integrate_options.h"

namespace dalembert::integration {

/// Whether a second run may be made unasked: after so many evaluations it takes some tenths of a second.
bool was_little_work(const Dynamics& dynamics, std::int64_t evaluations);

/// The run again, with a hundredth of the tolerances, or a tenth where options.cross_check is set (half the step where it
/// is fixed; the other method where no smaller tolerance is allowed), and the differences as the error of `path`. False
/// when that run did not reach its end; `path` is left alone then, but for a warning where it was asked for or needed.
bool cross_check(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, Trajectory& path);

}  // namespace dalembert::integration

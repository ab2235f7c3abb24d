// SPDX-License-Identifier: Apache-2.0
// Private to integrate: estimates the error of the final state, which a verdict names, by a second run.
#pragma once

#include <cstdint>

#include "dalembert/integrate/integrate_options.h"

namespace dalembert::integration {

/// Whether a run took so little work that a second run, some tenths of a second, may be made unasked.
bool was_little_work(const Dynamics& dynamics, const Trajectory& path);

/// Repeats the run with a hundredth of the tolerances, or a tenth where options.cross_check is set (half the step where
/// it is fixed; the other method where no smaller tolerance is allowed). Takes the differences as the error of `path`.
/// False when the second run did not reach its end. Then `path` stays as it is, except for a warning if the second run
/// was asked for or needed.
bool cross_check(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, Trajectory& path);

}  // namespace dalembert::integration

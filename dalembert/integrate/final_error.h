// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the error of the final state that a verdict names, by the growth of the steps' errors
// (error_growth.h) or by a second run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/integrate/error_growth.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::integration {

/// What is named is this many times what (1) of error_growth.h gives: the embedded estimates stand for the errors of
/// steps in size, not in direction. Measured on random runs (tests/judge/judge_verdicts.py).
inline constexpr double kOverestimate = 10;
/// An error of more than this of the motion leaves no digit to trust.
inline constexpr double kDigitsLost = 0.1;
/// A coordinate's motion counts from this part of the largest one in the same unit.
inline constexpr double kMinorMotion = 1e-3;

/// Sizes of the motion, of y: how far q_i goes, max |v_i|. A coordinate that moves little beside others of its unit is
/// measured by these; one that rests has 0.
std::vector<double> motion_sizes(const Names& names, const ErrorGrowth& growth, double atol);

/// The error by growth; `made` is false where growth is not enabled. An error ε of the energy, relative to what moves,
/// makes the motion early or late by up to ε/2 of the `time` that the run took: it adds up in one direction, which
/// signs of single steps do not show.
FinalError error_by_growth(const Names& names, const ErrorGrowth& growth, double atol, double time,
                           double energy_error);

/// Whether a second run may be made unasked: after so many evaluations it takes some tenths of a second.
bool was_little_work(const Dynamics& dynamics, std::int64_t evaluations);

/// The run again, with a hundredth of the tolerances, or a tenth where options.cross_check is set (half the step where it
/// is fixed; the other method where no smaller tolerance is allowed), and the differences as the error of `path`. False
/// when that run did not reach its end; `path` is left alone then, but for a warning where it was asked for or needed.
bool cross_check(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, Trajectory& path);

/// Takes the error into the verdict: whether it holds, and the reasons.
void judge_error(Verdict& verdict);

}  // namespace dalembert::integration

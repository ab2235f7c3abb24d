// SPDX-License-Identifier: Apache-2.0
// Private to integrate: estimates the error of the final state, which a verdict names, by the growth of the steps'
// errors (error_growth.h). cross_check.h estimates it by a second run.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/integrate/error_growth.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert::integration {

/// Sizes of the motion, by component of y: max q_i − min q_i, max |v_i|. A component that moves little compared with
/// others of its unit gets a fraction of their size; one that rests has 0.
std::vector<double> motion_sizes(const ErrorGrowth& growth, double atol);

/// Fills `error` from the |errors| of all components, the first n of them coordinates, and the sizes of the motion. The
/// worst coordinate is the one with the largest entry of `order` relative to its motion.
void summarize_errors(const Names& names, std::size_t n, const std::vector<double>& sizes,
                      const std::vector<double>& errors, const std::vector<double>& order, FinalError& error);

/// The error by growth, with the sizes of the motion; FinalError::estimated is false where growth is not enabled. A relative energy error ε makes the
/// motion early or late by up to ε/2 of the `time` that the run covers. This error adds up in one direction, which the
/// errors of single steps do not show.
FinalError error_by_growth(const Names& names, const ErrorGrowth& growth, const std::vector<double>& sizes, double time,
                           double energy_error);

/// Makes the verdict fail, with a reason, if its error is too large.
void judge_error(Verdict& verdict);

}  // namespace dalembert::integration

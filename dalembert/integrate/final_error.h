// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the error of the final state that a verdict names, by the growth of the steps' errors
// (error_growth.h); by a second run: cross_check.h.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/integrate/error_growth.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert::integration {

/// Sizes of the motion, of y: how far q_i goes, max |v_i|. A coordinate that moves little beside others of its unit is
/// measured by these; one that rests has 0.
std::vector<double> motion_sizes(const Names& names, const ErrorGrowth& growth, double atol);

/// From |errors| of all components, the first n of coordinates, and the sizes of the motion to what a verdict says. The worst
/// coordinate is that of the largest `order`, relative to its motion.
void summarize_errors(const Names& names, std::size_t n, const std::vector<double>& sizes,
                      const std::vector<double>& errors, const std::vector<double>& order, FinalError& error);

/// The error by growth; `made` is false where growth is not enabled. An error ε of the energy, relative to what moves,
/// makes the motion early or late by up to ε/2 of the `time` that the run took: it adds up in one direction, which
/// signs of single steps do not show.
FinalError error_by_growth(const Names& names, const ErrorGrowth& growth, double atol, double time,
                           double energy_error);

/// Takes the error into the verdict: whether it holds, and the reasons.
void judge_error(Verdict& verdict);

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// What of a linearisation in axes that turn with the motion does not turn with them.
//
// At a motion that symmetries turn (LinearMotion::turning) A is constant in time in turning axes, as the flow commutes
// with the turns. A column of B is so only if the input's force turns with the motion, a row of C only if its output
// stays the same where the whole system is turned. Both are compared at states along the motion and beside it.
#pragma once

#include <vector>

#include "dalembert/analyze/stability/steady_system.h"

namespace dalembert {

/// One flag for each input: whether its force does not turn with the motion at the rates of the symmetries.
std::vector<bool> inputs_that_stay(const SteadySystem& system, const MotionPoint& at, const std::vector<double>& rates);
/// One flag for each output: whether turning the whole system changes its value.
std::vector<bool> outputs_that_change(const SteadySystem& system, const MotionPoint& at,
                                      const std::vector<double>& rates);

}  // namespace dalembert

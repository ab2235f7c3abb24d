// SPDX-License-Identifier: Apache-2.0
// Private to integrate: runs of one system with other parameters and starts, several at once. Each takes the steps that it would take alone,
// with the same bits; the steps of all are made together in lanes (lane_steps.h), and where a run ends another one takes its lane.
#pragma once

#include <cstddef>
#include <functional>

#include "dalembert/integrate/integration.h"
#include "dalembert/integrate/lane_steps.h"

namespace dalembert::integration {

/// The next work of a lane, with a run to be made; null if there is none at present. A lane without work asks again after each step of the others.
using NextOfLane = std::function<Integration*(std::size_t lane)>;
/// All runs of the lane's work are made.
using EndOfLane = std::function<void(std::size_t lane)>;

/// Makes runs until no lane has work. The systems must have no branches (may_switch()).
void run_in_lanes(LaneSteps& steps, const NextOfLane& next, const EndOfLane& end);

}  // namespace dalembert::integration

// SPDX-License-Identifier: Apache-2.0
// Code for runs in lanes.
#pragma once

#include <memory>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/lane_code.h"

namespace dalembert {

/// Code in lanes of those functions that a run calls for every step, as far as the kernel has code of them by now (Kernel::expect_many_calls). Null
/// where no step can be made by it: without code of kAccelerations, and for long tapes, which have loops.
std::shared_ptr<const LaneCode> make_lane_code(const Dynamics& dynamics);

}  // namespace dalembert

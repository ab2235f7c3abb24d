// SPDX-License-Identifier: Apache-2.0
// Whether the motion of a system depends on the time, and on which coordinates.
#pragma once

#include <vector>

#include "dalembert/study/built_model.h"

namespace dalembert {

struct MotionDependence {
  /// Whether masses, forces, constraints of velocities, frictions, contacts or events contain the time. A coordinate that is driven at a constant rate
  /// brings the time into none of them.
  bool on_time = false;
  std::vector<bool> on = {};  ///< for each coordinate: whether one of them contains it
};

MotionDependence dependence_of(const BuiltModel& system);

}  // namespace dalembert

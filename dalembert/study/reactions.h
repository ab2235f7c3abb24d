// SPDX-License-Identifier: Apache-2.0
// The force of a constraint along a run, as a vector where it acts, along the axes of a frame.
#pragma once

#include <string>
#include <vector>

#include "dalembert/integrate/trajectory.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct Reaction {
  std::string constraint;
  bool located = false;  ///< else it is not known where it acts, and the components are the multipliers of its rows
  bool turns = false;    ///< a torque; in the plane its first component is all of it
  std::string point;     ///< where it acts, on what it acts as drawn; may have no name
  std::string frame;     ///< along whose axes; empty: the ground's
  std::string unit;      ///< SI; empty where the model has none, or rows have different ones
  std::vector<std::string> components;      ///< "x", "y", "z", or rows
  std::vector<double> time;                 ///< s
  std::vector<std::vector<double>> values;  ///< [component][row]; NaN where multipliers have no values
};

/// Of the constraint of that name, or of the row of that name where it is a constraint's only one. `frame`: of the model,
/// or a body; empty: the ground's axes. Where it acts is what pictures show (scene/scene.h). Errors: E0102 for unknown
/// names, E0522 where axes are asked for and it is not known where the force acts.
Result<Reaction> reaction_along(const BuiltModel& system, const Trajectory& run, const std::string& constraint,
                                const std::string& frame = {});

/// The row in which it is largest, and how large: |f|. No finite row: {0, NaN}.
struct ReactionPeak {
  std::size_t row = 0;
  double magnitude = 0;
};
ReactionPeak find_peak(const Reaction& reaction);

}  // namespace dalembert

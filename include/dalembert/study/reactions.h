// SPDX-License-Identifier: Apache-2.0
// The force of a constraint along a run: a vector at its point of action, in the axes of a frame.
#pragma once

#include <string>
#include <vector>

#include "dalembert/integrate/trajectory.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct Reaction {
  std::string constraint;
  bool located = false;  ///< if false, its point of action is unknown and `components` are multipliers
  bool turns = false;    ///< a torque, not a force; in the plane its first component is the value
  std::string point;     ///< name of the point of action, as drawn; may be empty
  std::string frame;     ///< frame whose axes are used; empty: the ground's
  /// SI unit of the components; empty without units, or if rows have different ones.
  std::string unit;
  std::vector<std::string> components;      ///< names of the components: "x", "y", "z", or those of rows
  std::vector<double> time;                 ///< time of each row, s
  std::vector<std::vector<double>> values;  ///< [component][row]; NaN where multipliers are unknown
};

/// The reaction of the constraint with this name, or of the constraint whose only row has this name. `frame`: a frame
/// of the model or a body; empty: the ground's axes. The point of action is the one that pictures show (scene/scene.h).
/// Errors: E0102 for unknown names, E0522 if `frame` is given and the point of action is unknown.
Result<Reaction> reaction_along(const BuiltModel& system, const Trajectory& run, const std::string& constraint,
                                const std::string& frame = {});

/// The row of the largest |f|, and this value; {0, NaN} if no row is finite.
struct ReactionPeak {
  std::size_t row = 0;
  double magnitude = 0;
};
ReactionPeak find_peak(const Reaction& reaction);

}  // namespace dalembert

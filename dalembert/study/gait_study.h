// SPDX-License-Identifier: Apache-2.0
// What `gait` answers: what a cycle of the shape moves a system by (analyze/gait.h), told by name and, where the system
// has a body to look from, in its axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/gait.h"
#include "dalembert/derive/local_connection.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

/// "alpha=0.3*sin(t), beta=0.3*cos(t)": those coordinates follow these instead of what the model prescribes. Errors, at
/// their place in the text: E0405, E0102, and those of expressions.
Diagnostics prescribe_cycle(const SourcePtr& text, Model& model);

struct GaitRequest {
  std::optional<double> period = {};  ///< s; else from its sines and cosines
  int cycles = 1;
  int harmonics = 1;  ///< of the shape, that sensitivities are by
};

/// What is computed once for all that is said.
struct GaitStudy {
  BuiltModel system;
  Equations equations;  ///< on an overlay
  Gait given;           ///< the cycle
  Gait gait;            ///< with the harmonics that sensitivities are by
  bool kinematic = false;
  int harmonics = 1;
  std::vector<double> q0;  ///< passive
  std::optional<LocalConnection> local;
  std::vector<int> order;          ///< passive coordinates as they are told: x, y, θ of the body first
  std::vector<std::size_t> place;  ///< of each among the passive ones
  double heading = 0;
  GaitOptions options;
  Diagnostics warnings;  ///< W0322 where a shape does not end where it began
};

/// Of what the model prescribes. Errors: E0403 where nothing is prescribed or the period is not known, E0407 for samples,
/// E0322 where the cycle determines nothing or too much, E0301 to E0303 without a start, E0272 with frictions.
Result<GaitStudy> study_gait(BuiltModel system, const GaitRequest& request);

/// E0322 where the cycle cannot be followed.
Result<GaitRun> run_gait(const GaitStudy& study);

struct BestGait {
  GaitOptimum optimum;
  std::vector<std::string> shape;  ///< by actuated coordinate
};
/// The cycle of so many harmonics that goes farthest per effort. E0322 where there is no distance.
Result<BestGait> best_gait(const GaitStudy& study, int harmonics);

/// Numbers of passive coordinates in the order in which they are told, in body axes where there are such; their names.
std::vector<double> told(const GaitStudy& study, const std::vector<double>& passive);
std::vector<std::string> told_names(const GaitStudy& study);

struct GaitSensitivity {
  std::string name;
  std::vector<double> displacement;  ///< as told
  double effort = 0;
};
std::vector<GaitSensitivity> gait_sensitivities(const GaitStudy& study, const GaitRun& run);

/// What `gait --json` prints. `best` may be null.
Json gait_json(const GaitStudy& study, const GaitRun& run, const BestGait* best);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// The answers of `gait`: how far a cycle of the shape coordinates moves a system (analyze/gait.h), by name, and in body
// axes if the system has any.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/gait.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct LocalConnection;

/// Reads "alpha=0.3*sin(t), beta=0.3*cos(t)" and prescribes these coordinates instead of what the model prescribes.
/// Errors, at their position in the text: E0405, E0102, and those of expressions.
Diagnostics prescribe_cycle(const SourcePtr& text, Model& model);

struct GaitRequest {
  std::optional<double> period = {};  ///< s; default: the period of the cycle's sines and cosines
  int cycles = 1;
  int harmonics = 1;  ///< harmonics of the shape used for sensitivities
};

/// A gait problem, prepared once for all results.
struct GaitStudy {
  BuiltModel system;
  Equations equations;  ///< equations of the system, on an overlay of their graph
  Gait given;           ///< the cycle as the model prescribes it
  Gait gait;            ///< the same cycle with harmonics added, whose coefficients are parameters
  bool kinematic = false;
  int harmonics = 1;
  std::vector<double> q0;                        ///< start values of the passive coordinates
  std::shared_ptr<const LocalConnection> local;  ///< null if the system has no body axes
  std::vector<int> order;                        ///< passive coordinates in display order: x, y, θ of the body first
  std::vector<std::size_t> place;                ///< for each entry of `order`: its index among the passive coordinates
  double heading = 0;
  GaitOptions options;
  Diagnostics warnings;  ///< W0322 if a shape coordinate does not end where it began
};

/// Prepares the cycle that the model prescribes. Errors: E0403 if nothing is prescribed or the period is unknown, E0407
/// for prescribed samples, E0322 if the constraints cannot follow the cycle, E0301 to E0303 if there is no start, E0272
/// with frictions.
Result<GaitStudy> study_gait(BuiltModel system, const GaitRequest& request);

/// Runs the cycle. Errors: E0322 if the system cannot follow it.
Result<GaitRun> run_gait(const GaitStudy& study);

struct BestGait {
  GaitOptimum optimum;
  std::vector<std::string> shape;  ///< by actuated coordinate: its formula in t
};
/// The cycle with this number of harmonics that goes farthest per effort. Errors: E0322 if distance is undefined.
Result<BestGait> best_gait(const GaitStudy& study, int harmonics);

/// Values of passive coordinates in display order, in body axes if there are any; and their names.
std::vector<double> told(const GaitStudy& study, const std::vector<double>& passive);
std::vector<std::string> told_names(const GaitStudy& study);

struct GaitSensitivity {
  std::string name;
  std::vector<double> displacement;  ///< by passive coordinate in display order: sensitivity of the displacement
  double effort = 0;
};
std::vector<GaitSensitivity> gait_sensitivities(const GaitStudy& study, const GaitRun& run);

/// What `gait --json` prints. `best` may be null.
Json gait_json(const GaitStudy& study, const GaitRun& run, const BestGait* best);

}  // namespace dalembert

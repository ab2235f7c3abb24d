// SPDX-License-Identifier: Apache-2.0
// A scene and its instants in a report document: shapes that refer to tracks, and the positions of the tracks in each
// frame.
#pragma once

#include <span>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/scene/scene.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/run_files.h"

namespace dalembert {

/// States of a run with their multipliers.
struct RunStates {
  std::vector<State> states;
  std::vector<std::vector<double>> lambda;  ///< multipliers by row, then frictions; NaN if the run has none
};
/// At most `most` rows of a run as states, evenly spaced, including the first and the last row. Coordinates and
/// velocities that the run does not contain are 0, multipliers NaN.
RunStates states_of_run(const Table& run, const Names& names, std::size_t most);

/// Largest number of frames for a scene: limited by the size of the document and by what playback needs.
std::size_t most_frames(const Scene& scene);

/// `scene` of a report document. Instants at which some track has no finite position are left out.
Json scene_json(const Scene& scene, const Dynamics& dynamics, const Equations& equations, const RunStates& run);

}  // namespace dalembert

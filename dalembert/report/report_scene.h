// SPDX-License-Identifier: Apache-2.0
// A scene and its instants in a report document: shapes that refer to tracks, and where these are in each frame.
#pragma once

#include <span>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/scene/scene.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/table.h"

namespace dalembert {

/// States of a run, and the multipliers there.
struct RunStates {
  std::vector<State> states;
  std::vector<std::vector<double>> lambda;  ///< of the rows; NaN where the run has none
};
/// Rows of a run as states, of at most `most` rows as far as possible from each other, the first and the last among
/// them. Series that the run does not have are 0, multipliers NaN.
RunStates states_of_run(const Table& run, const Names& names, std::size_t most);

/// So many instants of a scene at most: what a document has room for, and what a player needs.
std::size_t most_frames(const Scene& scene);

/// `scene` of a report document. Instants at which a track has no place are left out.
Json scene_json(const Scene& scene, const Dynamics& dynamics, const Equations& equations, const RunStates& run);

}  // namespace dalembert

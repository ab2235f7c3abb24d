// SPDX-License-Identifier: Apache-2.0
// The scene of a model, and its picture at a state.
#pragma once

#include <string>
#include <vector>

#include "dalembert/scene/picture.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

/// Its diagnostics say what is not drawn. E0520 where there is nothing to draw.
Result<Scene> drawable_scene(const BuiltModel& system, const State& start);

/// The multipliers at a state, and the forces of frictions after them; empty where they have no values.
std::vector<double> multipliers_at(const BuiltModel& system, const State& state);

/// SVG, with the forces that act at the state.
std::string picture_at(const BuiltModel& system, const Scene& scene, const State& state,
                       const PictureOptions& options = {});

}  // namespace dalembert

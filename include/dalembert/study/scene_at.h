// SPDX-License-Identifier: Apache-2.0
// The scene of a model, and its picture at a state.
#pragma once

#include <string>
#include <vector>

#include "dalembert/scene/picture_options.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct Scene;  // scene/scene.h

/// The scene of a model. Its `doubts` say what is not drawn. Errors: E0520 if there is nothing to draw.
Result<Scene> drawable_scene(const BuiltModel& system, const State& start);

/// The multipliers at a state, followed by the friction forces; empty if they are not determined.
std::vector<double> multipliers_at(const BuiltModel& system, const State& state);

/// The picture at a state as SVG, with the forces that act there.
std::string picture_at(const BuiltModel& system, const Scene& scene, const State& state,
                       const PictureOptions& options = {});
/// Makes the scene of a model and its picture at a state, as SVG. Errors and warnings are those of drawable_scene().
Result<std::string> picture_of(const BuiltModel& system, const State& state, const PictureOptions& options = {});

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/pictures.h"

#include "dalembert/dynamics/kkt.h"
#include "dalembert/scene/picture.h"
#include "dalembert/scene/scene.h"

namespace dalembert {

Result<Scene> drawable_scene(const BuiltModel& system, const State& start) {
  Scene scene = scene_of(system.equations, system.dynamics, start);
  if (scene.empty()) return scene.doubts;
  Diagnostics doubts = scene.doubts;
  return {std::move(scene), std::move(doubts)};
}

std::vector<double> multipliers_at(const BuiltModel& system, const State& state) {
  const KktSolution solution = solve_kkt(system.dynamics, state);
  if (solution.status != KktStatus::kOk) return {};
  std::vector<double> all = solution.lambda;
  all.insert(all.end(), solution.friction.begin(), solution.friction.end());
  return all;
}

std::string picture_at(const BuiltModel& system, const Scene& scene, const State& state,
                       const PictureOptions& options) {
  SceneEvaluator evaluator(scene, system.dynamics);
  return scene_svg(scene, evaluator.at(state, multipliers_at(system, state)), options);
}

Result<std::string> picture_of(const BuiltModel& system, const State& state, const PictureOptions& options) {
  const Result<Scene> scene = drawable_scene(system, state);
  if (!scene) return scene.diagnostics();
  return {picture_at(system, *scene, state, options), scene.diagnostics()};
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Pictures of a model at a state, and films of its runs: the number of frames, and the scene in each of them. animated_svg() (scene/picture.h)
// plays a film.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/integrate/trajectory.h"
#include "dalembert/scene/picture_options.h"
#include "dalembert/store/run_files.h"
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

struct Scene;         // scene/scene.h
struct SceneInstant;  // the same

struct FilmRequest {
  double fps = 25;
  std::optional<double> seconds = {};  ///< length of the film; default: that of the motion, within 4 to 12 s
};
struct FilmPlan {
  double seconds = 0;
  std::size_t frames = 0;  ///< number of frames, at least 2; fewer than requested if the file would be too large
};
/// The plan for a motion that takes `duration` s, of a scene with this number of shapes.
FilmPlan plan_film(double duration, const FilmRequest& request, std::size_t shapes);

struct FilmMotion {
  std::vector<State> states;
  std::vector<std::vector<double>> lambda;  ///< multipliers, then friction forces: [frame][row or friction]
};
/// Equidistant instants, interpolated between the rows of the run.
FilmMotion motion_of_rows(const Table& rows, const Names& names, std::size_t frames);
/// All rows of a run.
FilmMotion motion_of_run(const Trajectory& run);

/// The frames whose positions are finite.
std::vector<SceneInstant> film_instants(const Scene& scene, const Dynamics& dynamics, const FilmMotion& motion);

struct Film {
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const std::vector<SceneInstant>> instants;  ///< one instant for each frame
  std::size_t frames = 0;
  double seconds = 0;   ///< duration of the film, s
  double duration = 0;  ///< duration of the motion that it shows, s
  PictureOptions options;
};
/// A film of the rows of a run. Errors: E0520 if the model has nothing to draw, E0304 if no row has finite numbers.
Result<Film> film_of_rows(const BuiltModel& system, const Table& rows, const FilmRequest& request,
                          const PictureOptions& options = {});
/// The film as an SVG that plays by itself.
std::string film_svg(const Film& film);
/// One frame of the film as an SVG.
std::string film_frame(const Film& film, std::size_t which);

}  // namespace dalembert

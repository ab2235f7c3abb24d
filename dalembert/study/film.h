// SPDX-License-Identifier: Apache-2.0
// A film of a run: how many frames, and where everything is in each of them. animated_svg (scene/picture.h) plays it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/integrate/trajectory.h"
#include "dalembert/scene/picture.h"
#include "dalembert/store/table.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct FilmRequest {
  double fps = 25;
  std::optional<double> seconds = {};  ///< of film; else as long as the motion, but neither too short nor too long
};
struct FilmPlan {
  double seconds = 0;
  std::size_t frames = 0;  ///< 2 at least; fewer than asked for where the file would become too large
};
/// For a motion of `duration` s, of a scene with so many shapes.
FilmPlan plan_film(double duration, const FilmRequest& request, std::size_t shapes);

struct FilmMotion {
  std::vector<State> states;
  std::vector<std::vector<double>> lambda;  ///< by row, then by friction; [frame]
};
/// So many instants, equally far from each other, between rows of the run.
FilmMotion motion_of_rows(const Table& rows, const Names& names, std::size_t frames);
/// Every row of a run.
FilmMotion motion_of_run(const Trajectory& run);

/// Frames whose numbers are finite.
std::vector<SceneInstant> film_instants(const Scene& scene, const Dynamics& dynamics, const FilmMotion& motion);

struct Film {
  Scene scene;
  std::vector<SceneInstant> instants;  ///< one frame each
  double seconds = 0;                  ///< of film
  double duration = 0;                 ///< s of motion
  PictureOptions options;
};
/// Of rows of a run. E0520 where there is nothing to draw, E0304 where no row has finite numbers.
Result<Film> film_of_rows(const BuiltModel& system, const Table& rows, const FilmRequest& request,
                          const PictureOptions& options = {});
/// It plays by itself: SVG.
std::string film_svg(const Film& film);
/// One frame of it.
std::string film_frame(const Film& film, std::size_t which);

}  // namespace dalembert

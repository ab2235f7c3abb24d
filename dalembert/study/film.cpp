// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/pictures.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "dalembert/scene/picture.h"
#include "dalembert/scene/scene.h"

namespace dalembert {
namespace {

// Largest number of frames, and of frames times shapes. They keep the file at about 6 MB.
constexpr double kMostFrames = 600, kMostMarks = 60'000;

}  // namespace

FilmPlan plan_film(double duration, const FilmRequest& request, std::size_t shapes) {
  FilmPlan film;
  film.seconds = request.seconds.value_or(std::clamp(std::abs(duration), 4.0, 12.0));
  const double room =
      std::max(2.0, std::min(kMostFrames, kMostMarks / static_cast<double>(std::max<std::size_t>(shapes, 1))));
  film.frames = static_cast<std::size_t>(std::clamp(std::round(request.fps * film.seconds) + 1, 2.0, room));
  return film;
}

FilmMotion motion_of_rows(const Table& table, const Names& names, std::size_t frame_count) {
  const std::span<const double> time = table.series("time");
  const auto columns = [&](const std::string& group, const std::vector<std::string>& of) {
    std::vector<std::span<const double>> found;
    for (const std::string& name : of) {
      const auto place = std::ranges::find(table.names, group + name);
      found.push_back(
          place == table.names.end()
              ? std::span<const double>()
              : std::span<const double>(table.columns[static_cast<std::size_t>(place - table.names.begin())]));
    }
    return found;
  };
  const auto q = columns("q/", names.coordinates), v = columns("v/", names.of_motion()),
             lambda = columns("lambda/", names.rows);
  FilmMotion motion;
  const double duration = time.back() - time.front();
  const std::size_t frames = time.size() < 2 ? 1 : frame_count;
  std::size_t row = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    const double t =
        time.front() + duration * static_cast<double>(k) / static_cast<double>(std::max<std::size_t>(frames - 1, 1));
    while (row + 2 < time.size() && std::abs(time[row + 1] - time.front()) < std::abs(t - time.front())) ++row;
    const std::size_t next = std::min(row + 1, time.size() - 1);
    const double step = time[next] - time[row], s = step != 0 ? std::clamp((t - time[row]) / step, 0.0, 1.0) : 0;
    const auto values = [&](const std::vector<std::span<const double>>& of) {
      std::vector<double> out;
      for (const std::span<const double> column : of)
        out.push_back(column.empty() ? 0 : (1 - s) * column[row] + s * column[next]);
      return out;
    };
    motion.states.push_back({t, values(q), values(v)});
    motion.lambda.push_back(values(lambda));
  }
  return motion;
}

FilmMotion motion_of_run(const Trajectory& run) {
  FilmMotion motion;
  for (std::size_t row = 0; row < run.size(); ++row) {
    motion.states.push_back(run.state(row));
    std::vector<double> lambda;
    for (const std::vector<double>& one : run.lambda) lambda.push_back(one[row]);
    for (const std::vector<double>& one : run.friction) lambda.push_back(one[row]);
    motion.lambda.push_back(std::move(lambda));
  }
  return motion;
}

std::vector<SceneInstant> film_instants(const Scene& scene, const Dynamics& dynamics, const FilmMotion& motion) {
  SceneEvaluator evaluator(scene, dynamics);
  std::vector<SceneInstant> instants;
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    SceneInstant instant = evaluator.at(motion.states[k], motion.lambda[k]);
    const bool drawn =
        std::ranges::all_of(instant.at, [](const ScenePoint& p) { return std::isfinite(p[0] + p[1] + p[2]); });
    if (drawn) instants.push_back(std::move(instant));
  }
  return instants;
}

Result<Film> film_of_rows(const BuiltModel& system, const Table& rows, const FilmRequest& request,
                          const PictureOptions& options) {
  const auto nothing = [] { return error("E0304", "no instant of the run can be drawn: its values are not finite"); };
  if (rows.rows() == 0) return nothing();
  // The scene is built at the first row, which satisfies the constraints.
  const FilmMotion first = motion_of_rows(rows, system.dynamics.names(), 1);
  Result<Scene> scene = drawable_scene(system, first.states.front());
  if (!scene) return scene.diagnostics();
  const std::vector<double>& time = rows.columns.front();
  Film film;
  film.duration = time.back() - time.front();
  const FilmPlan plan = plan_film(film.duration, request, scene->shapes.size());
  film.seconds = plan.seconds;
  film.options = options;
  std::vector<SceneInstant> instants =
      film_instants(*scene, system.dynamics, motion_of_rows(rows, system.dynamics.names(), plan.frames));
  if (instants.empty()) return nothing();
  film.frames = instants.size();
  film.scene = std::make_shared<const Scene>(std::move(scene).value());
  film.instants = std::make_shared<const std::vector<SceneInstant>>(std::move(instants));
  return film;
}

std::string film_svg(const Film& film) { return animated_svg(*film.scene, *film.instants, film.seconds, film.options); }

std::string film_frame(const Film& film, std::size_t which) {
  return frame_svg(*film.scene, *film.instants, which, view_of(*film.scene, *film.instants, film.options),
                   film.options);
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/picture_options.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/dalembert/failure.h"
#include "dalembert/base/text.h"
#include "dalembert/scene/scene.h"

namespace dalembert::app {

PictureOptions picture_options(const Arguments& arguments) {
  PictureOptions options;
  options.forces = arguments.has("--forces");
  const std::optional<std::string> view = arguments.value("--view");
  if (!view) return options;
  const std::size_t comma = view->find(',');
  const auto azimuth = parse_double(view->substr(0, comma));
  const auto elevation = comma == std::string::npos ? std::nullopt : parse_double(view->substr(comma + 1));
  if (!azimuth || !elevation || !std::isfinite(*azimuth) || !(std::abs(*elevation) <= 90))
    fail(kExitUsage, "E0403", fmt::format("`--view` does not take `{}`", *view),
         {"it takes two angles in degrees, the second one from -90 to 90: --view=-48,24"});
  options.azimuth = std::remainder(*azimuth, 360);
  options.elevation = *elevation;
  return options;
}

Scene scene_at(const System& system, const State& start, Terminal& terminal) {
  Result<Scene> scene = drawable_scene(system, start);
  if (!scene) fail(kExitModel, scene.diagnostics());
  terminal.report(scene.diagnostics());
  return std::move(scene).value();
}

}  // namespace dalembert::app

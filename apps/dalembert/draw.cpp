// SPDX-License-Identifier: Apache-2.0
// dalembert draw: a still picture of a model.
#include <fmt/format.h>

#include <filesystem>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/given_state.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/picture_options.h"
#include "apps/dalembert/verbs.h"

#include "dalembert/scene/scene.h"

namespace dalembert::app {
namespace {

// NAME.svg, with NAME from the model file or the reference model; fails if this file exists already.
std::string free_name(const std::string& model) {
  if (model == "-") fail(kExitUsage, "E0403", "a model from standard input needs `--output FILE`");
  const std::string path = std::filesystem::path(model).stem().string() + ".svg";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    fail(kExitUsage, "E0403", fmt::format("there is a file `{}` already", path),
         {fmt::format("`-o {}` writes over it; another name keeps it", path)});
  return path;
}

}  // namespace

int run_draw(const Arguments& arguments, Terminal& terminal) {
  const std::optional<std::string> path = arguments.value("--output");
  const FigureOutput output = choose_figure_output(path ? *path : free_name(arguments.operands[0]));
  if (output.to_standard_output() && arguments.json())
    fail(kExitUsage, "E0403", "`--json` and `--output -` both want standard output", {"write the picture to a file"});
  const PictureOptions options = picture_options(arguments);
  const SystemAt given = build_system_at(arguments);
  terminal.report(given.system.warnings);
  const Scene scene = scene_at(given.system, given.state, terminal);
  write_figure(picture_at(given.system, scene, given.state, options), output, terminal);
  if (!arguments.json()) return kExitOk;
  Json shapes = Json::object();
  for (const SceneShape& shape : scene.shapes) {
    Json& count = shapes[to_text(shape.kind)];
    std::int64_t same = 0;
    for (const SceneShape& other : scene.shapes) same += other.kind == shape.kind;
    count = Json(same);
  }
  terminal.out(
      document_text(Json{{"model", scene.name}, {"output", output.path}, {"t", given.state.t}, {"shapes", shapes}}));
  return kExitOk;
}

}  // namespace dalembert::app

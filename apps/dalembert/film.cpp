// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "dalembert/store/file.h"

namespace dalembert::app {

FilmOutput choose_film_output(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.value("--output");
  if (!path)
    fail(kExitUsage, "E0403", "`animate` needs `--output FILE`",
         {"films are written as .svg, which plays by itself in a browser; `-o -` writes it to standard output"});
  if (*path == "-") {
    if (arguments.json())
      fail(kExitUsage, "E0403", "`--json` and `--output -` both want standard output", {"write the film to a file"});
    return {*path};
  }
  std::string ending = std::filesystem::path(*path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".html")
    fail(kExitUsage, "E0403", fmt::format("`--output` does not take `{}`: a page is not supported yet", *path),
         {"write .svg: it plays by itself in a browser"});
  if (ending != ".svg")
    fail(kExitUsage, "E0403", fmt::format("`--output` does not take `{}`", *path),
         {"films are written as .svg, which plays by itself in a browser; `-` writes it to standard output"});
  require_writable(*path);
  return {*path};
}

void write_film(const Scene& scene, std::span<const SceneInstant> instants, double seconds,
                const PictureOptions& options, const FilmOutput& output, Terminal& terminal) {
  const std::string svg = animated_svg(scene, instants, seconds, options);
  if (output.to_standard_output()) {
    terminal.out(svg);
    return;
  }
  if (const Diagnostics problems = write_file(output.path, [&](std::ostream& out) { out << svg; }); !problems.empty())
    fail(kExitIo, problems);
  terminal.note(fmt::format("wrote {} ({:.0f} kB)\n", output.path, static_cast<double>(svg.size()) / 1000));
}

}  // namespace dalembert::app

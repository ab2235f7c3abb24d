// SPDX-License-Identifier: Apache-2.0
// dalembert plot STUDY --map: a measure of a study over what was varied.
#include <fmt/format.h>

#include <filesystem>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/plot.h"
#include "apps/dalembert/report_page.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/study/sweep/row_files.h"
#include "dalembert/study/sweep/study_output.h"
#include "dalembert/study/sweep/study_plot.h"

namespace dalembert::app {

bool is_study_path(const std::string& path) {
  if (sweeping::is_netcdf_path(path)) return true;
  // A pipe would lose the line that is read here.
  std::error_code ignored;
  if (!path.ends_with(".csv") || !std::filesystem::is_regular_file(path, ignored)) return false;
  sweeping::RowFile file(path);
  return file.next_line() && sweeping::is_study_header(file.line());
}

int plot_study_file(const Arguments& arguments, Terminal& terminal) {
  const std::string& study = arguments.operands[0];
  if (arguments.operands.size() > 1)
    fail(kExitUsage, "E0408", "`plot --map` takes one study", {"dalembert plot study.nc --map NAME -o map.svg"});
  for (const char* option : {"--phase", "--annotate", "--x-range", "--ascii", "--at", "--set", "--model"})
    if (arguments.has(option))
      fail(kExitUsage, "E0403", fmt::format("`{}` does not go together with `--map`", option), {"leave it out"});
  const std::optional<std::string> measure = arguments.value("--map"), path = arguments.value("--output");
  if (path && path->ends_with(".html")) {
    for (const char* option : {"--map", "--x", "--y", "--log-y", "--y-range", "--degrees"})
      if (arguments.has(option))
        fail(kExitUsage, "E0403",
             fmt::format("`{}` does not go together with a page, which shows every measure", option),
             {"leave it out, or write a .svg"});
    require_page_path("--output", *path);
    return report_study(arguments, *path, terminal);
  }
  if (!measure)
    fail(kExitUsage, "E0403", fmt::format("`{}` is a study, and `plot` needs the measure to draw", study),
         {fmt::format("dalembert plot {} --map NAME -o map.svg", study),
          fmt::format("dalembert plot {} -o page.html shows all of it", study)});
  if (!path)
    fail(kExitUsage, "E0403", "`plot --map` needs `--output FILE`",
         {"figures are written as .svg, .pdf or .png; `-o -` writes SVG to standard output"});
  const std::vector<std::string> up = arguments.values("--y");
  if (up.size() > 1) fail(kExitUsage, "E0403", "`--map` has one quantity upwards", {"-x NAME -y NAME"});
  const FigureOutput output = choose_figure_output(*path);
  StudyPlotRequest request{.measure = *measure, .x = arguments.value("--x")};
  if (!up.empty()) request.y = up.front();
  request.degrees = arguments.has("--degrees");
  request.logarithmic = arguments.has("--log-y");
  request.range = read_range(arguments, "--y-range");
  if (request.logarithmic && request.range && !((*request.range)[0] > 0))
    fail(kExitUsage, "E0403", "`--log-y` needs a `--y-range` above 0");
  Result<StudyPlot> plot = plot_study(study, request);
  if (!plot) {
    const std::string& code = plot.diagnostics().front().code;
    fail(code == "E0502" || code == "E0510" ? kExitIo : kExitUsage, plot.diagnostics());
  }
  return finish_plot(plot->svg, std::move(plot->json), output, arguments, terminal);
}

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// dalembert plot MODEL --phase: the phase plane of a motion with two states.
#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/given_state.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/plot.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/study/charts.h"

namespace dalembert::app {

int plot_phase_plane(const Arguments& arguments, Terminal& terminal) {
  const std::optional<std::string> asked = arguments.value("--phase"), path = arguments.value("--output");
  if (!path)
    fail(kExitUsage, "E0403", "`plot --phase` needs `--output FILE`",
         {"figures are written as .svg, .pdf or .png; `-o -` writes SVG to standard output"});
  const FigureOutput output = choose_figure_output(*path);
  SystemAt given = build_system_at(arguments);
  terminal.report(given.system.warnings);
  const PhasePlotOptions options{asked, read_range(arguments, "--x-range"), read_range(arguments, "--y-range"),
                                 arguments.has("--degrees")};
  Result<PhasePlot> plot = plot_phase(std::move(given), options);
  if (!plot) {
    const std::string& code = plot.diagnostics().front().code;
    fail(code == "E0403" ? kExitUsage : code == "E0310" ? kExitModel : kExitNumerical, plot.diagnostics());
  }
  return finish_plot(plot->svg, std::move(plot->json), output, arguments, terminal);
}

}  // namespace dalembert::app

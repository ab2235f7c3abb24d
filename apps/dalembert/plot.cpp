// SPDX-License-Identifier: Apache-2.0
// dalembert plot: chooses between the three kinds of plots.
#include "apps/dalembert/plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/run_file.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"

namespace dalembert::app {

std::optional<std::array<double, 2>> read_range(const Arguments& arguments, const std::string& option) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return std::nullopt;
  const std::size_t colon = text->find(':');
  const auto from = parse_double(text->substr(0, colon));
  const auto to = colon == std::string::npos ? std::nullopt : parse_double(text->substr(colon + 1));
  if (!from || !to || !(*from < *to))
    fail(kExitUsage, "E0403", fmt::format("`{}` does not take `{}`", option, *text),
         {fmt::format("it takes FROM:TO, numbers in SI: {} -3:3", option)});
  return std::array<double, 2>{*from, *to};
}

int run_plot(const Arguments& arguments, Terminal& terminal) {
  const std::vector<std::string>& operands = arguments.operands;
  if (arguments.has("--map") || is_study_path(operands[0])) return plot_study_file(arguments, terminal);
  // Standard input is a model with --phase, otherwise a run: `simulate -o - | plot -`.
  const auto is_run = [&](const std::string& operand) {
    return is_run_path(operand) || (operand == "-" && !arguments.has("--phase"));
  };
  if (std::ranges::all_of(operands, is_run)) {
    for (const char* option : {"--set", "--at"})
      if (arguments.has(option))
        fail(kExitUsage, "E0403", fmt::format("`{}` is for models, and `{}` is a run", option, operands[0]),
             {fmt::format("dalembert simulate MODEL {} … -o run.csv", option)});
    return plot_runs(arguments, terminal);
  }
  const std::string& model = *std::ranges::find_if_not(operands, is_run);
  if (operands.size() > 1)
    fail(kExitUsage, "E0408", fmt::format("`{}` is not a run, so no other run can be drawn with it", model),
         {"runs are .csv and .json files, written by `dalembert simulate MODEL -o run.csv`"});
  if (!arguments.has("--phase"))
    fail(kExitUsage, "E0403", fmt::format("`{}` is a model, and curves are drawn of runs", model),
         {fmt::format("dalembert simulate {} -o run.csv && dalembert plot run.csv", model),
          fmt::format("the phase plane of a motion with two states: dalembert plot {} --phase X,Y -o phase.svg",
                      model)});
  for (const char* option : {"--x", "--y", "--annotate", "--log-y", "--ascii", "--model"})
    if (arguments.has(option))
      fail(kExitUsage, "E0403", fmt::format("`{}` is for runs, and `{}` is a model", option, model),
           {fmt::format("dalembert simulate {} -o run.csv && dalembert plot run.csv {} …", model, option)});
  return plot_phase_plane(arguments, terminal);
}

int finish_plot(const std::string& svg, Json document, const FigureOutput& output, const Arguments& arguments,
                Terminal& terminal) {
  write_figure(svg, output, terminal);
  if (output.to_standard_output() || !arguments.json()) return kExitOk;
  document["file"] = output.path;
  terminal.out(document_text(document));
  return kExitOk;
}

}  // namespace dalembert::app

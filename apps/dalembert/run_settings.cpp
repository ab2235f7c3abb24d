// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_settings.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "apps/dalembert/failure.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

// Fails because of wrong settings: with the exit status of the command line where an option gave them, else the errors of the model's [simulation].
[[noreturn]] void refuse_options(const Arguments& arguments, const SimulationSettings& settings,
                                 const Diagnostics& problems) {
  const auto refuse = [&](const char* option, const std::string& why) {
    fail(kExitUsage, "E0403", fmt::format("`{}` does not take `{}`: {}", option, *arguments.value(option), why),
         problems.front().help);
  };
  const bool range = problems.front().code == "E0403";
  const bool tolerance = settings.rtol && !(*settings.rtol >= kLeastRtol && *settings.rtol < 1);
  if (range && tolerance && arguments.value("--rtol")) refuse("--rtol", "it is out of range");
  if (range && !tolerance && arguments.value("--every"))
    refuse("--every", fmt::format("that makes more than {} rows", to_text(kMostRows)));
  const char* of_contacts = settings.formulation == "reduced" ? "--formulation" : "--until";
  fail(problems.front().code == "E0446" && arguments.value(of_contacts) ? kExitUsage : kExitModel, problems);
}

}  // namespace

IntegrateOptions choose_options(const Arguments& arguments, const Model& model) {
  SimulationSettings settings = model.simulation;
  for (const Setting& setting : kSettings) {
    const std::string option(setting.option);
    if (!arguments.has(option)) continue;
    if (setting.name)
      settings.*setting.name = arguments.value(option);
    else
      settings.*setting.number = arguments.quantity(option, setting.dimension(), setting.positive ? 0 : -kNoLimit);
  }

  Result<IntegrateOptions> chosen = run_options(settings, model, model.initial.t);
  if (!chosen) refuse_options(arguments, settings, chosen.diagnostics());
  IntegrateOptions options = std::move(chosen).value();
  options.cross_check = arguments.has("--cross-check");
  if (const auto most = arguments.whole_number("--max-steps", 1e18, "1 to 1e18")) options.max_steps = *most;
  return options;
}

}  // namespace dalembert::app

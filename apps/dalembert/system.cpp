// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "apps/dalembert/failure.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert::app {
namespace {

// Warnings are passed on from stage to stage; the same one is kept once.
void append_new(Diagnostics& all, const Diagnostics& more) {
  for (const Diagnostic& diagnostic : more) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
      return d.code == diagnostic.code && d.message == diagnostic.message &&
             d.primary.span.begin == diagnostic.primary.span.begin;
    });
    if (!known) all.push_back(diagnostic);
  }
}

// A table that the model names and that cannot be read is a failure to read. When all that is wrong comes after
// --set, the command line is wrong, not the model.
int exit_code_of(const Diagnostics& diagnostics, const std::vector<Override>& overrides) {
  bool all_behind_set = true;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.level != Level::kError) continue;
    if (diagnostic.code == "E0001") return kExitIo;
    const SourcePtr& source = diagnostic.primary.span.source;
    all_behind_set = all_behind_set && source && std::ranges::any_of(overrides, [&](const Override& override) {
                       return override.name_span.source == source || override.value.source == source;
                     });
  }
  return all_behind_set ? kExitUsage : kExitModel;
}

}  // namespace

std::vector<Override> overrides_of(const Arguments& arguments) {
  std::vector<Override> overrides;
  Diagnostics problems;
  for (const std::string& assignment : arguments.values("--set")) {
    Result<Override> parsed = parse_override(assignment);
    if (parsed)
      overrides.push_back(std::move(parsed).value());
    else
      append_new(problems, parsed.diagnostics());
  }
  if (!problems.empty()) fail(kExitUsage, problems);
  return overrides;
}

LoadedModel load(const std::string& model, std::vector<Override> overrides) {
  return load(read_model_source(model), std::move(overrides));
}

LoadedModel load(const ModelSource& source, std::vector<Override> overrides) {
  const LoadOptions options{.overrides = std::move(overrides), .directory = source.directory};
  Result<Model> loaded = load_model(source.source, options);
  if (!loaded) fail(exit_code_of(loaded.diagnostics(), options.overrides), loaded.diagnostics());
  Diagnostics warnings = loaded.diagnostics();
  return {std::make_shared<const Model>(std::move(loaded).value()), std::move(warnings)};
}

System build(LoadedModel loaded, const CompileOptions& options) {
  Diagnostics warnings = std::move(loaded.warnings);
  Result<Equations> derived = derive(loaded.model);
  append_new(warnings, derived.diagnostics());
  if (!derived) fail(kExitModel, warnings);
  const auto begin = std::chrono::steady_clock::now();
  Dynamics dynamics = compile(*derived, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!dynamics.kernel().solves_kkt() && dynamics.nv() + dynamics.m() > kLargestDense)
    fail(kExitModel, "E0009",
         fmt::format("{} coordinates and {} constraint rows that are all coupled with each other are too many",
                     dynamics.nv(), dynamics.m()),
         {fmt::format("their equations are solved densely: together they may be {}", kLargestDense),
          "coordinates of each body that only neighbours constrain give sparse equations of any size"});
  return {std::move(loaded.model), std::move(derived).value(), std::move(dynamics), std::move(warnings), seconds};
}

System build_system(const Arguments& arguments) {
  return build(load(arguments.operands.at(0), overrides_of(arguments)), {.machine_code = !arguments.has("--no-jit")});
}

std::string coordinate_unit(const std::string& unit) { return unit == "1" ? "rad" : unit; }

void refuse_load_dependent(const Equations& equations, std::string_view what) {
  if (equations.load_dependent())
    fail(kExitModel, "E0272", fmt::format("{} does not know forces that depend on multipliers yet", what),
         {"friction is such a force; `simulate`, `eval` and `derive` know it"});
}

std::vector<std::string> names_where(const std::vector<std::string>& names, const std::vector<bool>& flags,
                                     bool wanted) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < names.size() && i < flags.size(); ++i)
    if (flags[i] == wanted) chosen.push_back(names[i]);
  return chosen;
}

std::vector<std::string> coordinate_units(const Names& names) {
  std::vector<std::string> units;
  for (const std::string& unit : names.coordinate_units) units.push_back(coordinate_unit(unit));
  return units;
}

std::string unit_suffix(const std::string& unit) { return unit.empty() || unit == "1" ? "" : " " + unit; }

std::string rate_unit(const std::string& unit) { return unit.empty() ? "" : unit == "1" ? "1/s" : unit + "/s"; }

}  // namespace dalembert::app

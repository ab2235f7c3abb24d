// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/built_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "dalembert/base/wording.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {

void append_new(Diagnostics& all, const Diagnostics& more) {
  for (const Diagnostic& diagnostic : more) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
      return d.code == diagnostic.code && d.message == diagnostic.message &&
             d.primary.span.begin == diagnostic.primary.span.begin;
    });
    if (!known) all.push_back(diagnostic);
  }
}

Result<BuiltModel> build_model(std::shared_ptr<const Model> model, Diagnostics warnings,
                               const CompileOptions& options) {
  Result<Equations> derived = derive(std::move(model));
  append_new(warnings, derived.diagnostics());
  if (!derived) return warnings;
  return build_model(std::move(derived).value(), std::move(warnings), options);
}

Result<BuiltModel> build_model(Equations equations, Diagnostics warnings, const CompileOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Dynamics dynamics = compile(equations, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!dynamics.kernel().solves_kkt() && dynamics.nv() + dynamics.m() > kLargestDense) {
    Diagnostic large = error(
        "E0009", fmt::format("{} coordinates and {} constraint rows that are all coupled with each other are too many",
                             dynamics.nv(), dynamics.m()));
    large.help = {fmt::format("their equations are solved densely: together they may be {}", kLargestDense),
                  "coordinates of each body that only neighbours constrain give sparse equations of any size"};
    return large;
  }
  std::shared_ptr<const Model> model = equations.model;
  return BuiltModel{std::move(model), std::move(equations), std::move(dynamics), std::move(warnings), seconds};
}

BuiltModel with_parameters(const BuiltModel& built, const std::vector<double>& values) {
  BuiltModel other = built;
  const auto model = std::make_shared<Model>(*built.model);
  for (std::size_t i = 0; i < values.size() && i < model->parameters.size(); ++i)
    model->parameters[i].value = values[i];
  other.model = model;
  other.equations.model = model;
  other.dynamics = built.dynamics.with_parameters(values);
  return other;
}

Diagnostics refuse_load_dependent(const Equations& equations, std::string_view what) {
  if (!equations.load_dependent()) return {};
  Diagnostic refused = error("E0272", fmt::format("{} does not know forces that depend on multipliers yet", what));
  refused.help = {"friction is such a force; `simulate`, `eval` and `derive` know it"};
  return {refused};
}

std::vector<std::string> coordinate_units(const Names& names) {
  std::vector<std::string> units;
  for (const std::string& unit : names.coordinate_units) units.push_back(coordinate_unit(unit));
  return units;
}

}  // namespace dalembert

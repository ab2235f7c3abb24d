// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/built_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/friction_parts.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/model/initial_values.h"
#include "dalembert/study/kept_derivatives.h"

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
  if (const Diagnostics idle = idle_events(equations); !idle.empty()) {
    append_new(warnings, idle);
    return warnings;
  }
  const auto begin = std::chrono::steady_clock::now();
  Dynamics dynamics = compile(equations, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const int n = dynamics.nv(), m = dynamics.m(), frictions = dynamics.layout().frictions;
  if (dynamics.layout().load_dependent() ? friction_work(dynamics.layout()) > kMostDenseWork
                                         : !dynamics.kernel().solves_kkt() && !fits_dense(n, m)) {
    const std::string with = frictions > 0 ? fmt::format(", {} constraint rows and {} frictions", m, frictions)
                                           : fmt::format(" and {} constraint rows", m);
    Diagnostic large = error("E0904", fmt::format("{} velocities{} are too many to be solved for at once", n, with));
    large.notes = {frictions > 0 ? "friction needs a dense matrix of all bodies that rows and frictions couple"
                                 : "they are all coupled with each other, which needs a dense matrix",
                   "the limit is about 1,250 velocities, or 870 with as many rows and frictions"};
    large.help = {frictions > 0
                      ? "a smooth force, `-f*tanh(v/v0)`, in place of [[friction]] leaves the equations sparse"
                      : "coordinates of each body that only neighbours constrain give sparse equations of any size",
                  "`derive` prints the equations all the same"};
    return large;
  }
  std::shared_ptr<const Model> model = equations.model;
  return BuiltModel{std::move(model),
                    std::move(equations),
                    std::move(dynamics),
                    std::move(warnings),
                    seconds,
                    std::make_shared<KeptDerivatives>(options)};
}

BuiltModel with_parameters(const BuiltModel& built, const std::vector<double>& values) {
  BuiltModel other = built;
  const auto model = std::make_shared<Model>(*built.model);
  for (std::size_t i = 0; i < values.size() && i < model->parameters.size(); ++i)
    model->parameters[i].value = values[i];
  evaluate_initial_formulas(*model);
  other.model = model;
  other.equations.model = model;
  other.dynamics = built.dynamics.with_parameters(values);
  return other;
}

void replace_equations(BuiltModel& built, Equations equations, const CompileOptions& options) {
  built.model = equations.model;
  built.dynamics = compile(equations, options);
  built.equations = std::move(equations);
  built.derivatives = std::make_shared<KeptDerivatives>(options);
}

std::vector<std::string> coordinate_units(const Names& names) {
  std::vector<std::string> units;
  for (const std::string& unit : names.coordinate_units) units.push_back(coordinate_unit(unit));
  return units;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/layout.h"
#include "dalembert/analyze/run_options.h"

namespace dalembert::app {
namespace {

// The values whose flag in `chosen` is set, as text: "theta = 1.0472 rad", "x = 0.3 m".
std::vector<std::string> list_values(const std::vector<std::string>& names, const std::vector<std::string>& units,
                                     const std::vector<double>& values, const std::vector<bool>& chosen,
                                     const char* relation) {
  std::vector<std::string> items;
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Values at round-off level, compared with the largest one, are shown as 0.
    const double value = std::abs(values[i]) <= 1e-15 * size ? 0 : values[i];
    if (chosen[i])
      items.push_back(fmt::format("{} {} {}{}", names[i], relation, shown_number(value, 5), unit_suffix(units[i])));
  }
  return items;
}

std::vector<bool> not_negligible(const std::vector<double>& moved, const std::vector<double>& values) {
  std::vector<bool> flags;
  for (std::size_t i = 0; i < moved.size(); ++i)
    flags.push_back(std::abs(moved[i]) > 1e-12 * std::max(1.0, std::abs(values[i])));
  return flags;
}

ModelStart start_or_fail(Result<ModelStart> start) {
  if (!start) fail(kExitModel, start.diagnostics());
  return std::move(start).value();
}

}  // namespace

void require_samples(const System& system, double from, double to) {
  Diagnostics problems = missing_samples(*system.model, system.dynamics, from, to);
  if (!problems.empty()) fail(kExitModel, std::move(problems));
}

ModelStart find_start(const System& system) { return start_or_fail(find_model_start(system)); }
ModelStart find_ranks(const System& system, const ModelStart& start) {
  return start_or_fail(with_ranks(system, start));
}

int exit_code_of_start(const Diagnostic& failure) { return failure.code == "E0321" ? kExitModel : kExitNumerical; }

std::string describe_start(const System& system, const ModelStart& start) {
  const Names& names = system.dynamics.names();
  const std::vector<std::string> rates = names.velocity_names();
  const std::vector<std::string> units = coordinate_units(names);
  std::vector<std::string> rate_units;
  for (const std::string& unit : units) rate_units.push_back(rate_unit(unit));
  if (!names.velocities.empty()) rate_units = names.velocity_units;
  const Assembly& assembly = start.assembly;
  std::string text;
  const auto lines = [&](const char* label, std::vector<std::string> positions,
                         const std::vector<std::string>& velocities) {
    text += labelled_list(label, positions);
    text += labelled_list(positions.empty() ? label : "", velocities);
  };
  lines("held", list_values(names.coordinates, units, assembly.state.q, start.held.hold_position, "="),
        list_values(rates, rate_units, assembly.state.v, start.held.hold_velocity, "="));
  const auto moved_q = not_negligible(assembly.moved_q, assembly.state.q),
             moved_v = not_negligible(assembly.moved_v, assembly.state.v);
  lines("moved", list_values(names.coordinates, units, assembly.moved_q, moved_q, "by"),
        list_values(rates, rate_units, assembly.moved_v, moved_v, "by"));
  const std::vector<bool> all(names.coordinates.size(), true);
  lines("start", list_values(names.coordinates, units, assembly.state.q, all, "="),
        list_values(rates, rate_units, assembly.state.v, std::vector<bool>(rates.size(), true), "="));
  return text;
}

}  // namespace dalembert::app

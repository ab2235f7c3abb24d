// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/layout.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"

namespace dalembert::app {
namespace {

std::vector<std::string> names_where(const std::vector<std::string>& names, const std::vector<bool>& flags,
                                     bool wanted) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < names.size() && i < flags.size(); ++i)
    if (flags[i] == wanted) chosen.push_back(names[i]);
  return chosen;
}

// "theta = 1.0472 rad", "x = 0.3 m": the chosen ones.
std::vector<std::string> list_values(const std::vector<std::string>& names, const std::vector<std::string>& units,
                                     const std::vector<double>& values, const std::vector<bool>& chosen,
                                     const char* relation) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (chosen[i])
      items.push_back(fmt::format("{} {} {}{}", names[i], relation, shown_number(values[i], 5), unit_suffix(units[i])));
  return items;
}

std::vector<bool> not_negligible(const std::vector<double>& moved, const std::vector<double>& values) {
  std::vector<bool> flags;
  for (std::size_t i = 0; i < moved.size(); ++i)
    flags.push_back(std::abs(moved[i]) > 1e-12 * std::max(1.0, std::abs(values[i])));
  return flags;
}

void mark_held(Diagnostic& diagnostic, const std::vector<InitialValue>& held, const char* text) {
  for (const InitialValue& value : held)
    if (value.span && diagnostic.secondary.size() < 4) diagnostic.secondary.push_back({value.span, text});
}

}  // namespace

void require_samples(const System& system, double from, double to) {
  Diagnostics problems = missing_samples(*system.model, system.dynamics, from, to);
  if (!problems.empty()) fail(kExitModel, std::move(problems));
}

Diagnostics inertia_warnings(const System& system, const State& state) {
  const bool known = std::ranges::any_of(system.warnings, [](const Diagnostic& d) { return d.code == "W0104"; });
  if (known) return {};
  return negative_inertia(*system.model, system.dynamics, evaluate_terms(system.dynamics, state));
}

Start find_start(const System& system) {
  Start start;
  start.initial = initial_state(*system.model);
  require_samples(system, start.initial.state.t, start.initial.state.t);
  start.assembly =
      assemble(system.dynamics, start.initial.state,
               {.hold_position = start.initial.hold_position, .hold_velocity = start.initial.hold_velocity});
  return start;
}

Diagnostic explain_start(const System& system, const Start& start) {
  const Assembly& assembly = start.assembly;
  Diagnostic diagnostic =
      explain_failure(system.dynamics, assembly,
                      {.hold_position = start.initial.hold_position, .hold_velocity = start.initial.hold_velocity});
  const Model& model = *system.model;
  const int last =
      assembly.status == AssemblyStatus::kNoVelocity ? last_freedom_row(system.dynamics, assembly.state) : -1;
  if (last >= 0) {
    // Velocities are not what is wrong: nothing can move.
    const std::string& name = system.dynamics.names().rows[static_cast<std::size_t>(last)];
    diagnostic.message = fmt::format(
        "the constraints leave 0 freedoms, so the velocities of the start cannot be: `{}` takes the last freedom",
        name);
    diagnostic.primary = {model.rows()[static_cast<std::size_t>(last)]->span,
                          fmt::format("{} rows of rank {} on {}", system.dynamics.m(), system.dynamics.nv(),
                                      counted(system.dynamics.nv(), "coordinate", "coordinates"))};
    diagnostic.help = {fmt::format("leave `{}` out, or another constraint that says too much", name),
                       "a mechanism that stands still starts with velocities of 0"};
    mark_held(diagnostic, model.initial.velocity, "held");
  } else if (assembly.worst_row >= 0) {
    const auto rows = model.rows();
    const Names& names = system.dynamics.names();
    const auto row = static_cast<std::size_t>(assembly.worst_row);
    const bool velocity = assembly.status == AssemblyStatus::kNoVelocity;
    const std::string& unit = names.row_units[row];
    const bool rate = velocity && std::count(system.equations.holonomic.begin(), system.equations.holonomic.end(),
                                             assembly.worst_row);
    diagnostic.primary = {rows[row]->span,
                          fmt::format("{} {}{}", rate ? "its rate is left at" : "is left at",
                                      to_text(assembly.worst_residual, 4), unit_suffix(rate ? rate_unit(unit) : unit))};
    if (velocity)
      mark_held(diagnostic, model.initial.velocity, "held");
    else
      mark_held(diagnostic, model.initial.position, "held");
  }
  return diagnostic;
}

std::string why_nothing_moves(const System& system, const Start& start) {
  const int last = last_freedom_row(system.dynamics, start.assembly.state);
  if (last < 0) return "nothing can move";
  return fmt::format("nothing can move: `{}` takes the last freedom",
                     system.dynamics.names().rows[static_cast<std::size_t>(last)]);
}

Diagnostics redundancy_warnings(const System& system, const Start& start) {
  const int m = system.dynamics.m();
  if (!start.assembly.ok() || start.rank() < 0 || start.rank() >= m) return {};
  const std::vector<int> dependent = dependent_rows(system.dynamics, start.assembly.state);
  const KktSolution solution = solve_kkt(system.dynamics, start.assembly.state);
  const std::vector<std::string>& names = system.equations.rows;
  std::vector<std::string> follow;
  for (const int row : dependent) follow.push_back(names[static_cast<std::size_t>(row)]);

  Diagnostic diagnostic = warning(
      "W0205",
      fmt::format("{} of {} constraint rows {} redundant at the start: the motion is unique, some reactions are not",
                  m - start.rank(), m, m - start.rank() == 1 ? "is" : "are"));
  if (!dependent.empty())
    diagnostic.primary = {system.model->rows()[static_cast<std::size_t>(dependent.front())]->span,
                          "follows from the rows before it"};
  diagnostic.notes.push_back(describe_freedoms(system, start));
  if (!follow.empty())
    diagnostic.notes.push_back(fmt::format("follow from the rows before them: {}", join_words(follow)));
  const auto shared = names_where(names, solution.lambda_unique, false),
             unique = names_where(names, solution.lambda_unique, true);
  if (!shared.empty())
    diagnostic.notes.push_back(
        fmt::format("multipliers that are not unique, reported as least-norm: {}", join_words(shared)));
  if (!unique.empty()) diagnostic.notes.push_back(fmt::format("unique multipliers: {}", join_words(unique)));
  diagnostic.help.push_back("for unique multipliers leave out the rows that follow from the others");
  return {diagnostic};
}

std::string describe_start(const System& system, const Start& start) {
  const Names& names = system.dynamics.names();
  const std::vector<std::string> rates = velocity_names(names.coordinates);
  const std::vector<std::string> units = coordinate_units(names);
  std::vector<std::string> rate_units;
  for (const std::string& unit : units) rate_units.push_back(rate_unit(unit));
  const Assembly& assembly = start.assembly;
  std::string text;
  const auto lines = [&](const char* label, std::vector<std::string> positions,
                         const std::vector<std::string>& velocities) {
    text += labelled_list(label, positions);
    text += labelled_list(positions.empty() ? label : "", velocities);
  };
  lines("held", list_values(names.coordinates, units, assembly.state.q, start.initial.hold_position, "="),
        list_values(rates, rate_units, assembly.state.v, start.initial.hold_velocity, "="));
  const auto moved_q = not_negligible(assembly.moved_q, assembly.state.q),
             moved_v = not_negligible(assembly.moved_v, assembly.state.v);
  lines("moved", list_values(names.coordinates, units, assembly.moved_q, moved_q, "by"),
        list_values(rates, rate_units, assembly.moved_v, moved_v, "by"));
  const std::vector<bool> all(names.coordinates.size(), true);
  lines("start", list_values(names.coordinates, units, assembly.state.q, all, "="),
        list_values(rates, rate_units, assembly.state.v, all, "="));
  return text;
}

Json freedoms_json(const Start& start) { return start.rank() < 0 ? Json(nullptr) : Json(start.freedoms()); }

std::string describe_freedoms(const System& system, const Start& start) {
  const std::string velocities = counted(system.dynamics.nv(), "velocity", "velocities");
  if (start.rank() < 0) return velocities + ", freedoms unknown";
  return fmt::format("{} - rank {} = {}", velocities, start.rank(), counted(start.freedoms(), "freedom", "freedoms"));
}

Json held_json(const System& system, const Start& start) {
  const std::vector<std::string>& names = system.dynamics.names().coordinates;
  return {{"q", names_where(names, start.initial.hold_position, true)},
          {"qd", names_where(names, start.initial.hold_velocity, true)}};
}

}  // namespace dalembert::app

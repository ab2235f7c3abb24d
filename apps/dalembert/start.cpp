// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/layout.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::app {
namespace {

// Rows of W that follow from the rows before them: modified Gram–Schmidt on rows scaled to norm 1, in the order of the
// model.
std::vector<int> dependent_rows(const System& system, const State& state) {
  Workspace workspace(system.dynamics);
  evaluate_velocity(system.dynamics, state.t, state.q.data(), workspace);
  const auto n = static_cast<std::size_t>(system.dynamics.n());
  const double tolerance = 1e-8;
  std::vector<std::vector<double>> basis;
  std::vector<int> dependent;
  const auto norm = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return std::sqrt(sum);
  };
  for (int r = 0; r < system.dynamics.m(); ++r) {
    std::vector<double> row(n);
    workspace.W_rows.for_each(r, workspace.W, [&](int i, double w) { row[static_cast<std::size_t>(i)] = w; });
    const double length = norm(row);
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : basis) {
        double product = 0;
        for (std::size_t i = 0; i < n; ++i) product += row[i] * other[i];
        for (std::size_t i = 0; i < n; ++i) row[i] -= product * other[i];
      }
    }
    const double rest = norm(row);
    if (!(rest > tolerance * length)) {
      dependent.push_back(r);
      continue;
    }
    for (double& value : row) value /= rest;
    basis.push_back(std::move(row));
  }
  return dependent;
}

std::vector<std::string> names_where(const std::vector<std::string>& names, const std::vector<bool>& flags,
                                     bool wanted) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < names.size() && i < flags.size(); ++i)
    if (flags[i] == wanted) chosen.push_back(names[i]);
  return chosen;
}

Json where_not_zero(const std::vector<std::string>& names, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (values[i] != 0) append(json, names[i], values[i]);
  return json;
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

// The row at which W reaches the rank of all coordinates, in the order of the model; -1 where freedoms are left.
int last_freedom_row(const System& system, const State& state) {
  constexpr int kLargest = 1000;  // rows are compared with each other
  const int n = system.dynamics.n(), m = system.dynamics.m();
  if (m < n || m > kLargest) return -1;
  const std::vector<int> dependent = dependent_rows(system, state);
  if (m - static_cast<int>(dependent.size()) < n) return -1;
  for (int row = m - 1; row >= 0; --row)
    if (std::ranges::find(dependent, row) == dependent.end()) return row;
  return -1;
}

}  // namespace

void require_samples(const System& system, double from, double to) {
  Diagnostics problems;
  for (const SplineInput& input : system.dynamics.splines()) {
    const CubicSpline& spline = *input.spline;
    if (spline.contains(from) && spline.contains(to)) continue;
    const Input& stated = system.model->inputs[static_cast<std::size_t>(input.input[0])];
    const std::string wanted = from == to ? fmt::format("the state at {} s", to_text(from, 6))
                                          : fmt::format("the run from {} to {} s", to_text(std::min(from, to), 6),
                                                        to_text(std::max(from, to), 6));
    problems.push_back(error("E0506",
                             fmt::format("the samples of the spline `{}` are from {} to {} s, {}", stated.name,
                                         to_text(spline.begin(), 6), to_text(spline.end(), 6), wanted),
                             stated.span));
    problems.back().notes.push_back("a spline has no values before and after its samples");
    problems.back().help.push_back(from == to ? "give samples for that time"
                                              : "end the run with the samples, or give samples for all of it");
  }
  if (!problems.empty()) fail(kExitModel, std::move(problems));
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
  const int last = assembly.status == AssemblyStatus::kNoVelocity ? last_freedom_row(system, assembly.state) : -1;
  if (last >= 0) {
    // Velocities are not what is wrong: nothing can move.
    const std::string& name = system.dynamics.names().rows[static_cast<std::size_t>(last)];
    diagnostic.message = fmt::format(
        "the constraints leave 0 freedoms, so the velocities of the start cannot be: `{}` takes the last freedom",
        name);
    diagnostic.primary = {model.rows()[static_cast<std::size_t>(last)]->span,
                          fmt::format("{} rows of rank {} on {}", system.dynamics.m(), system.dynamics.n(),
                                      counted(system.dynamics.n(), "coordinate", "coordinates"))};
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
  const int last = last_freedom_row(system, start.assembly.state);
  if (last < 0) return "nothing can move";
  return fmt::format("nothing can move: `{}` takes the last freedom",
                     system.dynamics.names().rows[static_cast<std::size_t>(last)]);
}

Diagnostics redundancy_warnings(const System& system, const Start& start) {
  const int m = system.dynamics.m();
  if (!start.assembly.ok() || start.rank() < 0 || start.rank() >= m) return {};
  const std::vector<int> dependent = dependent_rows(system, start.assembly.state);
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

Json rank_json(int rank) { return rank < 0 ? Json(nullptr) : Json(rank); }

Json freedoms_json(const Start& start) { return start.rank() < 0 ? Json(nullptr) : Json(start.freedoms()); }

std::string describe_freedoms(const System& system, const Start& start) {
  const std::string velocities = counted(system.dynamics.n(), "velocity", "velocities");
  if (start.rank() < 0) return velocities + ", freedoms unknown";
  return fmt::format("{} - rank {} = {}", velocities, start.rank(), counted(start.freedoms(), "freedom", "freedoms"));
}

Json moved_json(const System& system, const Start& start) {
  const std::vector<std::string>& names = system.dynamics.names().coordinates;
  return {{"q", where_not_zero(names, start.assembly.moved_q)}, {"qd", where_not_zero(names, start.assembly.moved_v)}};
}

Json held_json(const System& system, const Start& start) {
  const std::vector<std::string>& names = system.dynamics.names().coordinates;
  return {{"q", names_where(names, start.initial.hold_position, true)},
          {"qd", names_where(names, start.initial.hold_velocity, true)}};
}

Json residual_json(const System& system, const State& state) {
  const std::vector<std::string>& rows = system.equations.rows;
  std::vector<std::string> with_position;
  for (const int row : system.dynamics.layout().holonomic) with_position.push_back(rows[static_cast<std::size_t>(row)]);
  return {{"position", named(with_position, position_residual(system.dynamics, state))},
          {"velocity", named(rows, velocity_residual(system.dynamics, state))}};
}

}  // namespace dalembert::app

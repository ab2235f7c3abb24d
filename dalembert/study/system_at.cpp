// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/system_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/analyze/run_options.h"
#include "dalembert/analyze/stability/relative.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/closed_equations.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/study/contacts_at.h"

namespace dalembert {

Assembly assemble_values(const BuiltModel& system, const Start& start, const State& guess,
                         const AssembleOptions& held) {
  const std::vector<QuasiVelocity>& known = system.model->quasi_velocities;
  const auto model = std::make_shared<Model>(*system.model);
  model->initial.quasi_velocity.clear();
  for (const Start::Number& value : start.quasi_velocity) {
    const auto found = std::ranges::find(known, value.coordinate.name, &QuasiVelocity::name);
    if (found == known.end()) continue;  // a velocity of a frame, which the state contains
    model->initial.quasi_velocity.push_back({static_cast<int>(found - known.begin()), value.value, value.span});
  }
  Equations equations = system.equations;
  equations.model = model;
  return assemble_start(equations, system.dynamics, guess, held);
}

namespace {

// Velocities that are given twice, as rates and as quasi-velocities, must agree.
Diagnostics check_agreement(const BuiltModel& system, const Start& start, const State& state) {
  if (start.quasi_velocity.empty() || start.velocity.empty()) return {};
  const Names& names = system.dynamics.names();
  std::vector<std::string> reached;
  std::vector<double> rates;
  const std::vector<Start::Number>* said = &start.quasi_velocity;
  if (system.model->quaternions.empty()) {
    const Terms terms = evaluate_terms(system.dynamics, state);
    NamedOutputs velocities = outputs_of("v/", names.outputs, terms.outputs);
    reached = std::move(velocities.names);
    rates = std::move(velocities.values);
  } else {
    Workspace workspace(system.dynamics);
    rates.resize(state.q.size());
    find_qdot(system.dynamics, state.t, state.q.data(), state.v.data(), workspace, rates.data());
    reached = names.coordinates;
    said = &start.velocity;
  }
  const std::string group = said == &start.velocity ? "qd" : "v", other = said == &start.velocity ? "v" : "qd";
  for (const Start::Number& value : *said) {
    const auto at = std::ranges::find(reached, value.coordinate.name);
    if (at == reached.end()) continue;
    const double is = rates[static_cast<std::size_t>(at - reached.begin())];
    if (std::abs(is - value.value) <= 1e-4 * std::max(1.0, std::abs(value.value))) continue;
    Diagnostic problem =
        error("E0406",
              fmt::format("`{}` and `{}` contradict each other: `{}` is {} here, and {} by `{}`", group, other,
                          value.coordinate.name, to_text(value.value, 6), to_text(is, 6), other),
              value.span);
    problem.help.push_back(fmt::format("leave out `{}`, or what it says of `{}`", other, value.coordinate.name));
    return {problem};
  }
  return {};
}

}  // namespace

Result<SystemAt> system_at(BuiltModel system, const Start* wanted) {
  Start checked;
  const Start* values = nullptr;
  if (wanted != nullptr) {
    checked = *wanted;
    if (Diagnostics problems = check_names(checked, *system.model); !problems.empty()) return problems;
    values = &checked;
  }
  ModelStart start;
  start.guess = initial_state(*system.model);
  start.held = held_values(*system.model);
  if (values != nullptr) {
    apply(*values, *system.model, start.guess);
    // Only the given values are held.
    start.held.hold_position.assign(start.held.hold_position.size(), false);
    start.held.hold_velocity.assign(start.held.hold_velocity.size(), false);
    const auto hold = [&](const std::vector<Start::Number>& given, const std::vector<std::string>& names,
                          std::vector<bool>& held) {
      for (const Start::Number& value : given)
        held[static_cast<std::size_t>(std::ranges::find(names, value.coordinate.name) - names.begin())] = true;
    };
    const Names& names = system.dynamics.names();
    hold(values->position, names.coordinates, start.held.hold_position);
    const bool own = !system.model->quaternions.empty() && !values->quasi_velocity.empty();
    hold(own ? values->quasi_velocity : values->velocity, names.of_motion(), start.held.hold_velocity);
  }
  const double t = start.guess.t;
  if (Diagnostics problems = missing_samples(*system.model, system.dynamics, t, t); !problems.empty()) return problems;
  start.assembly = values != nullptr ? assemble_values(system, *values, start.guess, start.held)
                                     : assemble_start(system.equations, system.dynamics, start.guess, start.held);
  // Given values are often rounded. If holding all of them fails although they nearly satisfy the constraints, hold
  // none.
  if (!start.assembly.ok() && values != nullptr && check_consistency(system.dynamics, start.guess, 1e-4).ok())
    start.assembly = assemble(system.dynamics, start.guess, {});
  if (!start.assembly.ok()) return explain_start(system, start);
  State state = start.assembly.state;
  project(system.dynamics, state);
  if (values != nullptr)
    if (Diagnostics problems = check_agreement(system, *values, state); !problems.empty()) return problems;
  const auto assembled = std::make_shared<const ModelStart>(std::move(start));
  const AssembleOptions& held = assembled->held;
  return SystemAt{std::move(system),  std::move(state), held.hold_position,
                  held.hold_velocity, assembled,        values != nullptr};
}

Result<SystemAt> with_contacts_held(SystemAt given) {
  Result<BuiltModel> held = hold_contacts_at(given.system, given.state);
  if (!held) return held.diagnostics();
  if (!given.system.equations.unilateral.empty())
    given.contacts = std::make_shared<const UnheldContacts>(UnheldContacts{given.system, *held});
  given.system = std::move(held).value();
  return given;
}

namespace {

// The system in the velocities of `closed`, without constraints.
SystemAt in_velocities(const SystemAt& given, ClosedEquations closed, std::vector<double> v) {
  SystemAt made = given;
  replace_equations(made.system, std::move(closed.equations));
  made.state.v = std::move(v);
  made.held_q.clear();
  made.held_v.clear();
  made.left_out = std::move(closed.left_out);
  made.follows.clear();
  made.relative.reset();
  made.lost_outputs = std::move(closed.lost_outputs);
  return made;
}

}  // namespace

std::optional<SystemAt> closed_system(const SystemAt& given) {
  const BuiltModel& system = given.system;
  std::optional<ClosedEquations> closed = closed_equations(system.equations);
  if (!closed) return std::nullopt;
  const Terms terms = evaluate_terms(system.dynamics, given.state);
  std::vector<double> v = outputs_of("v/", system.dynamics.names().outputs, terms.outputs).values;
  if (v.size() != closed->equations.v.size()) return std::nullopt;
  SystemAt alone = in_velocities(given, std::move(*closed), std::move(v));
  const Names& names = system.dynamics.names();
  for (std::size_t i = 0; i < names.outputs.size(); ++i)
    if (names.outputs[i].starts_with("v/")) alone.velocity_units.push_back(names.output_units[i]);
  return alone;
}

SystemAt without_what_drops_out(const SystemAt& given) {
  SystemAt made = given;
  made.left_out = given.relative->left_out;
  made.follows = given.relative->follows;
  made.relative.reset();
  return made;
}

std::optional<SystemAt> relative_system(const SystemAt& given) {
  std::optional<ClosedEquations> found = relative_equations(given.system.equations);
  if (!found) return std::nullopt;
  std::vector<double> v(found->equations.v.size());
  SystemAt made = in_velocities(given, std::move(*found), std::move(v));
  const Dynamics& dynamics = made.system.dynamics;
  Workspace workspace(dynamics);
  const State& at = given.state;
  // q̇ = N v + n₀, so q̇ at v = 0 is n₀.
  std::vector<double> qdot(at.q.size());
  find_qdot(dynamics, at.t, at.q.data(), made.state.v.data(), workspace, qdot.data());
  for (std::size_t i = 0; i < qdot.size(); ++i) qdot[i] = at.v[i] - qdot[i];
  find_displacement(dynamics, at.t, at.q.data(), qdot.data(), workspace, made.state.v.data());
  for (const Output& output : given.system.model->outputs) made.lost_outputs.push_back(output.name);
  return made;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/system_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/state_file.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/closed_equations.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/terms.h"

namespace dalembert::app {

GivenState read_given_state(const Arguments& arguments) {
  const std::string model = arguments.operands[0];
  const std::optional<std::string> path = arguments.value("--at");
  if (path && *path == "-" && model == "-") fail(kExitUsage, "E0403", "MODEL and `--at` cannot both be standard input");
  std::vector<Override> overrides = overrides_of(arguments);
  const ModelSource source = read_model_source(model);
  LoadedModel loaded = load(source, overrides);
  StateFile file;
  if (path) {
    file = read_state_file(*path);
    check_names(file, *loaded.model);
    const std::vector<Override> more = overrides_of(file);
    overrides.insert(overrides.end(), more.begin(), more.end());
    if (!more.empty()) loaded = load(source, overrides);
  }
  return {build(std::move(loaded)), std::move(file), path.has_value(), std::move(overrides), source};
}

Assembly assemble_file(const System& system, const StateFile& file, const InitialState& initial) {
  const std::vector<QuasiVelocity>& known = system.model->quasi_velocities;
  const auto model = std::make_shared<Model>(*system.model);
  model->initial.quasi_velocity.clear();
  for (const StateFile::Value& value : file.v) {
    const auto found = std::ranges::find(known, value.name, &QuasiVelocity::name);
    if (found == known.end()) continue;  // a velocity of a frame, which the state has
    model->initial.quasi_velocity.push_back({static_cast<int>(found - known.begin()), value.value, value.span});
  }
  Equations equations = system.equations;
  equations.model = model;
  return assemble_start(equations, system.dynamics, initial);
}

namespace {

// A file that says a velocity twice says it twice the same.
void require_agreement(const System& system, const StateFile& file, const State& state) {
  if (file.v.empty() || file.qd.empty()) return;
  const Names& names = system.dynamics.names();
  std::vector<std::string> reached;
  std::vector<double> values;
  const std::vector<StateFile::Value>* said = &file.v;
  if (system.model->quaternions.empty()) {
    const Terms terms = evaluate_terms(system.dynamics, state);
    NamedOutputs velocities = outputs_of("v/", names.outputs, terms.outputs);
    reached = std::move(velocities.names);
    values = std::move(velocities.values);
  } else {
    Workspace workspace(system.dynamics);
    values.resize(state.q.size());
    find_qdot(system.dynamics, state.t, state.q.data(), state.v.data(), workspace, values.data());
    reached = names.coordinates;
    said = &file.qd;
  }
  const std::string group = said == &file.v ? "v" : "qd", other = said == &file.v ? "qd" : "v";
  for (const StateFile::Value& value : *said) {
    const auto at = std::ranges::find(reached, value.name);
    if (at == reached.end()) continue;
    const double is = values[static_cast<std::size_t>(at - reached.begin())];
    if (std::abs(is - value.value) <= 1e-4 * std::max(1.0, std::abs(value.value))) continue;
    Diagnostic problem = error("E0406",
                               fmt::format("`{}` and `{}` contradict each other: `{}` is {} here, and {} by `{}`",
                                           group, other, value.name, to_text(value.value, 6), to_text(is, 6), other),
                               value.span);
    problem.help.push_back(fmt::format("leave out `{}`, or what it says of `{}`", other, value.name));
    fail(kExitModel, problem);
  }
}

}  // namespace

SystemAt build_system_at(const Arguments& arguments) {
  auto [system, file, path, overrides, source] = read_given_state(arguments);
  Start start;
  start.initial = initial_state(*system.model);
  if (path) {
    apply(file, *system.model, start.initial.state);
    // What the file says is held, and nothing else.
    start.initial.hold_position.assign(start.initial.hold_position.size(), false);
    start.initial.hold_velocity.assign(start.initial.hold_velocity.size(), false);
    const auto hold = [&](const std::vector<StateFile::Value>& values, const std::vector<std::string>& names,
                          std::vector<bool>& held) {
      for (const StateFile::Value& value : values)
        held[static_cast<std::size_t>(std::ranges::find(names, value.name) - names.begin())] = true;
    };
    const Names& names = system.dynamics.names();
    hold(file.q, names.coordinates, start.initial.hold_position);
    const bool own = !system.model->quaternions.empty() && !file.v.empty();
    hold(own ? file.v : file.qd, names.of_motion(), start.initial.hold_velocity);
  }
  require_samples(system, start.initial.state.t, start.initial.state.t);
  start.assembly = path ? assemble_file(system, file, start.initial)
                        : assemble_start(system.equations, system.dynamics, start.initial);
  // Values of a file are rounded: all of them held are no state.
  if (!start.assembly.ok() && path && check_consistency(system.dynamics, start.initial.state, 1e-4).ok())
    start.assembly = assemble(system.dynamics, start.initial.state, {});
  if (!start.assembly.ok()) fail(kExitNumerical, explain_start(system, start));
  State state = start.assembly.state;
  project(system.dynamics, state);
  if (path) require_agreement(system, file, state);
  return {std::move(system),
          std::move(state),
          start.initial.hold_position,
          start.initial.hold_velocity,
          std::move(overrides),
          source,
          path};
}

namespace {

// The state in other velocities, none of the constraints.
SystemAt in_velocities(const SystemAt& given, ClosedEquations closed, std::vector<double> v) {
  SystemAt made = given;
  made.system.model = closed.equations.model;
  made.system.dynamics = compile(closed.equations);
  made.system.equations = std::move(closed.equations);
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
  const System& system = given.system;
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

SteadyAt::SteadyAt(const SystemAt& given, const Dynamics& dynamics, const EquationDerivatives& derivatives)
    : steady_{&dynamics, &derivatives, given.left_out, given.follows} {
  if (!given.relative) return;
  relative_ = {&dynamics, &derivatives, given.relative->left_out, given.relative->follows};
  steady_.relative = &relative_;
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
  // q̇ = N v + n₀, and n₀ is q̇ of v = 0.
  std::vector<double> qdot(at.q.size());
  find_qdot(dynamics, at.t, at.q.data(), made.state.v.data(), workspace, qdot.data());
  for (std::size_t i = 0; i < qdot.size(); ++i) qdot[i] = at.v[i] - qdot[i];
  find_displacement(dynamics, at.t, at.q.data(), qdot.data(), workspace, made.state.v.data());
  for (const Output& output : given.system.model->outputs) made.lost_outputs.push_back(output.name);
  return made;
}

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/reactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "dalembert/base/text.h"
#include "dalembert/expr/visit.h"
#include "dalembert/scene/scene.h"

namespace dalembert {
namespace {

Diagnostic unknown(const char* kind, const std::string& name, const std::vector<std::string>& known) {
  Diagnostic problem = error("E0102", fmt::format("unknown {} `{}`", kind, name));
  if (const auto near = nearest(name, known))
    problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  else if (!known.empty())
    problem.help.push_back(fmt::format("known: {}", join_words(known)));
  return problem;
}

const Constraint* find_constraint(const Model& model, const std::string& name) {
  for (const Constraint& constraint : model.constraints)
    if (constraint.name == name || (constraint.rows.size() == 1 && constraint.rows[0].name == name)) return &constraint;
  return nullptr;
}

// The orientation of axes: an angle in the plane, a rotation matrix R in space; neither for axes that do not turn.
struct Axes {
  Expr angle;
  std::vector<Expr> rotation;
};

std::optional<Axes> find_axes(const Model& model, const std::string& name) {
  for (const Frame& frame : model.frames)
    if (frame.name == name) return Axes{frame.angle, frame.rotation};
  for (const Body& body : model.bodies)
    if (body.name == name)
      return body.frame.name.empty() ? Axes{body.angle, {}} : Axes{body.frame.angle, body.frame.rotation};
  return std::nullopt;
}

std::vector<std::string> axes_names(const Model& model) {
  std::vector<std::string> names;
  for (const Frame& frame : model.frames) names.push_back(frame.name);
  for (const Body& body : model.bodies) names.push_back(body.name);
  return names;
}

// Components of f in the axes: Rᵀ f.
ScenePoint along(const Axes& axes, const ScenePoint& f, const std::function<double(SymbolId)>& value_of) {
  if (axes.rotation.size() == 9) {
    const std::vector<double> R = evaluate(axes.rotation, value_of);
    ScenePoint turned{};
    for (std::size_t i = 0; i < 3; ++i) turned[i] = R[i] * f[0] + R[3 + i] * f[1] + R[6 + i] * f[2];
    return turned;
  }
  if (!axes.angle) return f;
  const double angle = evaluate(axes.angle, value_of), c = std::cos(angle), s = std::sin(angle);
  return {c * f[0] + s * f[1], -s * f[0] + c * f[1], f[2]};
}

// Takes the multipliers themselves as components.
void take_rows(const BuiltModel& system, const Trajectory& run, const Constraint& constraint, Reaction& reaction) {
  const Names& names = system.dynamics.names();
  std::vector<std::string> units;
  for (const ConstraintRow& row : constraint.rows) {
    const auto r = static_cast<std::size_t>(std::ranges::find(names.rows, row.name) - names.rows.begin());
    reaction.components.push_back(row.name);
    reaction.values.push_back(run.lambda[r]);
    units.push_back(r < names.lambda_units.size() ? names.lambda_units[r] : "");
  }
  if (!units.empty() && std::ranges::count(units, units[0]) == static_cast<std::ptrdiff_t>(units.size()))
    reaction.unit = units[0];
}

// Finds the force of a constraint in the scene, or else its torque.
std::vector<SceneForce>::const_iterator force_of(const Scene& scene, const std::string& constraint) {
  for (const bool turns : {false, true})
    if (const auto found = std::ranges::find_if(
            scene.forces,
            [&](const SceneForce& one) { return !one.rows.empty() && one.name == constraint && one.turns == turns; });
        found != scene.forces.end())
      return found;
  return scene.forces.end();
}

Diagnostic acts_nowhere(const std::string& constraint, const std::string& frame) {
  Diagnostic nowhere =
      error("E0522", fmt::format("it is not known where the force of `{}` acts, so it has no components along `{}`",
                                 constraint, frame));
  nowhere.help.push_back("without a frame the multipliers of its rows are given");
  nowhere.help.push_back("points and bodies in the model say where things are");
  return nowhere;
}

// The value of a symbol in a row of the run; `state` is the state of that row.
double value_in_row(const BuiltModel& system, const Trajectory& run, const State& state, std::size_t row, SymbolId id) {
  const Symbol& symbol = system.equations.graph->symbol_info(id);
  const auto index = static_cast<std::size_t>(symbol.index);
  switch (symbol.kind) {
    case SymbolKind::kTime:
      return state.t;
    case SymbolKind::kCoordinate:
      return state.q[index];
    case SymbolKind::kParameter:
      return system.dynamics.parameters()[index];
    case SymbolKind::kInput:
      return index < run.u.size() ? run.u[index][row] : std::numeric_limits<double>::quiet_NaN();
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

Result<Reaction> reaction_along(const BuiltModel& system, const Trajectory& run, const std::string& name,
                                const std::string& frame) {
  const Model& model = *system.model;
  const Constraint* const constraint = find_constraint(model, name);
  if (constraint == nullptr) {
    std::vector<std::string> known;
    for (const Constraint& one : model.constraints) known.push_back(one.name);
    return unknown("constraint", name, known);
  }
  std::optional<Axes> axes;
  if (!frame.empty()) {
    axes = find_axes(model, frame);
    if (!axes) return unknown("frame", frame, axes_names(model));
  }
  Reaction reaction;
  reaction.constraint = constraint->name;
  reaction.time = run.time;
  if (run.size() == 0) return reaction;

  const Scene scene = scene_of(system.equations, system.dynamics, run.state(0));
  const auto force = force_of(scene, constraint->name);
  if (force == scene.forces.end()) {
    if (!frame.empty()) return acts_nowhere(constraint->name, frame);
    take_rows(system, run, *constraint, reaction);
    return reaction;
  }

  reaction.located = true;
  reaction.turns = force->turns;
  reaction.frame = frame;
  reaction.unit = force->unit;
  reaction.point = scene.tracks[static_cast<std::size_t>(force->track)].name;
  const std::size_t count = scene.space == 2 ? (force->turns ? 1 : 2) : 3;
  const std::array<const char*, 3> letters{"x", "y", "z"};
  for (std::size_t k = 0; k < count; ++k) reaction.components.emplace_back(count == 1 ? "torque" : letters[k]);
  reaction.values.assign(count, std::vector<double>(run.size()));
  SceneEvaluator evaluator(scene, system.dynamics);
  const auto which = static_cast<std::size_t>(force - scene.forces.begin());
  std::vector<double> lambda;
  for (std::size_t row = 0; row < run.size(); ++row) {
    const State state = run.state(row);
    lambda.clear();
    for (const auto* group : {&run.lambda, &run.friction})
      for (const std::vector<double>& series : *group) lambda.push_back(series[row]);
    ScenePoint f = evaluator.at(state, lambda).force[which];
    if (axes && count > 1) f = along(*axes, f, [&](SymbolId id) { return value_in_row(system, run, state, row, id); });
    for (std::size_t k = 0; k < count; ++k) reaction.values[k][row] = f[k];
  }
  return reaction;
}

ReactionPeak find_peak(const Reaction& reaction) {
  ReactionPeak peak{0, std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t row = 0; row < reaction.time.size(); ++row) {
    double square = 0;
    for (const std::vector<double>& component : reaction.values) square += component[row] * component[row];
    const double size = std::sqrt(square);
    if (std::isfinite(size) && !(size <= peak.magnitude)) peak = {row, size};
  }
  return peak;
}

}  // namespace dalembert

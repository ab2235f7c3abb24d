// SPDX-License-Identifier: Apache-2.0
// Derivatives of the start of a run by a parameter or an initial value, by finite differences of starts that are each assembled onto the constraints.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/study/system_at.h"

namespace dalembert {
namespace {

// A quantity that the start depends on.
struct StartQuantity {
  enum class Kind { kParameter, kPosition, kVelocity, kAngular, kQuasiVelocity } kind = Kind::kParameter;
  int index = 0;
  std::size_t velocity = 0;  // of a velocity: its index in v
  std::string unit;
  double size = 1;  // displacements of the quantity are fractions of this
};

Result<StartQuantity> find_quantity(const BuiltModel& system, const std::string& name) {
  using Kind = StartQuantity::Kind;
  const Model& model = *system.model;
  std::vector<std::string> known;
  std::optional<StartQuantity> found;
  const auto offer = [&](const std::string& offered, Kind kind, int index, const std::optional<Dimension>& dimension,
                         std::size_t velocity = 0) {
    known.push_back(offered);
    if (offered == name && !found)
      found = {kind, index, velocity, dimension ? unit_name(*dimension, Measure::kAngle) : "", 1};
  };
  const auto per_time = [](const std::optional<Dimension>& dimension) {
    return dimension ? std::optional(*dimension / Dimension::time()) : dimension;
  };
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    offer(model.parameters[i].name, Kind::kParameter, static_cast<int>(i), model.parameters[i].dimension);
    if (found && found->index == static_cast<int>(i) && model.parameters[i].value != 0)
      found->size = std::abs(model.parameters[i].value);
  }
  for (std::size_t i = 0; i < model.coordinates.size(); ++i)
    offer(model.coordinates[i].name, Kind::kPosition, static_cast<int>(i), model.coordinates[i].dimension);
  const std::vector<VelocityPlace> places = model.velocity_places();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const VelocityPlace& place = places[i];
    if (place.quaternion < 0)
      offer(model.velocity_name(place), Kind::kVelocity, place.coordinate,
            per_time(model.coordinates[static_cast<std::size_t>(place.coordinate)].dimension), i);
    else
      offer(model.velocity_name(place), Kind::kAngular, 3 * place.quaternion + place.axis, per_time(Dimension::none()),
            i);
  }
  // A quasi-velocity that the model does not hold has no value of its own at the start.
  for (const InitialValue& held : model.initial.quasi_velocity) {
    const auto i = static_cast<std::size_t>(held.coordinate);
    offer(model.quasi_velocities[i].name, Kind::kQuasiVelocity, static_cast<int>(i),
          model.quasi_velocities[i].dimension);
  }
  if (found) return *std::move(found);
  Diagnostic problem = error(
      "E0403", fmt::format("`{}` is neither a parameter nor the initial value of a coordinate or velocity", name));
  if (const auto near = nearest(name, known)) problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  return problem;
}

// The system with the quantity changed by `change`. An initial value is held at its value in `start` plus `change`, even if the model only guesses it.
BuiltModel changed_by(const BuiltModel& system, const StartQuantity& quantity, const State& start, double change) {
  using Kind = StartQuantity::Kind;
  if (quantity.kind == Kind::kParameter) {
    std::vector<double> values;
    for (const Parameter& parameter : system.model->parameters) values.push_back(parameter.value);
    values[static_cast<std::size_t>(quantity.index)] += change;
    return with_parameters(system, values);
  }
  const auto model = std::make_shared<Model>(*system.model);
  Initial& initial = model->initial;
  const auto hold = [&](std::vector<InitialValue>& held, std::vector<InitialValue>* guesses, double value) {
    const auto is_it = [&](const InitialValue& one) { return one.coordinate == quantity.index; };
    if (const auto one = std::ranges::find_if(held, is_it); one != held.end()) {
      one->value += change;
    } else {
      if (guesses != nullptr) std::erase_if(*guesses, is_it);
      held.push_back({quantity.index, value + change, {}});
    }
  };
  switch (quantity.kind) {
    case Kind::kParameter:
      break;
    case Kind::kPosition:
      hold(initial.position, &initial.position_guess, start.q[static_cast<std::size_t>(quantity.index)]);
      break;
    case Kind::kVelocity:
      hold(initial.velocity, &initial.velocity_guess, start.v[quantity.velocity]);
      break;
    case Kind::kAngular:
      hold(initial.angular, &initial.angular_guess, start.v[quantity.velocity]);
      break;
    case Kind::kQuasiVelocity:
      hold(initial.quasi_velocity, nullptr, 0);
      break;
  }
  BuiltModel other = system;
  other.model = other.equations.model = model;
  return other;
}

}  // namespace

Diagnostics find_tangents(const BuiltModel& system, IntegrateOptions& options) {
  DerivativeAlong difference;
  const Assembly start = assemble_start(system.equations, system.dynamics);
  std::vector<int> parameters;
  for (Tangent& tangent : options.tangents) {
    Result<StartQuantity> quantity = find_quantity(system, tangent.name);
    if (!quantity) return quantity.diagnostics();
    std::vector<double> derivative;
    const bool found = difference.find(
        DerivativeAlong::kDisplacement * quantity->size,
        [&](double change, std::vector<double>& values) {
          const BuiltModel beside = changed_by(system, *quantity, start.state, change);
          const Assembly assembly = assemble_start(beside.equations, beside.dynamics);
          if (!assembly.ok()) return false;
          values = assembly.state.q;
          values.insert(values.end(), assembly.state.v.begin(), assembly.state.v.end());
          return true;
        },
        derivative);
    if (!found) {
      Diagnostic problem = error("E0403", fmt::format("no start has `{}` a little larger or smaller", tangent.name));
      problem.help.emplace_back(
          "the constraints and the values that are held determine it: differentiate by one of those, or hold fewer");
      return {problem};
    }
    const auto middle = derivative.begin() + static_cast<std::ptrdiff_t>(start.state.q.size());
    tangent = {tangent.name, quantity->unit, {derivative.begin(), middle}, {middle, derivative.end()}};
    if (quantity->kind != StartQuantity::Kind::kParameter) continue;
    tangent.parameters.emplace_back(quantity->index, 1.0);
    parameters.push_back(quantity->index);
  }
  if (!options.tangents.empty()) options.derivatives = compile_derivatives(system.equations, parameters);
  return {};
}

}  // namespace dalembert

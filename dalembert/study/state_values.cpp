// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/system_at.h"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/base/text.h"

namespace dalembert {
namespace {

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

// In models with quaternions, where a velocity may have a name of its own, "x'" is the rate of x.
void name_coordinate(CoordinateName& velocity, const Model& model) {
  const std::string of = velocity.name.substr(0, velocity.name.size() - 1);
  if (velocity.name.ends_with('\'') && model.coordinate_index(of) >= 0) velocity.name = of;
}

std::vector<Start::Number> numbers_of(const std::vector<Start::Value>& values,
                                      std::optional<double> Start::Value::*which) {
  std::vector<Start::Number> numbers;
  for (const Start::Value& value : values)
    if (value.*which) numbers.push_back({value.coordinate, *(value.*which)});
  return numbers;
}

// What was meant by a name that is none of `names`. `rated`: names of coordinates, whose rates are written in many ways; such a word is no misprint of
// the coordinate.
std::vector<std::string> help_for_name(const std::string& name, const std::vector<std::string>& names,
                                       const std::vector<std::string>& rated) {
  const std::string rate =
      rate_meant(name, [&](const std::string& one) { return std::ranges::find(rated, one) != rated.end(); });
  if (!rate.empty() && !rate.ends_with("''")) {
    const std::string of = rate.substr(0, rate.size() - 1);
    if (std::ranges::find(names, of) != names.end())
      return {fmt::format("did you mean `{}`, the rate of `{}`? Among `qd` it is `{}`", rate, of, of)};
    return {fmt::format("`{}` is the rate of a coordinate, which is `{}` in `qd`; these are {}", rate, of,
                        join_words(names))};
  }
  if (const auto near = nearest(name, names)) return {fmt::format("did you mean `{}`?", *near)};
  if (names.empty() || names.size() > 20) return {};
  return {fmt::format("it has {}", join_words(names))};
}

Diagnostics unknown_names(const std::vector<Start::Number>& values, const std::vector<std::string>& names,
                          const char* kind, const std::vector<std::string>& rated) {
  Diagnostics problems;
  for (const Start::Number& value : values) {
    const std::string& name = value.coordinate.name;
    if (std::ranges::find(names, name) != names.end()) continue;
    Diagnostic diagnostic = error("E0406", fmt::format("the model has no {} `{}`", kind, name), value.span);
    diagnostic.help = help_for_name(name, names, rated);
    problems.push_back(std::move(diagnostic));
  }
  return problems;
}

}  // namespace

std::vector<std::string> velocity_names(const Model& model) {
  if (model.quaternions.empty()) return names_of(model.coordinates);
  std::vector<std::string> names;
  for (const VelocityPlace& place : model.velocity_places())
    names.push_back(place.quaternion < 0 ? model.coordinates[static_cast<std::size_t>(place.coordinate)].name
                                         : model.velocity_name(place));
  return names;
}

Diagnostics check_names(const std::vector<Start::Number>& values, const std::vector<std::string>& names,
                        const char* kind) {
  return unknown_names(values, names, kind, {});
}

Diagnostics check_names(Start& start, const Model& model) {
  const bool own = !model.quaternions.empty();
  for (const Start::Number& value : numbers_of(start.fixed, &Start::Value::position)) start.position.push_back(value);
  for (const Start::Number& value : numbers_of(start.fixed, &Start::Value::velocity)) start.velocity.push_back(value);
  start.fixed.clear();
  if (own) {
    for (auto* group : {&start.velocity, &start.quasi_velocity})
      for (Start::Number& value : *group) name_coordinate(value.coordinate, model);
    for (Start::Value& value : start.guess) name_coordinate(value.coordinate, model);
  }
  Diagnostics problems;
  const std::vector<std::string> coordinates = names_of(model.coordinates), velocities = velocity_names(model);
  const auto check = [&](const std::vector<Start::Number>& values, const std::vector<std::string>& names,
                         const char* kind) {
    for (Diagnostic& problem : unknown_names(values, names, kind, coordinates)) problems.push_back(std::move(problem));
  };
  const char* const velocity = own ? "velocity" : "coordinate";
  check(numbers_of(start.guess, &Start::Value::position), coordinates, "coordinate");
  check(numbers_of(start.guess, &Start::Value::velocity), velocities, velocity);
  check(start.position, coordinates, "coordinate");
  // In models with quaternions, `quasi_velocity` alone determines all rates.
  if (!own || start.quasi_velocity.empty()) check(start.velocity, velocities, velocity);
  check(start.quasi_velocity, own ? velocities : names_of(model.quasi_velocities), own ? "velocity" : "quasi-velocity");
  return problems;
}

void apply(const Start& start, const Model& model, State& state) {
  state.t = start.t.value_or(state.t);
  const auto put = [](const std::vector<Start::Number>& given, const std::vector<std::string>& names,
                      std::vector<double>& into) {
    for (const Start::Number& value : given)
      into[static_cast<std::size_t>(std::ranges::find(names, value.coordinate.name) - names.begin())] = value.value;
  };
  const std::vector<std::string> coordinates = names_of(model.coordinates), velocities = velocity_names(model);
  put(numbers_of(start.guess, &Start::Value::position), coordinates, state.q);
  put(numbers_of(start.guess, &Start::Value::velocity), velocities, state.v);
  put(start.position, coordinates, state.q);
  const bool own = !model.quaternions.empty() && !start.quasi_velocity.empty();
  put(own ? start.quasi_velocity : start.velocity, velocities, state.v);
}

}  // namespace dalembert

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

void check_group(const std::vector<StateValues::Value>& values, const std::vector<std::string>& names, const char* kind,
                 Diagnostics& problems) {
  for (const StateValues::Value& value : values) {
    if (std::ranges::find(names, value.name) != names.end()) continue;
    Diagnostic diagnostic = error("E0406", fmt::format("the model has no {} `{}`", kind, value.name), value.span);
    if (const auto near = nearest(value.name, names))
      diagnostic.help.push_back(fmt::format("did you mean `{}`?", *near));
    else if (!names.empty() && names.size() <= 20)
      diagnostic.help.push_back(fmt::format("it has {}", join_words(names)));
    problems.push_back(std::move(diagnostic));
  }
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

Diagnostics check_names(StateValues& values, const Model& model) {
  for (auto* group : {&values.qd, &values.v})
    for (StateValues::Value& value : *group)
      if (const std::string of = value.name.substr(0, value.name.size() - 1);
          !model.quaternions.empty() && value.name.ends_with('\'') && model.coordinate_index(of) >= 0)
        value.name = of;
  Diagnostics problems;
  const std::vector<std::string> coordinates = names_of(model.coordinates);
  check_group(values.q, coordinates, "coordinate", problems);
  // In models with quaternions, `v` alone determines all rates.
  const bool own = !model.quaternions.empty();
  if (!own || values.v.empty())
    check_group(values.qd, velocity_names(model), own ? "velocity" : "coordinate", problems);
  check_group(values.v, own ? velocity_names(model) : names_of(model.quasi_velocities),
              own ? "velocity" : "quasi-velocity", problems);
  check_group(values.inputs, names_of(model.inputs), "input", problems);
  check_group(values.parameters, names_of(model.parameters), "parameter", problems);
  return problems;
}

void apply(const StateValues& values, const Model& model, State& state) {
  state.t = values.t.value_or(state.t);
  const auto put = [&](const std::vector<StateValues::Value>& given, std::vector<double>& into) {
    for (const StateValues::Value& value : given)
      into[static_cast<std::size_t>(model.coordinate_index(value.name))] = value.value;
  };
  put(values.q, state.q);
  if (model.quaternions.empty()) return put(values.qd, state.v);
  const std::vector<std::string> names = velocity_names(model);
  for (const StateValues::Value& value : values.v.empty() ? values.qd : values.v)
    state.v[static_cast<std::size_t>(std::ranges::find(names, value.name) - names.begin())] = value.value;
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/initial_values.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace dalembert {

RateName rate_name(std::string_view name) {
  if (name.ends_with("'")) return {std::string(name.substr(0, name.size() - 1)), true};
  if (name.starts_with("dot(") && name.ends_with(")")) return {std::string(name.substr(4, name.size() - 5)), true};
  return {std::string(name), false};
}

std::optional<InitialPlace> find_initial(const Model& model, std::string_view name) {
  using Kind = InitialPlace::Kind;
  const auto& quasi = model.quasi_velocities;
  if (const auto found = std::ranges::find(quasi, name, &QuasiVelocity::name); found != quasi.end())
    return InitialPlace{Kind::kQuasiVelocity, static_cast<int>(found - quasi.begin()), found->dimension};
  for (const VelocityPlace& place : model.velocity_places())
    if (place.quaternion >= 0 && model.velocity_name(place) == name)
      return InitialPlace{Kind::kAngular, 3 * place.quaternion + place.axis, Dimension::none() / Dimension::time()};
  const RateName of = rate_name(name);
  const int index = model.coordinate_index(of.coordinate);
  if (index < 0) return std::nullopt;
  const std::optional<Dimension>& own = model.coordinates[static_cast<std::size_t>(index)].dimension;
  return InitialPlace{of.rate ? Kind::kVelocity : Kind::kPosition, index,
                      own && of.rate ? std::optional(*own / Dimension::time()) : own};
}

const InitialValue* held_at(const Initial& initial, const InitialPlace& place) {
  using Kind = InitialPlace::Kind;
  const std::vector<InitialValue>& held = place.kind == Kind::kPosition   ? initial.position
                                          : place.kind == Kind::kVelocity ? initial.velocity
                                          : place.kind == Kind::kAngular  ? initial.angular
                                                                          : initial.quasi_velocity;
  const auto found = std::ranges::find(held, place.index, &InitialValue::coordinate);
  return found == held.end() ? nullptr : &*found;
}

std::optional<double> held_value(const Initial& initial, const InitialPlace& place) {
  const InitialValue* found = held_at(initial, place);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

void hold(Initial& initial, const InitialPlace& place, double value, const Span& span) {
  using Kind = InitialPlace::Kind;
  const auto replace = [&](std::vector<InitialValue>& held, std::vector<InitialValue>* guesses) {
    const auto is_it = [&](const InitialValue& one) { return one.coordinate == place.index; };
    std::erase_if(held, is_it);
    if (guesses != nullptr) std::erase_if(*guesses, is_it);
    held.push_back({place.index, value, span});
  };
  switch (place.kind) {
    case Kind::kPosition:
      return replace(initial.position, &initial.position_guess);
    case Kind::kVelocity:
      return replace(initial.velocity, &initial.velocity_guess);
    case Kind::kAngular:
      return replace(initial.angular, &initial.angular_guess);
    case Kind::kQuasiVelocity:
      replace(initial.quasi_velocity, nullptr);
      std::ranges::move(initial.velocity, std::back_inserter(initial.velocity_guess));
      initial.velocity.clear();
  }
}

void evaluate_initial_formulas(Model& model) {
  Initial& initial = model.initial;
  for (auto* group : {&initial.position, &initial.velocity, &initial.position_guess, &initial.velocity_guess,
                      &initial.angular, &initial.angular_guess, &initial.quasi_velocity})
    for (InitialValue& one : *group)
      if (one.formula) one.value = model.value_of(one.formula);
}

}  // namespace dalembert

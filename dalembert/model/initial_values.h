// SPDX-License-Identifier: Apache-2.0
// Initial values by name, as options and studies give them: `theta`, `theta'`, `dot(theta)`, `top.omega.x`, a quasi-velocity.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dalembert/model/model.h"

namespace dalembert {

/// A name that may be that of a rate: `theta'` and `dot(theta)` are the rate of `theta`.
struct RateName {
  std::string coordinate;
  bool rate = false;
};
RateName rate_name(std::string_view name);

/// What an initial value is of.
struct InitialPlace {
  enum class Kind { kPosition, kVelocity, kAngular, kQuasiVelocity } kind = Kind::kPosition;
  int index = 0;                            ///< as InitialValue::coordinate
  std::optional<Dimension> dimension = {};  ///< nothing if it is not known
};
/// The place of an initial value; nothing if the model has no position or velocity of that name.
std::optional<InitialPlace> find_initial(const Model& model, std::string_view name);

/// What is held at a place; null if nothing is.
const InitialValue* held_at(const Initial& initial, const InitialPlace& place);
/// The value that is held at a place; nothing if none is.
std::optional<double> held_value(const Initial& initial, const InitialPlace& place);

/// Holds an initial value in place of what was held or guessed there. If it is a quasi-velocity, the held velocities of coordinates become
/// guesses.
void hold(Initial& initial, const InitialPlace& place, double value, const Span& span);

/// Evaluates the initial values that are formulas of parameters.
void evaluate_initial_formulas(Model& model);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/limit_words.h"

#include <fmt/format.h>

#include <cstddef>

#include "dalembert/base/text.h"
#include "dalembert/model/model.h"

namespace dalembert {

std::string words_of_restitution(const std::string& constraint, std::string_view value) {
  return fmt::format("the restitution of `{}` is {}, not in [0, 1]", constraint, value);
}

std::string words_of_coefficient(const std::string& friction, std::string_view value) {
  return fmt::format("the coefficient of the friction `{}` is {}", friction, value);
}

std::string words_of_coefficients(const std::string& friction, std::string_view sticking, std::string_view sliding) {
  return fmt::format("the friction `{}` sticks with a coefficient of {} and slides with one of {}", friction, sticking,
                     sliding);
}

std::string refuse_restitution(const std::string& constraint, double e) {
  return e >= 0 && e <= 1 ? "" : words_of_restitution(constraint, fmt::format("{}", e));
}

std::string refuse_coefficient(const std::string& friction, double coefficient) {
  return coefficient < 0 ? words_of_coefficient(friction, to_text(coefficient, 6)) : "";
}

std::string refuse_static(const std::string& friction, double sticking, double sliding) {
  // Parameters that are meant to be equal may differ by round-off.
  if (!(sticking < sliding * (1 - 1e-12))) return "";
  return words_of_coefficients(friction, to_text(sticking, 6), to_text(sliding, 6));
}

std::string refuse_limits(const Model& model) {
  for (const Constraint& constraint : model.constraints) {
    if (!constraint.restitution) continue;
    if (std::string why = refuse_restitution(constraint.name, model.value_of(constraint.restitution)); !why.empty())
      return why;
  }
  for (std::size_t i = 0; i < model.frictions.size(); ++i) {
    const Friction& friction = model.frictions[i];
    if (friction.second) continue;
    // In a plane "floor[1]" is stated as "floor".
    const bool plane = i + 1 < model.frictions.size() && model.frictions[i + 1].second;
    const std::string name = plane ? friction.name.substr(0, friction.name.rfind('[')) : friction.name;
    const double sliding = model.value_of(friction.coefficient);
    std::string why = refuse_coefficient(name, sliding);
    if (why.empty()) why = refuse_static(name, model.value_of(friction.static_coefficient), sliding);
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace dalembert

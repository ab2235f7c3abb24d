// SPDX-License-Identifier: Apache-2.0
// Angles in figures: numbers are in radians everywhere else.
#pragma once

#include <numbers>
#include <optional>
#include <string>

namespace dalembert {

constexpr double kDegreesPerRadian = 180 / std::numbers::pi;

/// "deg" for "rad", "deg/s" for "rad/s", and so on; nothing for a unit that does not begin with an angle.
inline std::optional<std::string> unit_in_degrees(const std::string& unit) {
  if (unit == "rad" || unit.starts_with("rad/") || unit.starts_with("rad*")) return "deg" + unit.substr(3);
  return std::nullopt;
}

}  // namespace dalembert

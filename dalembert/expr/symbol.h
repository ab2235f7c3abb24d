// SPDX-License-Identifier: Apache-2.0
// What a symbol stands for.
#pragma once

#include <cstdint>
#include <string>

namespace dalembert {

enum class SymbolKind : std::uint8_t {
  kTime,
  kParameter,
  kInput,
  kCoordinate,
  kVelocity,
  kAcceleration,
  kMultiplier,
  kQuasiVelocity,      // a velocity v that is not the rate of a coordinate
  kQuasiAcceleration,  // its rate; has the velocity's name
  kShorthand,          // a name that stands for nothing else
};

/// What the equations of motion are solved for: accelerations and multipliers.
constexpr bool is_result(SymbolKind kind) {
  return kind == SymbolKind::kAcceleration || kind == SymbolKind::kQuasiAcceleration || kind == SymbolKind::kMultiplier;
}
constexpr bool is_velocity(SymbolKind kind) {
  return kind == SymbolKind::kVelocity || kind == SymbolKind::kQuasiVelocity;
}

using SymbolId = std::uint32_t;

struct Symbol {
  std::string name;  ///< as printed: "theta"; a velocity has its coordinate's name
  SymbolKind kind = SymbolKind::kShorthand;
  int index = 0;      ///< position among the symbols of its kind, in the order of the model
  std::string latex;  ///< given by the user; empty: made from the name
};

}  // namespace dalembert

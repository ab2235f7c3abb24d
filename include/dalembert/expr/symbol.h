// SPDX-License-Identifier: Apache-2.0
// What a symbol stands for, and the ways in which formulas are written.
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
  kQuasiAcceleration,  // the rate of a quasi-velocity; has the same name
  kShorthand,          // a name that is none of the above
};

/// Whether symbols of this kind are the unknowns of the equations of motion: accelerations and multipliers.
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
  int index = 0;      ///< index among the symbols of its kind, in the order of the model
  std::string latex;  ///< given by the user; empty: derived from the name
};

/// How formulas are written (print.h).
enum class Notation {
  kText,     ///< text that the parser reads back
  kLatex,    ///< LaTeX with amsmath
  kUnicode,  ///< for people: `½ m L² θ̇² sin(θ)`; nothing reads it back
};

}  // namespace dalembert

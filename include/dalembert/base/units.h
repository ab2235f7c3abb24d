// SPDX-License-Identifier: Apache-2.0
// Units and dimensions. Everything is stored in SI; a unit is a factor and a dimension. Angles are dimensionless (rad = 1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// Exponents of the SI base units kg, m, s, A, K, mol, cd. Roots give halves and thirds, so the exponents are doubles, compared with a tolerance of 1e-9.
struct Dimension {
  std::array<double, 7> exponents{};

  bool dimensionless() const;
  friend Dimension operator*(const Dimension& a, const Dimension& b);
  friend Dimension operator/(const Dimension& a, const Dimension& b);
  friend bool operator==(const Dimension& a, const Dimension& b);
  Dimension power(double exponent) const;

  static Dimension none() { return {}; }
  static Dimension mass() { return {{1}}; }
  static Dimension length() { return {{0, 1}}; }
  static Dimension time() { return {{0, 0, 1}}; }
  static Dimension energy() { return {{1, 2, -2}}; }      ///< unit J
  static Dimension power_unit() { return {{1, 2, -3}}; }  ///< unit W
  static Dimension force() { return {{1, 1, -2}}; }       ///< unit N
};

/// A dimension that is known in part: known · Π u_k^c_k, where the dimensions u_k are unknowns
/// (expr/dimension_solver.h).
struct DimensionTerm {
  Dimension known;
  std::vector<std::pair<std::uint32_t, double>> unknown;  ///< (k, c_k), ascending in k, no c_k is 0

  DimensionTerm() = default;
  DimensionTerm(const Dimension& dimension) : known(dimension) {}
  DimensionTerm power(double exponent) const;
  friend DimensionTerm operator*(const DimensionTerm& a, const DimensionTerm& b);
  friend DimensionTerm operator/(const DimensionTerm& a, const DimensionTerm& b);
};

struct Unit {
  double factor = 1;  ///< value in SI = number * factor
  Dimension dimension;
};

struct Quantity {
  double value = 0;                    ///< in SI
  std::optional<Dimension> dimension;  ///< absent when the text is a plain number
};

/// Looks up one name of a unit with its prefix: `mm`, `kN`, `deg`.
std::optional<Unit> find_unit(std::string_view name);
/// For names of units written without a sign between them, the product: `mN*m` for `mNm`. Empty if `name` is not a sequence of units.
std::string separate_units(std::string_view name);
/// Parses a unit: `kg*m^2`, `m/s^2`, `N m`, `deg/s`, `1/s`. SI prefixes f p n u µ m c d h k M G T are accepted before units that take them.
Result<Unit> parse_unit(const MappedText& text);
/// Parses a number and an optional unit after it: `0.15 m`, `-3`, `1e-3 kg*m^2`, `30 deg`.
Result<Quantity> parse_quantity(const MappedText& text);

/// The unit in the text of a quantity, as it is written: "mm" of "30 mm", "" of a number alone.
std::string unit_text(const std::string& quantity);

/// What a quantity measures, where its dimension alone is ambiguous: a torque is written in N*m, an energy in J, an angle in rad.
enum class Measure { kAny, kForce, kAngle };
/// The shortest usual name of a unit in SI: "N", "J", "kg*m^2", "1/s"; "1" when dimensionless. A generalized force (kForce) gives "N*m"
/// instead of "J"; an angle and its rates (kAngle) give "rad", "rad/s", "rad/s^2".
std::string unit_name(const Dimension& dimension, Measure measure = Measure::kAny);

}  // namespace dalembert

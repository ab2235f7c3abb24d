// SPDX-License-Identifier: Apache-2.0
// Numbers with units inside expressions: `60 mm`, `2*L + 5 mm`, `20 kN/m`. A number before a name is never a product,
// so a unit can be told from what the names mean elsewhere, as long as none of them is declared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/base/units.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// A unit as it stands in an expression, in bytes of its text.
struct WrittenUnit {
  Unit unit;
  std::uint32_t begin = 0, end = 0;
  bool whole = false;  ///< nothing but the number and this unit is in the text
  std::vector<std::pair<std::uint32_t, std::uint32_t>> names;
};

/// The unit that starts at or after `at`: names of units, each with an optional power of small integers, joined by `*`
/// and `/`. Nothing when no unit is there, or the name is that of a call or of a rate.
std::optional<WrittenUnit> read_unit(std::string_view text, std::size_t at);

/// The whole text as in [parameters], with what is allowed only there: `5 kg m^2`, `30 °`. Nothing when it is anything
/// else.
struct WholeQuantity {
  Rational number;
  WrittenUnit unit;
};
std::optional<WholeQuantity> read_whole_quantity(std::string_view text);

/// number · factor, exact: 60 mm is 3/50, 30 deg is pi/6.
Expr quantity_value(Graph& graph, const Rational& number, double factor);

}  // namespace dalembert

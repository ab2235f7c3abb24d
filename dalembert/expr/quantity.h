// SPDX-License-Identifier: Apache-2.0
// Numbers with units inside expressions: `60 mm`, `2*L + 5 mm`, `20 kN/m`. A number directly before a name is never a product, so the name
// must be a unit, as long as the model does not declare it.
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

/// A unit inside an expression, with its place in bytes of the text.
struct WrittenUnit {
  Unit unit;
  std::uint32_t begin = 0, end = 0;
  bool whole = false;  ///< whether the text, or the parentheses around it, contain only the number and this unit
  std::vector<std::pair<std::uint32_t, std::uint32_t>> names;
};

/// The unit that starts at or after `at`: names of units, each with an optional small integer power, joined by `*` and `/`. Nothing if
/// there is no unit, or if the name is that of a call or a rate.
std::optional<WrittenUnit> read_unit(std::string_view text, std::size_t at);

/// The whole text as a quantity in the syntax of [parameters], which allows more than expressions do: `5 kg m^2`, `30 °`. Nothing if it is not a quantity.
struct WholeQuantity {
  Rational number;
  WrittenUnit unit;
};
std::optional<WholeQuantity> read_whole_quantity(std::string_view text);

/// Error E0101: the name number `which` of the unit is a unit's and the model's, and both may be meant. The number begins at `begin`.
/// `compared`: the model compares units, so parentheses say that the quantity is meant.
Diagnostic unit_with_two_meanings(const MappedText& text, std::uint32_t begin, const WrittenUnit& unit,
                                  std::size_t which, bool compared);
/// Help where a quantity does not fit whose unit has a name of the model: "`0.1 m` is a quantity; the product … is `0.1*m`".
std::string advice_for_quantity(const MappedText& text, std::uint32_t begin, const WrittenUnit& unit);
/// Help where `after` follows a number or a formula without an operator: the product, or the unit that `after` may mean.
std::vector<std::string> help_for_missing_operator(std::string_view before, std::string_view after, bool may_be_unit);

/// number · factor as an exact expression: 60 mm is 3/50, 30 deg is pi/6.
Expr quantity_value(Graph& graph, const Rational& number, double factor);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Values that a user writes as a number, a quantity or a formula of them.
#pragma once

#include "dalembert/base/units.h"

namespace dalembert {

/// A quantity, or a formula of numbers, quantities and `pi`: `0.3 m`, `2*pi/3`, `1/sqrt(2)`, `30 deg + 1.5 deg`, `(2 m)/(3 s)`. Operators are
/// + - * / ^ and parentheses, with sqrt(). A unit after a divisor is refused, as `2*pi/3 s` may be `(2*pi/3) s` or
/// `2*pi/(3 s)`. A unit goes on through `*` and `/` as long as names of units follow, as in the formulas of a model.
/// A formula that names something else is refused as parse_quantity() does; terms of different dimensions, a result that is not finite: E0203, E0202.
Result<Quantity> parse_constant(const MappedText& text);

}  // namespace dalembert

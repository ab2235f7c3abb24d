// SPDX-License-Identifier: Apache-2.0
// Units and quantities: any bytes give one or diagnostics that can be shown; a unit's SI name is the same dimension.
#include <cmath>

#include "dalembert/base/units.h"
#include "fuzz.h"

using namespace dalembert;

FUZZ(const std::string& text) {
  const Result<Quantity> quantity = parse_quantity(MappedText::of(text));
  use(render(quantity.diagnostics()));
  require(!quantity || std::isfinite(quantity->value), "a quantity that is not a number");

  const Result<Unit> unit = parse_unit(MappedText::of(text));
  use(render(unit.diagnostics()));
  if (!unit) return;
  // Names have exponents up to 16 (products of units may pass that) in sixths.
  for (const double exponent : unit->dimension.exponents)
    if (std::abs(exponent) > 16 || std::abs(6 * exponent - std::round(6 * exponent)) > 1e-9) return;
  const std::string name = unit_name(unit->dimension);
  const Result<Unit> again = parse_unit(MappedText::of(name));
  require(again.ok(), name + "\n" + render(again.diagnostics()));
  require(again->dimension == unit->dimension && again->factor == 1, name);
}

// SPDX-License-Identifier: Apache-2.0
// The symbols of a model as a LaTeX table: meaning, value and unit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/units.h"
#include "dalembert/derive/equations.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/report/equation_sheet.h"

namespace dalembert {

/// Coordinates, quasi-velocities, parameters and inputs, in the order of the model. Numbers are in SI units.
std::vector<EquationSheet::Symbol> symbol_rows(const Equations& equations, EquationPrinter& printer);

/// Whether coordinate i is a component of a unit quaternion, which has no unit.
bool is_of_attitude(const Equations& equations, std::size_t i);

/// The meaning of a parameter in words: its `meaning`, or the comment after it in the model file; otherwise its use as
/// the mass or moment of inertia of a body, or as gravity. Empty if unknown.
std::string meaning_of(const Model& model, const Parameter& parameter);

/// The unit of a parameter or input: "rad" for a dimensionless one in a model with units, but "1" for a parameter that was stated as a number
/// without a unit; "N*m" instead of "J", because such a value in a model is a torque; empty if unknown.
std::string unit_of_value(const std::optional<Dimension>& dimension);
std::string unit_of_value(const Parameter& parameter);

}  // namespace dalembert

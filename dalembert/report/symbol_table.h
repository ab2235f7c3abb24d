// SPDX-License-Identifier: Apache-2.0
// The symbols of a model in a table, as LaTeX: what they are, their values, their units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/units.h"
#include "dalembert/derive/equations.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/report/equation_sheet.h"

namespace dalembert {

/// Coordinates, quasi-velocities, parameters and inputs, in the order of the model. Numbers are in SI.
std::vector<EquationSheet::Symbol> symbol_rows(const Equations& equations, EquationPrinter& printer);

/// What a parameter is, in words: as the model says (`meaning`, or the comment after it in the model file); else what it is
/// used for, where it is the mass of a body, a moment of inertia or the field of gravity. "": not known.
std::string meaning_of(const Model& model, const Parameter& parameter);

/// Of a parameter or input: "rad" of what has no dimension where units are used, "N*m" rather than "J", since a number of
/// such a dimension in a model is a torque; "" where nothing is known.
std::string unit_of_value(const std::optional<Dimension>& dimension);

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Prescribed coordinates and the motion of the others, as JSON (docs/command-line.md).
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/local_connection.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// A matrix of formulas as JSON: rows of texts.
Json formulas_json(EquationPrinter& printer, const std::vector<std::vector<Expr>>& rows);

/// {"qdot": {"x": …}, "connection": [[…]], "drift": […], "singular": […]}; null if the system is not kinematic.
/// `equations` must be on an overlay.
Json kinematic_json(const Equations& equations, EquationPrinter& printer);

/// {"axes": ["x", "y", "theta"], "connection": [[…]], "curvature": [[…]], "singular": […], "momentum": …}; null if the
/// system has no body axes.
Json body_axes_json(const Equations& equations, const LocalConnection* local, EquationPrinter& printer);

}  // namespace dalembert

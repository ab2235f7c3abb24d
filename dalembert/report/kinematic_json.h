// SPDX-License-Identifier: Apache-2.0
// Prescribed coordinates, and what moves the others, as JSON: docs/command-line.md.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/local_connection.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// Rows of formulas as text.
Json formulas_json(EquationPrinter& printer, const std::vector<std::vector<Expr>>& rows);

/// {"qdot": {"x": …}, "connection": [[…]], "drift": […], "singular": […]}; null where the system is not kinematic. The
/// equations are on an overlay.
Json kinematic_json(const Equations& equations, EquationPrinter& printer);

/// {"axes": ["x", "y", "theta"], "connection": [[…]], "curvature": [[…]], "singular": […], "momentum": …}; null where
/// there are no such axes.
Json body_axes_json(const Equations& equations, const std::optional<LocalConnection>& local, EquationPrinter& printer);

}  // namespace dalembert

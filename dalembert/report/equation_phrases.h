// SPDX-License-Identifier: Apache-2.0
// Texts around equations: their general form, multipliers by names, names in words, why there is no closed form.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/derive/multiplier_system.h"
#include "dalembert/report/equation_printer.h"

namespace dalembert {

/// "(no closed form: …)".
std::string no_closed_form(NoClosedForm why);
inline constexpr const char* kLongClosedForm =
    "(closed form left out: it would be long, or there is none; try `derive --only lambda`)";

/// The solution of D λ + d = 0 by the names of the entries of D and d, by Cramer's rule, as left and right sides: of one
/// or two multipliers, where no entry of D is 0.
std::vector<std::pair<std::string, std::string>> solved_by_names(const MultiplierSystem& system,
                                                                 const Equations& equations,
                                                                 const EquationPrinter& printer, bool latex);

/// The general form M q̈ + B + G = F + Wᵀ λ in LaTeX, with a word below each term, and the constraints.
std::vector<std::string> latex_form_of_equations(const Equations& equations);

/// Replaces typed multipliers by their symbols: lambda(pin[1]) becomes λ_pin,1.
std::string with_multiplier_symbols(const Equations& equations, const EquationPrinter& printer, std::string words);

}  // namespace dalembert

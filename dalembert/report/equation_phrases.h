// SPDX-License-Identifier: Apache-2.0
// Texts around equations: their general form, unknowns by names, names in words, why there is no closed form.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/derive/reduce.h"
#include "dalembert/report/equation_printer.h"

namespace dalembert {

/// "(no closed form: …)".
std::string no_closed_form(NoClosedForm why);
inline constexpr const char* kLongClosedForm =
    "(closed form left out: it would be long, or there is none; try `derive --only lambda`)";

/// The entry of a part of the equations: M[theta,phi], or M_{\theta,\phi} in LaTeX.
std::string entry_name(const std::string& part, const std::string& index, Notation notation);

/// The solution of A x + b = 0 for one or two unknowns by the names of the entries of A and b, by Cramer's rule, as left
/// and right sides. A is symmetric; no entry is 0.
std::vector<std::pair<std::string, std::string>> solved_by_names(const std::string& A, const std::string& b,
                                                                 const std::vector<std::string>& indices,
                                                                 const std::vector<std::string>& unknowns,
                                                                 Notation notation);

/// The general form M q̈ + B + G = F + Wᵀ λ in LaTeX, with a word below each term, and the constraints.
std::vector<std::string> latex_form_of_equations(const Equations& equations);

/// Replaces typed multipliers by their symbols: lambda(pin[1]) becomes λ_pin,1.
std::string with_multiplier_symbols(const Equations& equations, const EquationPrinter& printer, std::string words);

/// When conserved quantities are: "along every motion", or "between impacts and events", which may change them.
std::string when_conserved(const Model& model);
/// The same in parentheses, "(between impacts)"; empty where quantities are conserved along every motion.
std::string conserved_remark(const Model& model);

}  // namespace dalembert

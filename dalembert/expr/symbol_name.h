// SPDX-License-Identifier: Apache-2.0
// Names of symbols as text that the parser reads back, as LaTeX, and in Unicode for terminals.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/expr/formula.h"
#include "dalembert/expr/symbol.h"

namespace dalembert {

/// A name in LaTeX: Greek names become letters; trailing digits and what follows `_` become subscripts (`m1`, `I_c`, `theta_dot`).
std::string latex_name(std::string_view name);
/// The name in LaTeX, spelled so that it differs from a similar name: the subscript shows `_` and digits as typed.
std::string latex_as_spelled(const std::string& name);
/// The symbol as text (`theta'`) or LaTeX (`\dot{\theta}`).
std::string print_symbol(const Symbol& symbol, Notation notation);
/// The row in the name of what a contact does, `gap(row)`, `closed(row)` or `impulse(row)`; empty for any other name.
std::string_view row_of_contact(std::string_view name);
/// Whether the name is that of an integral over a run, `integral(x')`, or of any, `integral(…)`.
bool names_integral(std::string_view name);
/// The symbol as tokens.
Formula symbol_formula(const Symbol& symbol, Notation notation);

}  // namespace dalembert

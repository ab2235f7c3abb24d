// SPDX-License-Identifier: Apache-2.0
// Names of symbols as text that the parser reads back, as LaTeX, and in Unicode for terminals.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/expr/formula.h"
#include "dalembert/expr/symbol.h"

namespace dalembert {

enum class Notation {
  kText,     ///< what the parser reads back
  kLatex,    ///< amsmath
  kUnicode,  ///< for people: `½ m L² θ̇² sin(θ)`; nothing reads it back
};

/// A name as LaTeX: Greek names become letters, digits and what follows `_` become subscripts (`m1`, `I_c`,
/// `theta_dot`).
std::string latex_name(std::string_view name);
/// The name letter by letter, for those that would look like another one.
std::string latex_as_spelled(const std::string& name);
/// The symbol as text (`theta'`) or LaTeX (`\dot{\theta}`).
std::string print_symbol(const Symbol& symbol, Notation notation);
/// The same as tokens.
Formula symbol_formula(const Symbol& symbol, Notation notation);

}  // namespace dalembert

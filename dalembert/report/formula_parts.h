// SPDX-License-Identifier: Apache-2.0
// Parts of formulas: what line breaking and the naming of common terms ask about tokens.
#pragma once

#include <string>

#include "dalembert/expr/formula.h"

namespace dalembert {

/// Tokens joined, names by their numbers. Equal exactly for equal parts.
std::string formula_key(FormulaPart part);

/// Its length, in characters.
std::size_t key_length(FormulaPart part);

/// A name that has no number for the reader yet, in keys: no text of a formula looks like it.
std::string provisional_name(int name);
/// The same as a formula.
Formula name_formula(int name);

/// What is between the bracket at `open` and its partner.
FormulaPart content_of(FormulaPart formula, std::size_t open);

/// left = right
Formula equated(const Formula& left, const Formula& right);

/// Is it one value (no relation, no comma)? And a sum of at least two terms?
bool is_term(FormulaPart part);
bool is_sum(FormulaPart part);
/// 0 as printed.
bool is_zero(FormulaPart part);

/// LaTeX: names of several letters would run into each other, so a thin space goes between them.
void space_upright_names(Formula& formula);

}  // namespace dalembert

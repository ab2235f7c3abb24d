// SPDX-License-Identifier: Apache-2.0
// Questions about parts of formulas that line breaking and the naming of common terms ask.
#pragma once

#include <cstddef>
#include <string>

#include "dalembert/expr/formula.h"

namespace dalembert {

/// The tokens joined to a text, with names by their numbers. Two parts are equal if and only if their keys are.
std::string formula_key(FormulaPart part);

/// Length of formula_key(part), in characters.
std::size_t key_length(FormulaPart part);

/// The key of a provisional name. No text of a formula looks like it.
std::string provisional_name(int name);
/// A formula that consists of this provisional name.
Formula name_formula(int name);

/// The tokens between the bracket at `open` and its partner.
FormulaPart content_of(FormulaPart formula, std::size_t open);

/// The formula left = right.
Formula equated(const Formula& left, const Formula& right);

/// is_term: whether the part is one value, without a relation or comma. is_sum: whether it is a sum of at least two
/// terms.
bool is_term(FormulaPart part);
bool is_sum(FormulaPart part);
/// Whether the part is printed as 0.
bool is_zero(FormulaPart part);

/// Where the part is a sum in parentheses, times a number at most: the index of the opening one. Else its size.
std::size_t lone_sum(FormulaPart part);

/// For LaTeX: puts a thin space between adjacent upright names, which would otherwise run into each other.
void space_upright_names(Formula& formula);

}  // namespace dalembert

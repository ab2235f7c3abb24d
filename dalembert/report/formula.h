// SPDX-License-Identifier: Apache-2.0
// A printed formula as a row of tokens with matched brackets: what line breaking and the naming of common terms work
// on.
//
// Both notations of expr/print.h are understood, so one reader serves canonical forms, factored quotients and the bare
// graph.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/print.h"

namespace dalembert {

struct FormulaToken {
  enum class Kind {
    kAtom,      ///< a symbol, a number, a function's name, \frac, ^, a whole \dot{…} or \mathrm{…}
    kTimes,     ///< between two factors: a space in LaTeX, `*` or `/` in text
    kPlus,      ///< between two terms: " + ", " - "
    kSign,      ///< a minus in front
    kRelation,  ///< " = ", " \le ", …
    kComma,     ///< between arguments
    kOpen,
    kClose,
    kName,  ///< stands for a definition (common_terms.h); `name` is its number
  };
  enum class Group {
    kNone,
    kParentheses,  ///< around a factor; lines may be broken inside
    kArgument,     ///< of a function, or |…|
    kBraces,       ///< numerator, denominator, radicand
    kScript,       ///< exponent or index
  };
  std::string text;
  Kind kind = Kind::kAtom;
  Group group = Group::kNone;  ///< of kOpen and kClose
  int partner = -1;            ///< of kOpen and kClose: the other one's place in the formula
  int name = -1;
};

using Formula = std::vector<FormulaToken>;
using FormulaPart = std::span<const FormulaToken>;

/// Any text is accepted; brackets that have no partner are atoms.
Formula parse_formula(std::string_view text, Notation notation);

/// How printers write a name that has no number yet; parse_formula makes a kName of it.
std::string provisional_name(int name);

/// Tokens joined again, names provisional. Equal exactly for equal parts.
std::string formula_key(FormulaPart part);

/// What stands between the bracket at `open` and its partner.
FormulaPart content_of(FormulaPart formula, std::size_t open);

/// Is it one value (no relation, no comma)? And a sum of at least two terms?
bool is_term(FormulaPart part);
bool is_sum(FormulaPart part);

/// Width of the typeset LaTeX in em of the surrounding Computer Modern text, to a few percent. `inline_style`: small
/// fractions, as in the cells of a matrix. Measured by the fonts' metrics for letters, TeX's spacing rules for the
/// rest.
double latex_width(FormulaPart part, bool inline_style = false);
double latex_width(std::string_view latex, bool inline_style = false);

}  // namespace dalembert

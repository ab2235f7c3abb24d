// SPDX-License-Identifier: Apache-2.0
// A printed formula as a list of tokens with matched brackets. Printers produce it; output as text, line breaking, computation of widths
// and the naming of common terms use it. The tokens, joined, are the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

struct FormulaToken {
  enum class Kind : std::uint8_t {
    kAtom,      ///< a symbol or a part of one, a number, \frac, ^, a whole \dot{…} or \mathrm{…}
    kFunction,  ///< a function's name
    kTimes,     ///< multiplication: a space in LaTeX, `*` or `/` in text
    kPlus,      ///< between two terms: " + ", " - "
    kSign,      ///< a leading minus
    kRelation,  ///< " = ", " \le ", …
    kComma,     ///< the comma between arguments
    kOpen,
    kClose,
    kName,  ///< refers to a definition (report/common_terms.h); `name` is its number
  };
  enum class Group : std::uint8_t {
    kNone,
    kParentheses,  ///< around a factor; a line may be broken inside
    kArgument,     ///< brackets of a function's argument, or |…|
    kBraces,       ///< numerator, denominator, radicand
    kScript,       ///< exponent or index
    kCases,        ///< case distinction in LaTeX, with kNextCase between its rows; the layout treats it as a unit
  };
  std::string text;
  Kind kind = Kind::kAtom;
  Group group = Group::kNone;  ///< kind of bracket, for kOpen and kClose
  int partner = -1;            ///< for kOpen and kClose: index of the matching bracket in the formula
  int name = -1;
};

using Formula = std::vector<FormulaToken>;
using FormulaPart = std::span<const FormulaToken>;

inline constexpr std::string_view kNextCase = " \\\\ ";

/// The text of all tokens; a kName token contributes nothing.
std::string text_of(FormulaPart formula);

/// Sets the partner of each bracket, as an index into `formula`.
void match_brackets(Formula& formula);

/// Tokens of a name's LaTeX, given by the user or by latex_name(): subscripts, superscripts and braces are groups, everything else atoms.
/// Accepts any text; brackets without a partner are atoms.
Formula spell_latex(std::string_view latex);

/// Builds a formula token by token.
class FormulaWriter {
 public:
  using Kind = FormulaToken::Kind;
  using Group = FormulaToken::Group;

  FormulaWriter& add(std::string_view text, Kind kind = Kind::kAtom) {
    formula_.push_back({std::string(text), kind});
    return *this;
  }
  FormulaWriter& add(Formula&& part);
  FormulaWriter& open(std::string_view text, Group group) { return bracket(text, Kind::kOpen, group); }
  FormulaWriter& close(std::string_view text, Group group) { return bracket(text, Kind::kClose, group); }
  /// The content in braces: {…}
  FormulaWriter& braces(Formula&& content, Group group = Group::kBraces) {
    return open("{", group).add(std::move(content)).close("}", group);
  }
  bool empty() const { return formula_.empty(); }
  Formula take() { return std::move(formula_); }

 private:
  FormulaWriter& bracket(std::string_view text, Kind kind, Group group) {
    formula_.push_back({std::string(text), kind, group});
    return *this;
  }
  Formula formula_;
};

}  // namespace dalembert

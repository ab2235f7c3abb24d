// SPDX-License-Identifier: Apache-2.0
// A printed formula as a row of tokens with matched brackets: what printers make, and what text, line breaking, widths
// and the naming of common terms take. Joined, the tokens are the text.
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
    kTimes,     ///< between two factors: a space in LaTeX, `*` or `/` in text
    kPlus,      ///< between two terms: " + ", " - "
    kSign,      ///< a minus in front
    kRelation,  ///< " = ", " \le ", …
    kComma,     ///< between arguments
    kOpen,
    kClose,
    kName,  ///< stands for a definition (report/common_terms.h); `name` is its number
  };
  enum class Group : std::uint8_t {
    kNone,
    kParentheses,  ///< around a factor; lines may be broken inside
    kArgument,     ///< of a function, or |…|
    kBraces,       ///< numerator, denominator, radicand
    kScript,       ///< exponent or index
    kCases,        ///< a choice in LaTeX, with kNextCase between its rows: one thing to everything outside
  };
  std::string text;
  Kind kind = Kind::kAtom;
  Group group = Group::kNone;  ///< of kOpen and kClose
  int partner = -1;            ///< of kOpen and kClose: the other one's place in the formula
  int name = -1;
};

using Formula = std::vector<FormulaToken>;
using FormulaPart = std::span<const FormulaToken>;

inline constexpr std::string_view kNextCase = " \\\\ ";

/// The tokens joined; a kName contributes nothing.
std::string text_of(FormulaPart formula);

/// Finds each bracket's partner, counted from the formula's own beginning.
void match_brackets(Formula& formula);

/// Tokens of the LaTeX of a name, as a user wrote it or latex_name made it: scripts and braces are groups, the rest is
/// atoms. Any text is accepted; brackets that have no partner are atoms.
Formula spell_latex(std::string_view latex);

/// Writes formulas token by token.
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
  /// {…}
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

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/latex_width.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;
using Group = FormulaToken::Group;

// Computer Modern, in em: math italic a…z and A…Z (cmmi10), lower case roman (cmr10).
constexpr std::array<double, 26> kItalic = {.529, .429, .433, .520, .466, .490, .477, .576, .345,
                                            .412, .521, .298, .878, .600, .485, .503, .446, .451,
                                            .469, .361, .572, .485, .716, .572, .490, .465};
constexpr std::array<double, 26> kItalicUpper = {.750, .759, .715, .828, .738, .643, .786, .831, .440,
                                                 .555, .849, .681, .970, .803, .763, .642, .791, .759,
                                                 .613, .584, .683, .583, .944, .828, .581, .683};
constexpr std::array<double, 26> kRoman = {.500, .556, .444, .556, .444, .306, .500, .556, .278,
                                           .306, .528, .278, .833, .556, .500, .556, .528, .392,
                                           .394, .389, .556, .528, .722, .528, .528, .444};
constexpr double kGreekWidth = 0.6, kCapital = 0.75, kThin = 0.167;

constexpr std::array<double, 4> kScale = {1, 1, 0.78, 0.64};  // scale of display, text, script and scriptscript style

double roman_width(std::string_view word) {
  double total = 0;
  for (const char c : word) {
    if (c >= 'a' && c <= 'z')
      total += kRoman[static_cast<std::size_t>(c - 'a')];
    else if (c >= 'A' && c <= 'Z')
      total += kCapital;
    else
      total += c == ',' || c == '.' || c == '\\' ? 0.28 : c == ' ' ? 0.33 : 0.5;
  }
  return total;
}

// Measures one formula. One pass over it finds the partner of each bracket and the height of its content, so nested
// formulas take linear time.
class Ruler {
 public:
  explicit Ruler(FormulaPart part) : part_(part), pairs_(part.size()) {
    std::vector<std::size_t> open;
    std::vector<Height> height{Height::kPlain};
    for (std::size_t i = 0; i < part.size(); ++i) {
      const FormulaToken& token = part[i];
      if (token.text == "^" || token.text == "\\sqrt") height.back() = std::max(height.back(), Height::kPower);
      if (token.text == "\\frac") height.back() = Height::kFraction;
      pairs_[i].partner = part.size();
      if (token.kind == Kind::kOpen) {
        open.push_back(i);
        height.push_back(Height::kPlain);
      } else if (token.kind == Kind::kClose && !open.empty()) {
        const Height inside = height.back();
        height.pop_back();
        if (token.group != Group::kCases) height.back() = std::max(height.back(), inside);
        pairs_[i] = {open.back(), inside};
        pairs_[open.back()] = {i, inside};
        open.pop_back();
      }
    }
  }
  double width(std::size_t style) const { return width(0, part_.size(), style); }

 private:
  enum class Height { kPlain, kPower, kFraction };
  struct Pair {
    std::size_t partner = 0;  // the end of the formula if the bracket has no partner
    Height inside = Height::kPlain;
  };

  static double width(FormulaPart part, std::size_t style) { return Ruler(part).width(style); }

  double width(std::size_t begin, std::size_t end_of_part, std::size_t style) const {
    double total = 0;
    const FormulaPart part = part_.first(end_of_part);
    for (std::size_t i = begin; i < part.size(); ++i) {
      const FormulaToken& token = part[i];
      switch (token.kind) {
        case Kind::kPlus:
          total += (style < 2 ? 1.23 : 0.78) * kScale[style];
          break;
        case Kind::kRelation:
          total += (style < 2 ? 1.34 : 0.78) * kScale[style];
          break;
        case Kind::kSign:
          total += 0.78 * kScale[style];
          break;
        case Kind::kComma:
          total += 0.45 * kScale[style];
          break;
        case Kind::kTimes:
          total += token.text == " " ? 0 : kThin;
          break;
        case Kind::kName:
          // The final number of a name is not known yet: assume z with two digits below, or three if there are hundreds
          // of names.
          total += (0.465 + (token.name < 100 ? 0.86 : 1.29)) * kScale[style];
          break;
        case Kind::kOpen:
          if (token.group == Group::kCases) {
            const std::size_t end = std::min(pairs_[i].partner, part.size() - 1);
            total += widest_row(i + 1, end) + 1.7;
            i = end;
            break;
          }
          [[fallthrough]];
        case Kind::kClose:
          total += bracket(i) * kScale[style];
          break;
        case Kind::kFunction: {
          // TeX sets a thin space before an operator such as \\sin.
          const bool first = i == begin || part[i - 1].kind == Kind::kOpen || part[i - 1].kind == Kind::kPlus ||
                             part[i - 1].kind == Kind::kSign || part[i - 1].kind == Kind::kRelation ||
                             part[i - 1].kind == Kind::kComma;
          total += ((first ? 0 : kThin) + function_name(token.text)) * kScale[style];
          break;
        }
        case Kind::kAtom:
          total += atom(part, i, style);
      }
    }
    return total;
  }

  // Width of the atom at `i` with its arguments or script; `i` moves to the last token of these.
  double atom(FormulaPart part, std::size_t& i, std::size_t style) const {
    const FormulaToken& token = part[i];
    if (token.text == "\\frac" && part.size() > i + 4) {
      const std::size_t inner = std::min<std::size_t>(style + 1, 3);
      const auto [top, after] = group(part, i + 1, inner);
      const auto [bottom, end] = group(part, after, inner);
      i = end - 1;
      return std::max(top, bottom) + 0.24;
    }
    if (token.text == "\\sqrt" && part.size() > i + 2) {
      const auto [radicand, end] = group(part, i + 1, style);
      i = end - 1;
      return radicand + 0.85 * kScale[style];
    }
    if ((token.text == "^" || token.text == "_") && part.size() > i + 1) {
      // A subscript and a superscript are set above each other.
      auto [script, end] = group(part, i + 1, style < 2 ? 2 : 3);
      if (end + 1 < part.size() && (part[end].text == "^" || part[end].text == "_")) {
        const auto [other, after] = group(part, end + 1, style < 2 ? 2 : 3);
        script = std::max(script, other);
        end = after;
      }
      i = end - 1;
      return script + 0.05;
    }
    return atom(token.text, style);
  }

  // Width of the widest row of a case distinction. Its rows are set in text style.
  double widest_row(std::size_t begin, std::size_t end) const {
    double widest = 0;
    int depth = 0;
    std::size_t from = begin;
    for (std::size_t i = begin; i < end; ++i) {
      depth += (part_[i].kind == Kind::kOpen) - (part_[i].kind == Kind::kClose);
      if (depth > 0 || part_[i].text != kNextCase) continue;
      widest = std::max(widest, width(from, i, 1));
      from = i + 1;
    }
    return std::max(widest, width(from, end, 1));
  }

  // Width of a function name: \\sin, \\operatorname{floor}.
  static double function_name(std::string_view latex) {
    const std::size_t brace = latex.find('{');
    return roman_width(brace == std::string_view::npos ? latex.substr(1)
                                                       : latex.substr(brace + 1, latex.size() - brace - 2));
  }

  // Width of the group or single token at `i`, and the index after it.
  std::pair<double, std::size_t> group(FormulaPart part, std::size_t i, std::size_t style) const {
    if (i >= part.size()) return {0, part.size()};
    if (part[i].kind != Kind::kOpen) return {width(i, i + 1, style), i + 1};
    const std::size_t end = std::min(pairs_[i].partner, part.size() - 1);
    return {width(i + 1, end, style), end + 1};
  }

  // Width of a bracket. \left( grows with the height of its content.
  double bracket(std::size_t i) const {
    const FormulaToken& token = part_[i];
    if (token.group == Group::kBraces || token.group == Group::kScript) return 0;
    if (token.text.ends_with("|")) return 0.3;
    if (token.text.starts_with("\\Big")) return 0.6;
    if (token.text.starts_with("\\big")) return 0.46;
    if (token.text == "(" || token.text == ")") return 0.39;
    switch (pairs_[i].inside) {
      case Height::kPlain:
        return 0.39;
      case Height::kPower:
        return 0.46;
      case Height::kFraction:
        return 0.74;
    }
    return 0.39;
  }

  double atom(std::string_view text, std::size_t style) const {
    const double scale = kScale[style];
    while (text.size() > 1 && text.back() == ' ') text.remove_suffix(1);
    while (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
    if (text.empty()) return 0;
    if (text.front() != '\\') {
      if (text.front() == '{') return width(spell_latex(text.substr(1, text.size() - 2)), style);
      double total = 0;
      for (const char c : text) {
        if (c >= 'a' && c <= 'z')
          total += kItalic[static_cast<std::size_t>(c - 'a')];
        else if (c >= 'A' && c <= 'Z')
          total += kItalicUpper[static_cast<std::size_t>(c - 'A')];
        else
          total += c == '.' || c == ',' ? 0.28 : c == ' ' ? kThin : c == '(' || c == ')' ? 0.39 : 0.5;
      }
      return total * scale;
    }
    const std::size_t brace = text.find('{');
    if (brace == std::string_view::npos) {
      if (text.size() == 2) return 0.3 * scale;
      if (text == "\\quad") return 1;
      return (std::isupper(static_cast<unsigned char>(text[1])) ? kCapital : kGreekWidth) * scale;
    }
    const std::string_view command = text.substr(0, brace);
    const std::string_view inner = text.substr(brace + 1, text.size() - brace - 2);
    if (command == "\\mathrm" || command == "\\text") {
      const std::size_t below = inner.find_first_of("_^{");
      const bool nested = below != std::string_view::npos && below > 0 && inner[below - 1] != '\\';
      if (!nested) return roman_width(inner) * scale;
    }
    return width(spell_latex(inner), style);
  }

  FormulaPart part_;
  std::vector<Pair> pairs_;
};

}  // namespace

double latex_width(FormulaPart part, bool inline_style) { return Ruler(part).width(inline_style ? 1 : 0); }

}  // namespace dalembert

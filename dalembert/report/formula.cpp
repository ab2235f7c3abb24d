// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/formula.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;
using Group = FormulaToken::Group;

constexpr char kNameBegin = '\x01', kNameEnd = '\x02';

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::array<std::string_view, 14> kFunctions = {"\\sin",    "\\cos",  "\\tan",  "\\arcsin", "\\arccos",
                                                         "\\arctan", "\\sinh", "\\cosh", "\\tanh",   "\\ln",
                                                         "\\min",    "\\max",  "\\neg",  "\\exp"};

bool is_function(std::string_view atom) {
  return std::ranges::find(kFunctions, atom) != kFunctions.end() || atom.starts_with("\\operatorname{");
}

class Reader {
 public:
  Reader(std::string_view text, Notation notation) : text_(text), latex_(notation == Notation::kLatex) {}

  Formula read() {
    while (at_ < text_.size()) {
      if (text_[at_] == kNameBegin)
        name();
      else if (!operation()) {
        if (latex_)
          latex();
        else
          plain();
      }
    }
    for (const int open : open_) formula_[static_cast<std::size_t>(open)].kind = Kind::kAtom;
    return std::move(formula_);
  }

 private:
  bool here(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void add(std::size_t length, Kind kind) {
    formula_.push_back({std::string(text_.substr(at_, length)), kind});
    at_ += length;
  }
  // May the next token be an operand?
  bool expects_operand() const {
    if (formula_.empty()) return true;
    const Kind last = formula_.back().kind;
    return last == Kind::kOpen || last == Kind::kPlus || last == Kind::kRelation || last == Kind::kComma;
  }

  void name() {
    const std::size_t end = std::min(text_.find(kNameEnd, at_), text_.size() - 1);
    int number = 0;
    for (std::size_t i = at_ + 1; i < end; ++i) number = 10 * number + (text_[i] - '0');
    formula_.push_back({{}, Kind::kName});
    formula_.back().name = number;
    at_ = end + 1;
  }

  // What both notations share: signs, relations, commas.
  bool operation() {
    if (here("-") && expects_operand()) return add(1, Kind::kSign), true;
    if (here(" + ") || here(" - ")) return add(3, Kind::kPlus), true;
    for (const std::string_view relation :
         {" = ", " < ", " \\le ", " \\wedge ", " \\vee ", " <= ", " == ", " and ", " or "})
      if (here(relation)) return add(relation.size(), Kind::kRelation), true;
    if (here(", ")) return add(2, Kind::kComma), true;
    return false;
  }

  void open(std::size_t length, Group group) {
    open_.push_back(static_cast<int>(formula_.size()));
    add(length, Kind::kOpen);
    formula_.back().group = group;
  }
  void close(std::size_t length) {
    upright_ = false;
    if (open_.empty()) return add(length, Kind::kAtom);
    const int open = open_.back();
    FormulaToken& partner = formula_[static_cast<std::size_t>(open)];
    partner.partner = static_cast<int>(formula_.size());
    const Group group = partner.group;
    add(length, Kind::kClose);
    formula_.back().group = group;
    formula_.back().partner = open;
    open_.pop_back();
  }

  // The end of the braces that open at `begin`.
  std::size_t end_of_braces(std::size_t begin) const {
    int depth = 0;
    for (std::size_t i = begin; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '{') {
        ++depth;
      } else if (text_[i] == '}' && --depth == 0) {
        return i + 1;
      }
    }
    return text_.size();
  }

  // Is the last token a function's name, or its exponent?
  bool behind_function() const {
    std::size_t last = formula_.size();
    if (last > 0 && formula_[last - 1].kind == Kind::kClose && formula_[last - 1].group == Group::kScript)
      last = static_cast<std::size_t>(std::max(formula_[last - 1].partner - 1, 0));
    return last > 0 && is_function(formula_[last - 1].text);
  }

  // The end of the environment that begins here, with those inside it.
  std::size_t end_of_environment() const {
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      if (text_.substr(i).starts_with("\\begin{")) ++depth;
      if (text_.substr(i).starts_with("\\end{") && --depth == 0) return end_of_braces(i + 4);
    }
    return text_.size();
  }

  void latex() {
    const char c = text_[at_];
    if (here("\\, ")) return add(3, Kind::kTimes);
    if (c == ' ') {
      // A space ends a function's name, or stands between two factors.
      if (behind_function()) return add(1, Kind::kAtom);
      add(1, Kind::kTimes);
      // Names of several letters would run into each other.
      if (upright_ || here("\\mathrm{")) formula_.back().text = "\\, ";
      return;
    }
    if (here("\\left")) {
      const bool argument = text_.substr(at_ + 5, 1) != "(" || behind_function();
      return open(std::min<std::size_t>(6, text_.size() - at_), argument ? Group::kArgument : Group::kParentheses);
    }
    if (here("\\right")) return close(std::min<std::size_t>(7, text_.size() - at_));
    if (c == '}') return close(1);
    if (c == '{') {
      const std::string_view last = formula_.empty() ? std::string_view() : std::string_view(formula_.back().text);
      if (last == "^" || last == "_") return open(1, Group::kScript);
      const bool second =
          !formula_.empty() && formula_.back().kind == Kind::kClose && formula_.back().group == Group::kBraces;
      if (last == "\\frac" || last == "\\sqrt" || second) return open(1, Group::kBraces);
      return add(end_of_braces(at_) - at_, Kind::kAtom);
    }
    if (c != '\\') {
      if (c != '^' && c != '_') upright_ = false;
      return number_or(1);
    }
    if (here("\\begin{")) {
      return add(end_of_environment() - at_, Kind::kAtom);
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    if (end == at_ + 1) end = std::min(end + 1, text_.size());  // \, \_
    const std::string_view command = text_.substr(at_, end - at_);
    if (command != "\\frac" && command != "\\sqrt")
      while (end < text_.size() && text_[end] == '{') end = end_of_braces(end);
    upright_ = command == "\\mathrm";
    add(end - at_, Kind::kAtom);
  }

  void number_or(std::size_t otherwise) {
    std::size_t end = at_;
    while (end < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[end])) || text_[end] == '.')) ++end;
    add(end > at_ ? end - at_ : otherwise, Kind::kAtom);
  }

  void plain() {
    const char c = text_[at_];
    if (c == '*' || c == '/') return add(1, Kind::kTimes);
    if (c == '(') return open(1, Group::kParentheses);
    if (c == ')') return close(1);
    if (!is_letter(c) && c != '_') return number_or(1);
    std::size_t end = at_;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '\'')) ++end;
    if (text_.substr(at_, end - at_) == "lambda" && end < text_.size() && text_[end] == '(')
      end = std::min(text_.find(')', end), text_.size() - 1) + 1;
    add(end - at_, Kind::kAtom);
    if (at_ < text_.size() && text_[at_] == '(' && text_[at_ - 1] != ')') open(1, Group::kArgument);
  }

  std::string_view text_;
  bool latex_;
  std::size_t at_ = 0;
  std::vector<int> open_;
  bool upright_ = false;  // is the last letter an upright name's?
  Formula formula_;
};

// ------------------------------------------------------------------------------------------------------------- widths

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

constexpr std::array<double, 4> kScale = {1, 1, 0.78, 0.64};  // display, text, script, scriptscript

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

// Of one formula. Brackets know their partners and the height of what they hold from one pass over it, so deep nesting
// costs no more than its length.
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
        height.back() = std::max(height.back(), inside);
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
    std::size_t partner = 0;  // where there is none: the end
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
          total += (0.465 + 0.78 * 1.1) * kScale[style];
          break;  // z with two digits below
        case Kind::kOpen:
        case Kind::kClose:
          total += bracket(i) * kScale[style];
          break;
        case Kind::kAtom:
          if (token.text == "\\frac" && part.size() > i + 4) {
            const std::size_t inner = std::min<std::size_t>(style + 1, 3);
            const auto [top, after] = group(part, i + 1, inner);
            const auto [bottom, end] = group(part, after, inner);
            total += std::max(top, bottom) + 0.24;
            i = end - 1;
          } else if (token.text == "\\sqrt" && part.size() > i + 2) {
            const auto [radicand, end] = group(part, i + 1, style);
            total += radicand + 0.85 * kScale[style];
            i = end - 1;
          } else if ((token.text == "^" || token.text == "_") && part.size() > i + 1) {
            // Index and exponent stand above each other.
            auto [script, end] = group(part, i + 1, style < 2 ? 2 : 3);
            if (end + 1 < part.size() && (part[end].text == "^" || part[end].text == "_")) {
              const auto [other, after] = group(part, end + 1, style < 2 ? 2 : 3);
              script = std::max(script, other);
              end = after;
            }
            total += script + 0.05;
            i = end - 1;
          } else {
            // An operator like \\sin keeps a little space to what stands before it.
            const bool first = i == begin || part[i - 1].kind == Kind::kOpen || part[i - 1].kind == Kind::kPlus ||
                               part[i - 1].kind == Kind::kSign || part[i - 1].kind == Kind::kRelation ||
                               part[i - 1].kind == Kind::kComma;
            if (is_function(token.text) && !first) total += kThin * kScale[style];
            total += atom(token.text, style);
          }
      }
    }
    return total;
  }

  // Width of the group, or the single token, at `i`, and what comes after it.
  std::pair<double, std::size_t> group(FormulaPart part, std::size_t i, std::size_t style) const {
    if (i >= part.size()) return {0, part.size()};
    if (part[i].kind != Kind::kOpen) return {width(i, i + 1, style), i + 1};
    const std::size_t end = std::min(pairs_[i].partner, part.size() - 1);
    return {width(i + 1, end, style), end + 1};
  }

  // \left( grows with what it holds.
  double bracket(std::size_t i) const {
    const FormulaToken& token = part_[i];
    if (token.group == Group::kBraces || token.group == Group::kScript) return 0;
    if (token.text.ends_with("|")) return 0.3;
    if (token.text.starts_with("\\Big")) return 0.6;
    if (token.text.starts_with("\\big")) return 0.46;
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
    if (text.empty()) return 0;
    if (text.front() != '\\') {
      if (text.front() == '{') return width(parse_formula(text.substr(1, text.size() - 2), Notation::kLatex), style);
      double total = 0;
      for (const char c : text) {
        if (c >= 'a' && c <= 'z')
          total += kItalic[static_cast<std::size_t>(c - 'a')];
        else if (c >= 'A' && c <= 'Z')
          total += kItalicUpper[static_cast<std::size_t>(c - 'A')];
        else
          total += c == '.' || c == ',' ? 0.28 : c == ' ' ? kThin : 0.5;
      }
      return total * scale;
    }
    if (is_function(text) && text.back() != '}') return roman_width(text.substr(1)) * scale;
    if (text.starts_with("\\begin{")) {
      // The widest row.
      double widest = 0;
      std::string_view rest = text.substr(text.find('}') + 1);
      rest = rest.substr(0, rest.rfind("\\end{"));
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find("\\\\"), rest.size());
        widest = std::max(widest, width(parse_formula(rest.substr(0, end), Notation::kLatex), 1));
        rest.remove_prefix(std::min(end + 2, rest.size()));
      }
      return widest + 1.7;
    }
    const std::size_t brace = text.find('{');
    if (brace == std::string_view::npos) {
      if (text.size() == 2) return 0.3 * scale;
      if (text == "\\quad") return 1;
      return (std::isupper(static_cast<unsigned char>(text[1])) ? kCapital : kGreekWidth) * scale;
    }
    const std::string_view command = text.substr(0, brace);
    const std::string_view inner = text.substr(brace + 1, text.size() - brace - 2);
    if (command == "\\mathrm" || command == "\\text" || command == "\\operatorname") {
      const std::size_t below = inner.find_first_of("_^{");
      const bool nested = below != std::string_view::npos && below > 0 && inner[below - 1] != '\\';
      if (!nested) return roman_width(inner) * scale;
    }
    return width(parse_formula(inner, Notation::kLatex), style);
  }

  FormulaPart part_;
  std::vector<Pair> pairs_;
};

}  // namespace

Formula parse_formula(std::string_view text, Notation notation) { return Reader(text, notation).read(); }

std::string provisional_name(int name) { return kNameBegin + std::to_string(name) + kNameEnd; }

std::string formula_key(FormulaPart part) {
  std::string key;
  for (const FormulaToken& token : part) key += token.kind == Kind::kName ? provisional_name(token.name) : token.text;
  return key;
}

FormulaPart content_of(FormulaPart formula, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < formula.size(); ++i) {
    depth += formula[i].kind == Kind::kOpen;
    depth -= formula[i].kind == Kind::kClose;
    if (depth == 0) return formula.subspan(open + 1, i - open - 1);
  }
  return formula.subspan(open + 1);
}

namespace {

bool at_top(FormulaPart part, std::initializer_list<Kind> kinds) {
  int depth = 0;
  for (const FormulaToken& token : part) {
    depth += token.kind == Kind::kOpen;
    depth -= token.kind == Kind::kClose;
    if (depth == 0 && std::ranges::find(kinds, token.kind) != kinds.end()) return true;
  }
  return false;
}

}  // namespace

bool is_term(FormulaPart part) { return !part.empty() && !at_top(part, {Kind::kRelation, Kind::kComma}); }
bool is_sum(FormulaPart part) { return is_term(part) && at_top(part, {Kind::kPlus}); }

double latex_width(FormulaPart part, bool inline_style) { return Ruler(part).width(inline_style ? 1 : 0); }

double latex_width(std::string_view latex, bool inline_style) {
  return latex_width(parse_formula(latex, Notation::kLatex), inline_style);
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Reads the text of a formula back into tokens: the way that is independent of the printers, for tests alone.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/print_formula.h"

namespace dalembert {

inline bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::array<std::string_view, 14> kFunctions = {"\\sin",    "\\cos",  "\\tan",  "\\arcsin", "\\arccos",
                                                         "\\arctan", "\\sinh", "\\cosh", "\\tanh",   "\\ln",
                                                         "\\min",    "\\max",  "\\neg",  "\\exp"};

inline bool is_function(std::string_view atom) {
  return std::ranges::find(kFunctions, atom) != kFunctions.end() || atom.starts_with("\\operatorname{");
}

class FormulaReader {
 public:
  using Kind = FormulaToken::Kind;
  using Group = FormulaToken::Group;

  FormulaReader(std::string_view text, Notation notation) : text_(text), latex_(notation == Notation::kLatex) {}

  Formula read() {
    while (at_ < text_.size()) {
      if (operation()) continue;
      if (latex_)
        latex();
      else
        plain();
    }
    for (const int open : open_) formula_[static_cast<std::size_t>(open)].kind = Kind::kAtom;
    return std::move(formula_);
  }

 private:
  bool here(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void add(std::size_t length, Kind kind) {
    const std::string_view text = text_.substr(at_, length);
    formula_.push_back(
        {std::string(text), kind == Kind::kAtom && latex_ && is_function(text) ? Kind::kFunction : kind});
    at_ += length;
  }
  // May the next token be an operand?
  bool expects_operand() const {
    if (formula_.empty()) return true;
    const Kind last = formula_.back().kind;
    return last == Kind::kOpen || last == Kind::kPlus || last == Kind::kRelation || last == Kind::kComma;
  }

  // A row, or its condition, begins here.
  bool after_case() const {
    return !formula_.empty() && (formula_.back().text == kNextCase || formula_.back().text == "\\text{if } ");
  }

  // What both notations share: signs, relations, commas.
  bool operation() {
    if (after_case() && here("-")) return add(1, Kind::kSign), true;
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

  // The position after the closing brace of the group that opens at `begin`.
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
  bool after_function() const {
    std::size_t last = formula_.size();
    if (last > 0 && formula_[last - 1].kind == Kind::kClose && formula_[last - 1].group == Group::kScript)
      last = static_cast<std::size_t>(std::max(formula_[last - 1].partner - 1, 0));
    return last > 0 && is_function(formula_[last - 1].text);
  }

  void latex() {
    const char c = text_[at_];
    if (here("\\begin{cases} ")) return open(14, Group::kCases);
    if (here(" \\end{cases}")) return close(12);
    if (here(kNextCase)) return add(kNextCase.size(), Kind::kAtom);
    if (here(" & ")) return add(3, Kind::kAtom);
    if (here("\\text{if } ")) return add(11, Kind::kAtom);
    if (here("\\, ")) return add(3, Kind::kTimes);
    if (c == ' ') {
      // A space ends a function's name, or is between two factors.
      if (after_function()) return add(1, Kind::kAtom);
      add(1, Kind::kTimes);
      return;
    }
    if (here("\\!\\left(")) return open(8, Group::kArgument);
    for (const std::string_view large : {"\\bigl(", "\\Bigl("})
      if (here(large)) return open(6, after_function() ? Group::kArgument : Group::kParentheses);
    if (here("\\bigr)") || here("\\Bigr)")) return close(6);
    if (c == '(') return open(1, after_function() ? Group::kArgument : Group::kParentheses);
    if (c == ')') return close(1);
    if (here("\\left")) {
      const bool argument = text_.substr(at_ + 5, 1) != "(" || after_function();
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
      return number_or(1);
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    if (end == at_ + 1) end = std::min(end + 1, text_.size());  // \, \_
    const std::string_view command = text_.substr(at_, end - at_);
    if (command != "\\frac" && command != "\\sqrt")
      while (end < text_.size() && text_[end] == '{') end = end_of_braces(end);
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
  Formula formula_;
};

inline Formula read_formula(std::string_view text, Notation notation) { return FormulaReader(text, notation).read(); }

}  // namespace dalembert

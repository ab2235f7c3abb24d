// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/formula.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;
using Group = FormulaToken::Group;

// The position after the closing brace of the group that opens at `begin`.
std::size_t end_of_braces(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '{')
      ++depth;
    else if (text[i] == '}' && --depth == 0)
      return i + 1;
  }
  return text.size();
}

// The position after the command at `begin` and its arguments; the arguments of \frac and \sqrt are not included.
std::size_t end_of_command(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
  if (end == begin + 1) return std::min(end + 1, text.size());  // a command of one character, such as \, or \_
  const std::string_view command = text.substr(begin, end - begin);
  if (command != "\\frac" && command != "\\sqrt")
    while (end < text.size() && text[end] == '{') end = end_of_braces(text, end);
  return end;
}

}  // namespace

std::string text_of(FormulaPart formula) {
  std::size_t size = 0;
  for (const FormulaToken& token : formula) size += token.text.size();
  std::string text;
  text.reserve(size);
  for (const FormulaToken& token : formula) text += token.text;
  return text;
}

void match_brackets(Formula& formula) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (formula[i].kind == Kind::kOpen) open.push_back(i);
    if (formula[i].kind != Kind::kClose || open.empty()) continue;
    formula[i].partner = static_cast<int>(open.back());
    formula[open.back()].partner = static_cast<int>(i);
    open.pop_back();
  }
}

Formula spell_latex(std::string_view latex) {
  Formula formula;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < latex.size();) {
    const char c = latex[at];
    const std::string_view last = formula.empty() ? std::string_view() : std::string_view(formula.back().text);
    const bool second =
        !formula.empty() && formula.back().kind == Kind::kClose && formula.back().group == Group::kBraces;
    const bool script = last == "^" || last == "_";
    std::size_t end = at + 1;
    FormulaToken token;
    if (c == '{' && (script || second || last == "\\frac" || last == "\\sqrt")) {
      token.kind = Kind::kOpen;
      token.group = script ? Group::kScript : Group::kBraces;
      open.push_back(formula.size());
    } else if (c == '{') {
      end = end_of_braces(latex, at);
    } else if (c == '}' && !open.empty()) {
      token.kind = Kind::kClose;
      token.group = formula[open.back()].group;
      open.pop_back();
    } else if (c == '\\') {
      end = end_of_command(latex, at);
    } else if (c == ' ' && !formula.empty()) {
      formula.back().text += ' ';  // a space has no width in LaTeX mathematics, so it is added to the token before
      at = end;
      continue;
    } else {
      while (end < latex.size() && std::isdigit(static_cast<unsigned char>(c)) != 0 &&
             (std::isdigit(static_cast<unsigned char>(latex[end])) != 0 || latex[end] == '.'))
        ++end;
    }
    token.text = latex.substr(at, end - at);
    formula.push_back(std::move(token));
    at = end;
  }
  for (const std::size_t alone : open) formula[alone].kind = Kind::kAtom, formula[alone].group = Group::kNone;
  match_brackets(formula);
  return formula;
}

FormulaWriter& FormulaWriter::add(Formula&& part) {
  if (formula_.empty())
    formula_ = std::move(part);
  else
    formula_.insert(formula_.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return *this;
}

}  // namespace dalembert

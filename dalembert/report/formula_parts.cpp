// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/formula_parts.h"

#include <algorithm>
#include <initializer_list>

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;

}  // namespace

std::string provisional_name(int name) { return '\x01' + std::to_string(name) + '\x02'; }

std::string formula_key(FormulaPart part) {
  std::string key;
  for (const FormulaToken& token : part) key += token.kind == Kind::kName ? provisional_name(token.name) : token.text;
  return key;
}

std::size_t key_length(FormulaPart part) {
  std::size_t length = 0;
  for (const FormulaToken& token : part)
    length += token.kind == Kind::kName ? provisional_name(token.name).size() : token.text.size();
  return length;
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

Formula name_formula(int name) {
  Formula formula(1);
  formula[0].kind = Kind::kName;
  formula[0].name = name;
  return formula;
}

Formula equated(const Formula& left, const Formula& right) {
  FormulaWriter writer;
  writer.add(Formula(left)).add(" = ", Kind::kRelation).add(Formula(right));
  Formula whole = writer.take();
  match_brackets(whole);
  return whole;
}

bool is_zero(FormulaPart part) { return part.size() == 1 && part[0].text == "0"; }

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

std::size_t lone_sum(FormulaPart part) {
  using Group = FormulaToken::Group;
  const auto in_number = [](const FormulaToken& token) {
    if (token.kind == Kind::kSign || token.kind == Kind::kTimes) return true;
    if (token.kind == Kind::kOpen || token.kind == Kind::kClose) return token.group == Group::kBraces;
    return token.kind == Kind::kAtom &&
           (token.text == "\\frac" || token.text.find_first_not_of("0123456789./") == std::string::npos);
  };
  const std::size_t open = static_cast<std::size_t>(std::ranges::find_if_not(part, in_number) - part.begin());
  if (open == part.size() || part[open].kind != Kind::kOpen || part[open].group != Group::kParentheses)
    return part.size();
  const FormulaPart content = content_of(part, open);
  return open + content.size() + 2 == part.size() && is_sum(content) ? open : part.size();
}

void space_upright_names(Formula& formula) {
  const auto is_upright = [](const FormulaToken& token) { return token.text.starts_with("\\mathrm{"); };
  bool upright = false;  // the last letter belongs to an upright name; a provisional name keeps the space before it
  for (std::size_t i = 0; i < formula.size(); ++i) {
    FormulaToken& token = formula[i];
    if (token.kind == Kind::kOpen && token.group == FormulaToken::Group::kCases && token.partner > 0)
      i = static_cast<std::size_t>(token.partner);
    else if (token.kind == Kind::kTimes && (upright || (i + 1 < formula.size() && is_upright(formula[i + 1]))))
      token.text = "\\, ";
    else if (token.kind == Kind::kClose || token.kind == Kind::kAtom || token.kind == Kind::kFunction)
      upright = is_upright(token);
  }
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/term_order.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;
using Words = std::vector<std::string>;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_part(char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The names and functions in a text, each once. `x'` is a different name from `x`, and `dot(x)` is `x'`. Functions keep
// their bracket: `sin(`.
Words names_of(std::string_view text) {
  Words names;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i])) {
      // A number such as 2e3 contains no name.
      const bool number = is_part(text[i]);
      for (++i; number && i < text.size() && is_part(text[i]);) ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    std::string name(text.substr(i, end - i));
    if (end < text.size() && text[end] == '(') {
      const std::size_t close = text.find(')', end);
      const std::string_view inside =
          close == std::string_view::npos ? std::string_view() : text.substr(end + 1, close - end - 1);
      if (name == "dot" && !inside.empty() && std::ranges::all_of(inside, is_part)) {
        name = std::string(inside) + "'";
        end = close;
      } else {
        name += '(';
      }
    }
    while (end < text.size() && text[end] == '\'') name += text[end++];
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    i = end;
  }
  return names;
}

// The names in each term of a typed sum, or of both sides of a typed equation.
std::vector<Words> typed_terms(std::string_view typed) {
  std::vector<Words> terms;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= typed.size(); ++i) {
    const char c = i < typed.size() ? typed[i] : '+';
    depth += (c == '(') - (c == ')');
    if (depth > 0 || (c != '+' && c != '-' && c != '=')) continue;
    if (Words names = names_of(typed.substr(begin, i - begin)); !names.empty()) terms.push_back(std::move(names));
    begin = i + 1;
  }
  return terms;
}

// Share of the names that both have in common; 0 if only functions are shared.
double likeness(const Words& a, const Words& b) {
  std::size_t shared = 0;
  bool symbol = false;
  for (const std::string& name : a) {
    if (std::ranges::find(b, name) == b.end()) continue;
    ++shared;
    symbol = symbol || !name.ends_with('(');
  }
  return symbol ? static_cast<double>(shared) / static_cast<double>(a.size() + b.size() - shared) : 0;
}

// Index of the most similar typed term; the number of typed terms if none is similar.
std::size_t place_of(const Words& names, const std::vector<Words>& typed) {
  std::size_t place = typed.size();
  double most = 0;
  for (std::size_t k = 0; k < typed.size(); ++k) {
    const double like = likeness(names, typed[k]);
    if (like <= most) continue;
    most = like;
    place = k;
  }
  return place;
}

}  // namespace

std::vector<SignedTerm> terms_of(const Formula& sum) {
  std::vector<SignedTerm> terms(1);
  int depth = 0;
  for (const FormulaToken& token : sum) {
    depth += (token.kind == Kind::kOpen) - (token.kind == Kind::kClose);
    if (depth == 0 && token.kind == Kind::kPlus)
      terms.push_back({token.text != " + ", {}});
    else if (token.kind == Kind::kSign && terms.size() == 1 && terms[0].formula.empty())
      terms[0].negative = true;
    else
      terms.back().formula.push_back(token);
  }
  return terms;
}

std::vector<std::size_t> typed_order(const std::vector<SignedTerm>& terms, std::string_view typed,
                                     const std::function<bool(const std::string&)>& moves) {
  const std::vector<Words> as_typed = typed_terms(typed);
  std::vector<std::tuple<std::size_t, bool, bool, std::size_t>> order;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Words names = names_of(text_of(terms[k].formula));
    order.emplace_back(place_of(names, as_typed), std::ranges::none_of(names, moves), terms[k].negative, k);
  }
  std::ranges::sort(order);
  std::vector<std::size_t> places;
  for (const auto& entry : order) places.push_back(std::get<3>(entry));
  return places;
}

}  // namespace dalembert

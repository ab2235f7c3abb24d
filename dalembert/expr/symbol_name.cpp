// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/symbol_name.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dalembert/expr/unicode.h"

namespace dalembert {
namespace {

constexpr std::array<std::string_view, 46> kGreek = {
    "alpha", "beta",     "gamma",  "delta",   "epsilon", "varepsilon", "zeta",    "eta",   "theta", "vartheta",
    "iota",  "kappa",    "lambda", "mu",      "nu",      "xi",         "pi",      "varpi", "rho",   "varrho",
    "sigma", "varsigma", "tau",    "upsilon", "phi",     "varphi",     "chi",     "psi",   "omega", "Gamma",
    "Delta", "Theta",    "Lambda", "Xi",      "Pi",      "Sigma",      "Upsilon", "Phi",   "Psi",   "Omega",
    "ell",   "hbar",     "nabla",  "partial", "infty",   "Re"};

std::string letter(std::string_view word) {
  if (std::ranges::find(kGreek, word) != kGreek.end()) return "\\" + std::string(word);
  if (word.size() <= 1) return std::string(word);
  return "\\mathrm{" + std::string(word) + "}";
}

}  // namespace

std::string latex_name(std::string_view name) {
  // The head is the name up to digits or `_`; the rest becomes subscripts.
  std::size_t end = name.find('_');
  std::string_view head = name.substr(0, end);
  std::vector<std::string> below;
  const std::size_t last = head.find_last_not_of("0123456789");
  if (last != std::string_view::npos && last + 1 < head.size() && last + 1 > 0) {
    below.emplace_back(head.substr(last + 1));
    head = head.substr(0, last + 1);
  }
  while (end != std::string_view::npos) {
    const std::size_t next = name.find('_', end + 1);
    const std::string_view part = name.substr(end + 1, next == std::string_view::npos ? next : next - end - 1);
    const bool digits = part.find_first_not_of("0123456789") == std::string_view::npos;
    if (!part.empty()) below.push_back(digits ? std::string(part) : latex_name(part));
    end = next;
  }
  std::string text = letter(head);
  if (!below.empty()) text += fmt::format("_{{{}}}", fmt::join(below, ","));
  return text;
}

// The name with everything after its first letters in the subscript, as spelled: x_{\_1}. A name without `_` is set upright instead.
std::string latex_as_spelled(const std::string& name) {
  const std::size_t end = name.find_first_of("_0123456789");
  if (name.find('_') == std::string::npos || end == 0) return "\\mathrm{" + name + "}";
  std::string text = latex_name(name.substr(0, end)) + "_{";
  for (const char c : name.substr(end)) text += c == '_' ? std::string("\\_") : std::string(1, c);
  return text + "}";
}

namespace {

std::string unicode_symbol(const Symbol& symbol) {
  if (symbol.kind == SymbolKind::kMultiplier) {
    // Examples: row pin[1] is λ_pin,1; "friction(corner)" is f_corner, "actuation(alpha)" is F_α.
    std::string row = symbol.name;
    if (!row.ends_with(')')) {
      std::ranges::replace_if(
          row, [](char c) { return c == '[' || c == '.'; }, ',');
      std::erase(row, ']');
      return "λ_" + row;
    }
    const std::string of = row.substr(row.find('(') + 1, row.size() - row.find('(') - 2);
    if (row.starts_with("closed")) return row;
    if (names_integral(row)) return "(∫ " + of + " dt)";
    return (row.starts_with("friction") ? "f_" : row.starts_with("impulse") ? "Λ_" : "F_") + unicode_name(of);
  }
  const bool velocity = symbol.kind == SymbolKind::kVelocity || symbol.kind == SymbolKind::kQuasiAcceleration;
  const int dots = velocity ? 1 : symbol.kind == SymbolKind::kAcceleration ? 2 : 0;
  // A symbol that would look like another one is shown as it is typed: x_1, if x1 exists.
  if (!symbol.latex.empty() && symbol.latex == latex_as_spelled(symbol.name))
    return symbol.name + std::string(static_cast<std::size_t>(dots), '\'');
  return unicode_name(symbol.name, dots);
}

}  // namespace

std::string_view row_of_contact(std::string_view name) {
  for (const std::string_view word : {"gap(", "closed(", "impulse("})
    if (name.starts_with(word) && name.ends_with(')')) return name.substr(word.size(), name.size() - word.size() - 1);
  return {};
}

bool names_integral(std::string_view name) { return name.starts_with("integral(") && name.ends_with(')'); }

std::string print_symbol(const Symbol& symbol, Notation notation) {
  if (notation == Notation::kUnicode) return unicode_symbol(symbol);
  if (notation == Notation::kText) {
    switch (symbol.kind) {
      case SymbolKind::kVelocity:
      case SymbolKind::kQuasiAcceleration:
        return symbol.name + "'";
      case SymbolKind::kAcceleration:
        return symbol.name + "''";
      case SymbolKind::kMultiplier:
        // A name such as `actuation(alpha)` is already in the form of a call.
        return symbol.name.ends_with(')') ? symbol.name : "lambda(" + symbol.name + ")";
      default:
        return symbol.name;
    }
  }
  const std::string name = symbol.latex.empty() ? latex_name(symbol.name) : symbol.latex;
  // Dots are placed over the letter, not over its subscript. A name with a superscript of its own is put into braces.
  const std::size_t script = name.find_first_of("_^{");
  const bool indexed = script != std::string::npos && script > 0 && name[script] == '_';
  const auto dotted = [&](const std::string& dots) {
    // The rate of a rate has two dots: \dot{x} becomes \ddot{x}.
    if (dots == "\\dot" && name.starts_with("\\dot{")) return "\\d" + name.substr(1);
    return indexed ? dots + "{" + name.substr(0, script) + "}" + name.substr(script) : dots + "{" + name + "}";
  };
  switch (symbol.kind) {
    case SymbolKind::kVelocity:
    case SymbolKind::kQuasiAcceleration:
      return dotted("\\dot");
    case SymbolKind::kAcceleration:
      return dotted("\\ddot");
    case SymbolKind::kMultiplier: {
      if (!symbol.latex.empty()) return symbol.latex;
      // "friction(corner)" is f_corner, "actuation(alpha)" is F_alpha.
      const bool whole = symbol.name.ends_with(")");
      std::string row = symbol.name;
      if (whole) row = row.substr(row.find('(') + 1, row.size() - row.find('(') - 2);
      // For the rows pin[1] and pin.x, the row's index follows the constraint's name in the subscript.
      for (char& c : row)
        if (c == '[' || c == '.') c = ',';
      std::erase(row, ']');
      std::string shown;
      for (const char c : row) shown += c == '_' ? std::string("\\_") : std::string(1, c);
      const char* letter = !whole                                ? "\\lambda"
                           : symbol.name.starts_with("friction") ? "f"
                           : symbol.name.starts_with("impulse")  ? "\\Lambda"
                           : symbol.name.starts_with("closed")   ? "\\mathrm{closed}"
                                                                 : "F";
      return std::string(letter) + "_{\\mathrm{" + shown + "}}";
    }
    default:
      return name.find('^') == std::string::npos ? name : "{" + name + "}";
  }
}

Formula symbol_formula(const Symbol& symbol, Notation notation) {
  constexpr std::size_t kLongName = 200;  // characters; a longer name is a single token, which is never split
  std::string printed = print_symbol(symbol, notation);
  const bool spelled = notation == Notation::kLatex && printed.size() <= kLongName;
  return spelled ? spell_latex(printed) : FormulaWriter().add(printed).take();
}

}  // namespace dalembert

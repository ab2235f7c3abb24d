// SPDX-License-Identifier: Apache-2.0
// Prose and units as LaTeX.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "dalembert/base/text.h"
#include "dalembert/report/equation_layout.h"

namespace dalembert {
namespace {

struct Replacement {
  char32_t code;
  std::string_view latex;
};

constexpr std::array kSymbols = {
    Replacement{0xA0, "~"},
    Replacement{0xA7, "\\S{}"},
    Replacement{0xB0, "$^\\circ$"},
    Replacement{0xB1, "$\\pm$"},
    Replacement{0xB2, "$^2$"},
    Replacement{0xB3, "$^3$"},
    Replacement{0xB5, "$\\mu$"},
    Replacement{0xB7, "$\\cdot$"},
    Replacement{0xB9, "$^1$"},
    Replacement{0xBC, "$1/4$"},
    Replacement{0xBD, "$1/2$"},
    Replacement{0xBE, "$3/4$"},
    Replacement{0xC6, "\\AE{}"},
    Replacement{0xD7, "$\\times$"},
    Replacement{0xD8, "\\O{}"},
    Replacement{0xDF, "\\ss{}"},
    Replacement{0xE6, "\\ae{}"},
    Replacement{0xF7, "$\\div$"},
    Replacement{0xF8, "\\o{}"},
    Replacement{0x131, "\\i{}"},
    Replacement{0x141, "\\L{}"},
    Replacement{0x142, "\\l{}"},
    Replacement{0x152, "\\OE{}"},
    Replacement{0x153, "\\oe{}"},
    Replacement{0x2010, "-"},
    Replacement{0x2011, "-"},
    Replacement{0x2012, "--"},
    Replacement{0x2013, "--"},
    Replacement{0x2014, "---"},
    Replacement{0x2016, "$\\|$"},
    Replacement{0x2018, "`"},
    Replacement{0x2019, "'"},
    Replacement{0x201C, "``"},
    Replacement{0x201D, "''"},
    Replacement{0x2026, "\\dots{}"},
    Replacement{0x2032, "$'$"},
    Replacement{0x2033, "$''$"},
    Replacement{0x2070, "$^0$"},
    Replacement{0x207B, "$^-$"},
    Replacement{0x211D, "R"},
    Replacement{0x2190, "$\\leftarrow$"},
    Replacement{0x2192, "$\\to$"},
    Replacement{0x2194, "$\\leftrightarrow$"},
    Replacement{0x21D2, "$\\Rightarrow$"},
    Replacement{0x2202, "$\\partial$"},
    Replacement{0x2207, "$\\nabla$"},
    Replacement{0x2208, "$\\in$"},
    Replacement{0x2211, "$\\sum$"},
    Replacement{0x2212, "$-$"},
    Replacement{0x221A, "$\\surd$"},
    Replacement{0x221E, "$\\infty$"},
    Replacement{0x222B, "$\\int$"},
    Replacement{0x2248, "$\\approx$"},
    Replacement{0x2260, "$\\ne$"},
    Replacement{0x2264, "$\\le$"},
    Replacement{0x2265, "$\\ge$"},
    Replacement{0x22A5, "$\\perp$"},
    Replacement{0x22C5, "$\\cdot$"},
};

// Greek letters from U+03B1 (small) and U+0391 (capital). Those that look like Latin letters are written as such.
constexpr std::array<std::string_view, 25> kGreek = {
    "alpha", "beta", "gamma", "delta", "epsilon",  "zeta",  "eta", "theta",   "iota", "kappa", "lambda", "mu",   "nu",
    "xi",    "o",    "pi",    "rho",   "varsigma", "sigma", "tau", "upsilon", "phi",  "chi",   "psi",    "omega"};
constexpr std::array<std::string_view, 25> kGreekCapital = {
    "A",  "B", "Gamma", "Delta", "E", "Z",     "H", "Theta",   "I",   "K", "Lambda", "M",    "N",
    "Xi", "O", "Pi",    "P",     "",  "Sigma", "T", "Upsilon", "Phi", "X", "Psi",    "Omega"};

// U+00C0 … U+00FF as base letter and accent; blank where LaTeX has no accent command for the letter.
constexpr std::string_view kLatinBase = "AAAAAA CEEEEIIII NOOOOO  UUUUY  aaaaaa ceeeeiiii nooooo  uuuuy y";
constexpr std::string_view kLatinAccent = "`'^~\"r c`'^\"`'^\" ~`'^~\"  `'^\"'  `'^~\"r c`'^\"`'^\" ~`'^~\"  `'^\"' \"";

std::string greek(std::string_view name) {
  if (name.empty()) return "?";
  return name.size() <= 1 ? std::string(name) : "$\\" + std::string(name) + "$";
}

std::string letter(char32_t code) {
  for (const Replacement& symbol : kSymbols)
    if (symbol.code == code) return std::string(symbol.latex);
  if (code >= 0x391 && code <= 0x3A9) return greek(kGreekCapital[code - 0x391]);
  if (code >= 0x3B1 && code <= 0x3C9) return greek(kGreek[code - 0x3B1]);
  if (code >= 0x2074 && code <= 0x2079) return "$^" + std::to_string(code - 0x2070) + "$";
  if (code >= 0x2080 && code <= 0x2089) return "$_" + std::to_string(code - 0x2080) + "$";
  // A combining accent, which belongs to the previous letter, is dropped.
  if (code >= 0x300 && code <= 0x36F) return {};
  if (code >= 0xC0 && code <= 0xFF && kLatinAccent[code - 0xC0] != ' ') {
    const char base = kLatinBase[code - 0xC0];
    return std::string("\\") + kLatinAccent[code - 0xC0] + "{" + (base == 'i' ? "\\i" : std::string(1, base)) + "}";
  }
  return "?";
}

// Takes the next UTF-8 code point off the text. An invalid sequence counts as one unknown letter.
char32_t take(std::string_view& text) {
  const std::size_t length = utf8_length(text);
  const char32_t code = length == 0 ? 0xFFFD : code_point(text);
  text.remove_prefix(1);
  // Continuation bytes after an invalid first byte belong to the same letter.
  const auto rest = std::min(text.size(), length == 0 ? text.size() : length - 1);
  std::size_t used = 0;
  while (used < rest && (static_cast<unsigned char>(text[used]) & 0xC0) == 0x80) ++used;
  text.remove_prefix(used);
  return code;
}

}  // namespace

std::string latex_prose(std::string_view text) {
  std::string out;
  bool quoted = false;
  while (!text.empty()) {
    const char32_t code = take(text);
    if (code >= 0x80) {
      out += letter(code);
      continue;
    }
    const char c = static_cast<char>(code);
    switch (c) {
      case '_':
      case '%':
      case '&':
      case '#':
      case '$':
      case '{':
      case '}':
        out += std::string("\\") + c;
        break;
      case '`':
        // Messages quote names in pairs of backticks: `x`.
        quoted = !quoted;
        out += quoted ? '`' : '\'';
        break;
      case '~':
        out += "\\~{}";
        break;
      case '^':
        out += "\\^{}";
        break;
      case '\\':
        out += "$\\backslash$";
        break;
      case '<':
      case '>':
        if (text.starts_with('=')) {
          text.remove_prefix(1);
          out += c == '<' ? "$\\le$" : "$\\ge$";
        } else {
          out += std::string("$") + c + "$";
        }
        break;
      case '|':
        out += "$|$";
        break;
      case '"':
        out += "''";
        break;
      case '\t':
        out += ' ';
        break;
      default:
        if (c == '\n' || (c >= ' ' && c < 127)) out += c;
    }
  }
  return out;
}

std::string latex_unit(std::string_view unit) {
  std::string out;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (unit[i] == '*') {
      out += "\\,";
    } else if (unit[i] == '^') {
      std::size_t end = i + 1;
      while (end < unit.size() && std::string_view("-.0123456789").find(unit[end]) != std::string_view::npos) ++end;
      out += "^{" + std::string(unit.substr(i + 1, end - i - 1)) + "}";
      i = end - 1;
    } else {
      out += unit[i];
    }
  }
  return "\\mathrm{" + out + "}";
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/rich_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "dalembert/base/text.h"

namespace dalembert {
namespace {

constexpr double kSmall = 0.72;             // font size of subscripts, relative to the text
constexpr double kDown = 0.24, kUp = 0.38;  // shifts of subscripts and superscripts, in ems of the text
constexpr std::size_t kLongest = 60;

using Word = std::pair<std::string_view, std::string_view>;
constexpr std::array<Word, 36> kGreek = {
    {{"alpha", "α"},   {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"}, {"zeta", "ζ"},
     {"eta", "η"},     {"theta", "θ"}, {"iota", "ι"},  {"kappa", "κ"}, {"lambda", "λ"},  {"mu", "μ"},
     {"nu", "ν"},      {"xi", "ξ"},    {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"},   {"tau", "τ"},
     {"upsilon", "υ"}, {"phi", "φ"},   {"chi", "χ"},   {"psi", "ψ"},   {"omega", "ω"},   {"vartheta", "ϑ"},
     {"varphi", "ϕ"},  {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"}, {"Lambda", "Λ"},  {"Xi", "Ξ"},
     {"Pi", "Π"},      {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},   {"Omega", "Ω"},   {"Upsilon", "Υ"}}};

std::string_view greek(std::string_view word) {
  const auto found = std::ranges::find(kGreek, word, &Word::first);
  return found == kGreek.end() ? std::string_view() : found->second;
}

std::size_t count_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// Advance widths of DejaVu Sans from U+0020 to U+007E, in thousandths of an em.
constexpr std::array<std::uint16_t, 95> kWidths = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

double ems(char32_t point) {
  if (point >= 0x20 && point <= 0x7E) return kWidths[point - 0x20] / 1000.0;
  if (point >= 0x300 && point < 0x370) return 0;                           // combining accents have no width
  if (point >= 0x370 && point < 0x400) return point < 0x3B1 ? 0.8 : 0.68;  // Greek capitals; small letters (ω: 0.837)
  if (point == 0xB2 || point == 0xB3 || point == 0xB9 || (point >= 0x2070 && point < 0x20A0)) return 0.41;
  if (point == 0xB7) return 0.32;
  if (point == 0x2212) return 0.84;
  if (point < 0x1100) return 0.8;
  return point < 0x1100 || (point >= 0x2000 && point < 0x2200) ? 1 : 1.4;  // 1.4 em for ideographs and emoji
}

// Adds the accent of a time derivative after the first letter of a symbol.
RichText dotted(RichText symbol, std::string_view accent) {
  TextPiece& letter = symbol.front();
  if (letter.italic) {
    letter.text += accent;
    return symbol;
  }
  // A word takes primes at its end instead of dots: reach', as in model files.
  letter.text += accent == "\u0308" ? "\u2033" : "\u2032";
  return symbol;
}

std::string with_commas(std::string_view row) {
  std::string text;
  for (const char c : row) {
    if (c == '.' || c == '[')
      text += ',';
    else if (c == '_')
      text += ' ';
    else if (c != ']')
      text += c;
  }
  return text;
}

RichText with_subscript(std::string_view symbol, bool italic, std::string_view row) {
  RichText text{{std::string(symbol), italic, TextPiece::kBase}};
  if (!row.empty()) text.push_back({with_commas(row), false, TextPiece::kSubscript});
  return text;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t count) {
  if (count_points(text) <= count) return std::string(text);
  std::string out;
  std::size_t points = 0;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80 && ++points == count) break;
    out += c;
  }
  return out + "…";
}

RichText typeset_symbol(std::string_view name) {
  // A name is a word of letters, then a subscript: digits, the part after an underscore or dot, or an index in
  // brackets.
  std::size_t end = 0;
  while (end < name.size() && (std::isalpha(static_cast<unsigned char>(name[end])) != 0 || (name[end] & 0x80) != 0))
    ++end;
  const std::string_view word = name.substr(0, end);
  std::string_view rest = name.substr(end);
  const std::string_view letter = greek(word);
  const bool one = !letter.empty() || (!word.empty() && count_points(word) == 1);
  if (word.empty()) return {{std::string(name)}};
  if (!rest.empty() && (rest.front() == '_' || rest.front() == '.')) rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == '_') rest.remove_suffix(1);
  RichText text{{std::string(letter.empty() ? word : letter), one, TextPiece::kBase}};
  if (!rest.empty()) {
    // Greek letters are allowed in subscripts too: x_theta.
    const std::string_view below = greek(rest);
    text.push_back({below.empty() ? with_commas(rest) : std::string(below), false, TextPiece::kSubscript});
  }
  return text;
}

RichText typeset_series(std::string_view name) {
  const std::string kept = shortened(name, kLongest);
  name = kept;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return name == "time" ? RichText{{"t", true}} : typeset_symbol(name);
  const std::string_view group = name.substr(0, slash), of = name.substr(slash + 1);
  if (of.empty()) return {{std::string(name)}};
  if (group == "v") return dotted(typeset_symbol(of), "\u0307");
  if (group == "vdot") return dotted(typeset_symbol(of), "\u0307");
  if (group == "a") return dotted(typeset_symbol(of), "\u0308");
  if (group == "lambda") return with_subscript("λ", true, of);
  if (group == "F") return with_subscript("F", true, greek(of).empty() ? of : greek(of));
  if (group == "friction") return with_subscript("friction", false, of);
  if (group == "gap" || group == "contact") return with_subscript(group == "gap" ? "gap" : "closed", false, of);
  if (group == "residual") return with_subscript("residual", false, of);
  if (group == "energy" && of == "total") return {{"E", true}};
  if (group == "energy" && of == "kinetic") return {{"T", true}};
  if (group == "energy" && of == "potential") return {{"V", true}};
  if (group == "q" || group == "u") return typeset_symbol(of);
  // Outputs have names chosen by the user.
  if (group == "output") return typeset_symbol(of);
  return {{std::string(name)}};
}

std::string typeset_unit(std::string_view unit) {
  static constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  bool raised = false;
  for (const char c : unit) {
    const bool digit = c >= '0' && c <= '9';
    if (c == '^') {
      raised = true;
    } else if (raised && digit) {
      text += kRaised[static_cast<std::size_t>(c - '0')];
    } else if (raised && c == '-') {
      text += "⁻";
    } else {
      raised = false;
      text += c == '*' ? "·" : std::string(1, c);
    }
  }
  return text;
}

RichText with_unit(RichText text, std::string_view unit) {
  if (!unit.empty() && unit != "1") text.push_back({fmt::format(" [{}]", typeset_unit(unit))});
  return text;
}

std::string plain_text(const RichText& text) {
  std::string out;
  for (const TextPiece& piece : text)
    out += (piece.level == TextPiece::kSubscript     ? "_"
            : piece.level == TextPiece::kSuperscript ? "^"
                                                     : "") +
           piece.text;
  return out;
}

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char32_t point = length == 0 ? 0 : code_point(text);
    const bool allowed = point == '\t' || point == '\n' || (!is_control(point) && point != 0xFFFE && point != 0xFFFF);
    if (point == '<')
      out += "&lt;";
    else if (point == '>')
      out += "&gt;";
    else if (point == '&')
      out += "&amp;";
    else if (point == '"')
      out += "&quot;";
    else if (allowed)
      out += text.substr(0, length);
    else
      out += "\uFFFD";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string svg_text(const RichText& text, double size) {
  std::string out;
  double shift = 0;  // current shift of the base line, pixels, positive downwards
  for (const TextPiece& piece : text) {
    if (piece.text.empty()) continue;
    const double wanted = piece.level == TextPiece::kSubscript     ? kDown * size
                          : piece.level == TextPiece::kSuperscript ? -kUp * size
                                                                   : 0;
    std::string style;
    if (piece.italic) style += " font-style=\"italic\"";
    if (piece.level != TextPiece::kBase) style += fmt::format(" font-size=\"{:.1f}\"", kSmall * size);
    if (wanted != shift) style += fmt::format(" dy=\"{:.2f}\"", wanted - shift);
    shift = wanted;
    out += style.empty() ? xml_text(piece.text) : fmt::format("<tspan{}>{}</tspan>", style, xml_text(piece.text));
  }
  return out;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    width += length == 0 ? 1 : ems(code_point(text));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return width * size;
}

double text_width(const RichText& text, double size) {
  double width = 0;
  for (const TextPiece& piece : text)
    width += text_width(piece.text, piece.level == TextPiece::kBase ? size : kSmall * size);
  return width;
}

}  // namespace dalembert

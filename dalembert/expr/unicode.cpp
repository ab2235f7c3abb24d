// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/unicode.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dalembert {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

constexpr std::array<Entry, 44> kGreekSigns = {
    {{"alpha", "α"},   {"beta", "β"},   {"gamma", "γ"},  {"delta", "δ"},    {"epsilon", "ε"}, {"varepsilon", "ϵ"},
     {"zeta", "ζ"},    {"eta", "η"},    {"theta", "θ"},  {"vartheta", "ϑ"}, {"iota", "ι"},    {"kappa", "κ"},
     {"lambda", "λ"},  {"mu", "μ"},     {"nu", "ν"},     {"xi", "ξ"},       {"pi", "π"},      {"varpi", "ϖ"},
     {"rho", "ρ"},     {"varrho", "ϱ"}, {"sigma", "σ"},  {"varsigma", "ς"}, {"tau", "τ"},     {"upsilon", "υ"},
     {"phi", "φ"},     {"varphi", "ϕ"}, {"chi", "χ"},    {"psi", "ψ"},      {"omega", "ω"},   {"Gamma", "Γ"},
     {"Delta", "Δ"},   {"Theta", "Θ"},  {"Lambda", "Λ"}, {"Xi", "Ξ"},       {"Pi", "Π"},      {"Sigma", "Σ"},
     {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},    {"Omega", "Ω"},    {"ell", "ℓ"},     {"hbar", "ħ"},
     {"nabla", "∇"},   {"partial", "∂"}}};

// Precomposed letters with dots (normal form C): fonts draw them better than combining characters.
constexpr std::string_view kOneDotBase = "abcdefghmnoprstwxyzABCDEFGHMNOPRSTWXYZ";
constexpr std::array<std::string_view, 38> kOneDot = {"ȧ", "ḃ", "ċ", "ḋ", "ė", "ḟ", "ġ", "ḣ", "ṁ", "ṅ", "ȯ", "ṗ", "ṙ",
                                                      "ṡ", "ṫ", "ẇ", "ẋ", "ẏ", "ż", "Ȧ", "Ḃ", "Ċ", "Ḋ", "Ė", "Ḟ", "Ġ",
                                                      "Ḣ", "Ṁ", "Ṅ", "Ȯ", "Ṗ", "Ṙ", "Ṡ", "Ṫ", "Ẇ", "Ẋ", "Ẏ", "Ż"};
constexpr std::string_view kTwoDotsBase = "aehotuwxyAEHOUWXY";
constexpr std::array<std::string_view, 17> kTwoDots = {"ä", "ë", "ḧ", "ö", "ẗ", "ü", "ẅ", "ẍ", "ÿ",
                                                       "Ä", "Ë", "Ḧ", "Ö", "Ü", "Ẅ", "Ẍ", "Ÿ"};
constexpr std::array<std::string_view, 10> kSuperscript = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
constexpr std::array<std::string_view, 10> kSubscript = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
constexpr std::array<Entry, 11> kFractions = {{{"1/2", "½"},
                                               {"1/3", "⅓"},
                                               {"2/3", "⅔"},
                                               {"1/4", "¼"},
                                               {"3/4", "¾"},
                                               {"1/5", "⅕"},
                                               {"1/6", "⅙"},
                                               {"5/6", "⅚"},
                                               {"1/8", "⅛"},
                                               {"3/8", "⅜"},
                                               {"5/8", "⅝"}}};

template <std::size_t N>
std::string_view look_up(const std::array<Entry, N>& table, std::string_view key) {
  const auto found = std::ranges::find(table, key, &Entry::first);
  return found == table.end() ? std::string_view() : found->second;
}

std::string shown_letter(std::string_view word) {
  const std::string_view greek = look_up(kGreekSigns, word);
  return std::string(greek.empty() ? word : greek);
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string in_digits(std::string_view digits, const std::array<std::string_view, 10>& set) {
  std::string out;
  for (const char c : digits)
    if (c >= '0' && c <= '9')
      out += set[static_cast<std::size_t>(c - '0')];
    else
      out += c;
  return out;
}

// A letter with dots over it; empty if `head` is not a single letter or is i or j, which have a dot of their own.
std::string dotted(const std::string& head, int dots) {
  if (terminal_columns(head) != 1 || head == "i" || head == "j") return {};
  const std::string_view bases = dots == 1 ? kOneDotBase : kTwoDotsBase;
  if (const std::size_t at = bases.find(head); at != std::string_view::npos)
    return std::string(dots == 1 ? kOneDot[at] : kTwoDots[at]);
  return head + (dots == 1 ? "\u0307" : "\u0308");
}

}  // namespace

std::string unicode_name(std::string_view name, int dots) {
  // A velocity that is the rate of a coordinate, in models whose velocities have names of their own.
  for (; name.size() > 1 && name.ends_with('\''); ++dots) name.remove_suffix(1);
  const std::size_t score = std::min(name.find('_'), name.size());
  std::string_view head = name.substr(0, score), rest = name.substr(score);
  const std::size_t last = head.find_last_not_of("0123456789");
  const std::string_view digits = last == std::string_view::npos ? std::string_view() : head.substr(last + 1);
  head.remove_suffix(digits.size());

  std::string below = in_digits(digits, kSubscript);
  while (!rest.empty()) {
    const std::size_t next = std::min(rest.find('_', 1), rest.size());
    const std::string_view part = rest.substr(1, next - 1);
    // x_1_2 is x₁,₂: a comma separates two indices.
    if (all_digits(part))
      below += (below.empty() ? "" : ",") + in_digits(part, kSubscript);
    else
      below += "_" + shown_letter(part);
    rest.remove_prefix(next);
  }

  const std::string shown = shown_letter(head);
  if (dots == 0) return shown + below;
  const std::string over = dotted(shown, dots);
  return over.empty() ? shown + below + std::string(static_cast<std::size_t>(dots), '\'') : over + below;
}

std::string superscript(std::string_view digits) {
  const bool minus = digits.starts_with('-');
  return (minus ? "⁻" : "") + in_digits(digits.substr(minus ? 1 : 0), kSuperscript);
}

std::string unicode_fraction(const Rational& value) {
  const std::string above = value.numerator().to_string(), below = value.denominator().to_string();
  if (const std::string_view one = look_up(kFractions, above + "/" + below); !one.empty()) return std::string(one);
  return in_digits(above, kSuperscript) + "⁄" + in_digits(below, kSubscript);
}

std::string unicode_unit(std::string_view unit) {
  std::string out;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (unit[i] == '*') {
      out += "·";
    } else if (unit[i] == '^') {
      const std::size_t end = std::min(unit.find_first_not_of("-0123456789", i + 1), unit.size());
      const bool whole = end == unit.size() || unit[end] != '.';
      if (whole) out += superscript(unit.substr(i + 1, end - i - 1));
      if (whole) i = end - 1;
      if (!whole) out += '^';
    } else {
      out += unit[i];
    }
  }
  return out;
}

std::size_t terminal_columns(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) == 0x80) continue;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    // Combining characters are U+0300 to U+036F.
    const bool combines = byte == 0xCC || (byte == 0xCD && next < 0xB0);
    columns += combines ? 0 : 1;
  }
  return columns;
}

}  // namespace dalembert

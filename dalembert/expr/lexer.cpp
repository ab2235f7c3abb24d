// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/lexer.h"

#include <algorithm>

#include <fmt/format.h>

namespace dalembert {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t number_end(std::string_view text, std::size_t at) {
  const auto digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  digits();
  // In `1..N`, a range, the first dot is not a decimal point.
  if (at < text.size() && text[at] == '.' && !(at + 1 < text.size() && text[at + 1] == '.')) {
    ++at;
    digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      at = exponent;
      digits();
    }
  }
  return at;
}

// The position after a name with its `{…}` groups. The name ends before a group that is not closed.
std::size_t name_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_letter(text[at]) || is_digit(text[at])) {
      ++at;
    } else if (text[at] == '{') {
      const std::size_t close = text.find_first_of("{}", at + 1);
      if (close == std::string_view::npos || text[close] != '}' || close - at > 200) break;
      at = close + 1;
    } else {
      break;
    }
  }
  return at;
}

std::size_t character_end(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

struct TwoByteSign {
  std::string_view text;
  char sign;
};
constexpr TwoByteSign kTwoByteSigns[] = {{"<=", 'l'}, {">=", 'g'}, {"==", 'e'}, {"!=", 'n'},
                                         {"..", ':'}, {"**", 'p'}, {"&&", '&'}, {"||", '|'}};

}  // namespace

Token next_token(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  const auto token = [&](TokenKind kind, std::size_t end, char sign = 0) {
    return Token{kind, sign, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
  };
  if (at >= text.size()) return token(TokenKind::kEnd, at);
  const char c = text[at];
  if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1])))
    return token(TokenKind::kNumber, number_end(text, at));
  if (is_letter(c)) return token(TokenKind::kName, name_end(text, at));
  for (const TwoByteSign& two : kTwoByteSigns)
    if (text.substr(at, 2) == two.text) return token(TokenKind::kSign, at + 2, two.sign);
  if (std::string_view("+-*/^()[]{},.'=<>").find(c) != std::string_view::npos)
    return token(TokenKind::kSign, at + 1, c);
  return token(TokenKind::kWrong, character_end(text, at));
}

namespace {

// Characters that are not part of the language, and what to write instead.
struct Replacement {
  std::string_view character, instead;
};
constexpr Replacement kReplacements[] = {
    {"−", "-"},
    {"–", "-"},
    {"—", "-"},
    {"·", "*"},
    {"×", "*"},
    {"⋅", "*"},
    {"∗", "*"},
    {"÷", "/"},
    {"∕", "/"},
    {"²", "^2"},
    {"³", "^3"},
    {"′", "'"},
    {"’", "'"},
    {"‘", "'"},
    {"´", "'"},
    {"″", "''"},
    {"≤", "<="},
    {"≥", ">="},
    {"≠", "not (a == b)"},
    {"√", "sqrt(…)"},
    {"°", "a unit string such as \"30 deg\", or pi/180"},
    {"α", "alpha"},
    {"β", "beta"},
    {"γ", "gamma"},
    {"δ", "delta"},
    {"ε", "epsilon"},
    {"ζ", "zeta"},
    {"η", "eta"},
    {"θ", "theta"},
    {"ϑ", "theta"},
    {"ι", "iota"},
    {"κ", "kappa"},
    {"λ", "lambda"},
    {"μ", "mu"},
    {"µ", "mu"},
    {"ν", "nu"},
    {"ξ", "xi"},
    {"π", "pi"},
    {"ρ", "rho"},
    {"σ", "sigma"},
    {"τ", "tau"},
    {"υ", "upsilon"},
    {"φ", "phi"},
    {"ϕ", "phi"},
    {"χ", "chi"},
    {"ψ", "psi"},
    {"ω", "omega"},
    {"Γ", "Gamma"},
    {"Δ", "Delta"},
    {"Θ", "Theta"},
    {"Λ", "Lambda"},
    {"Φ", "Phi"},
    {"Ψ", "Psi"},
    {"Ω", "Omega"},
    {"Σ", "Sigma"},
    {"\xC2\xA0", "a plain space"},
    {";", ","},
    {"%", "/100"},
    {"|", "`abs(…)` for a magnitude"},
    {"\\", "names and functions without it, as in `cos(theta)`"},
    {"!", "not"},
    {"\"", "'"},
    {"`", "'"},
};

}  // namespace

WrongCharacterText wrong_character_text(std::string_view character) {
  const bool shown = static_cast<unsigned char>(character[0]) >= 0x20 && character[0] != 0x7F;
  WrongCharacterText text{shown ? fmt::format("`{}` has no meaning in an expression", character)
                                : std::string("a control character has no meaning in an expression"),
                          {}};
  const auto found = std::ranges::find(kReplacements, character, &Replacement::character);
  if (found != std::end(kReplacements))
    text.help = found->instead.find(' ') == std::string_view::npos ? fmt::format("write `{}`", found->instead)
                                                                   : fmt::format("write {}", found->instead);
  return text;
}

bool is_meant_as_prime(std::string_view character) {
  const auto found = std::ranges::find(kReplacements, character, &Replacement::character);
  return found != std::end(kReplacements) && found->instead == "'" && character != "\"";
}

}  // namespace dalembert

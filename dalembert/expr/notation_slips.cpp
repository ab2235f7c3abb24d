// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/notation_slips.h"

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/lexer.h"

namespace dalembert {
namespace {

bool is_sign(const Token& token, char sign) { return token.kind == TokenKind::kSign && token.sign == sign; }

// The end of the bracket that opens at `open`; the end of the text if it is not closed.
std::uint32_t bracket_end(std::string_view text, std::uint32_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return static_cast<std::uint32_t>(i + 1);
  }
  return static_cast<std::uint32_t>(text.size());
}

// The end of a name with the primes that touch it.
std::uint32_t end_with_primes(std::string_view text, std::uint32_t end) {
  while (end < text.size() && text[end] == '\'') ++end;
  return end;
}

}  // namespace

BareFunction bare_function(std::string_view text, std::string_view name, std::uint32_t after) {
  BareFunction meant{{}, after};
  if (name == "lambda") {
    meant.help = help_for_reserved(name);
    return meant;
  }
  Token token = next_token(text, after);
  std::string_view exponent;
  if (is_sign(token, '^')) {
    const Token power = next_token(text, token.end);
    if (power.kind != TokenKind::kNumber && power.kind != TokenKind::kName) return meant;
    exponent = text.substr(token.begin, power.end - token.begin);
    token = next_token(text, power.end);
  }
  std::string_view argument;
  if (is_sign(token, '(') || is_sign(token, '[')) {
    const std::uint32_t end = bracket_end(text, token.begin);
    if (end - token.begin < 3) return meant;
    argument = text.substr(token.begin + 1, end - token.begin - 2);
    meant.end = end;
  } else if (token.kind == TokenKind::kNumber ||
             (token.kind == TokenKind::kName && !is_reserved(text.substr(token.begin, token.end - token.begin)))) {
    meant.end = end_with_primes(text, token.end);
    argument = text.substr(token.begin, meant.end - token.begin);
  }
  constexpr std::size_t kLongest = 60;
  if (!argument.empty() && argument.size() < kLongest)
    meant.help = fmt::format("write `{}({}){}`", name, argument, exponent);
  return meant;
}

std::string help_for_part(std::string_view name, std::string_view part) {
  if (part == "dot") return fmt::format("the time derivative of a coordinate is `{}'`", name);
  return "points have `.x`, `.y`, `.z`; frames have `.R[i,j]`, and `.omega.x` where a quaternion turns them";
}

UnexpectedSign unexpected_sign(char sign, std::string_view written, std::string_view before) {
  switch (sign) {
    case ')':
      return {"unexpected `)`", "no parenthesis is open here", {}};
    case '=':
      // `T = m/2*x'^2`: the name of what is stated, once more.
      return {"unexpected `=`", "an expression has no right-hand side",
              is_identifier(before.substr(0, before.find_last_not_of(' ') + 1))
                  ? "write what comes after the `=` alone"
                  : "compare with `==`; constraints may end in `= 0`"};
    case 'n':
      return {"`!=` is not an operator", {}, "write `not (a == b)`"};
    case '&':
      return {"`&&` is not an operator", {}, "write `and`"};
    case '|':
      return {"`||` is not an operator", {}, "write `or`"};
    default:
      return {fmt::format("unexpected `{}`", written), {}, {}};
  }
}

}  // namespace dalembert

// SPDX-License-Identifier: Apache-2.0
// Tokens of the expression language, read one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dalembert {

enum class TokenKind : std::uint8_t {
  kEnd,
  kNumber,
  kName,   // a name: letters, digits, '_', and `{…}` groups that touch them: theta, theta{i-1}, tau_{k}
  kSign,   // one of + - * / ^ ( ) [ ] { } , . ' = and the two-byte signs below
  kWrong,  // a character that has no meaning in the language
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  /// The sign of a kSign token: a character; '<' '>' 'l' (<=) 'g' (>=) 'e' (==) 'n' (!=) ':' (..) 'p' (**) '&' (&&) '|' (||).
  char sign = 0;
  std::uint32_t begin = 0, end = 0;
};

/// The first token that starts at or after `at`. A kWrong token is one whole UTF-8 character.
Token next_token(std::string_view text, std::size_t at);

/// The message and the help about a character that has no meaning in the language. The help names what to write instead of one that looks right:
/// `−`, `·`, `θ`, `²`, `′`; empty if nothing is known.
struct WrongCharacterText {
  std::string message, help;
};
WrongCharacterText wrong_character_text(std::string_view character);

/// Whether the character looks like the prime of a rate: `′`, `’`.
bool is_meant_as_prime(std::string_view character);

}  // namespace dalembert

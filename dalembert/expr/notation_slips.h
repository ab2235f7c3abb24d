// SPDX-License-Identifier: Apache-2.0
// Formulas written as in a textbook, which the expression language writes otherwise: sin x, sin²(x), cos[x].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dalembert {

/// What a function's name without `(` was meant to be.
struct BareFunction {
  std::string help;       ///< "write `sin(theta)^2`"; empty if nothing is known
  std::uint32_t end = 0;  ///< where what is meant ends
};
/// `name` ends at byte `after` of `text`, and no `(` follows.
BareFunction bare_function(std::string_view text, std::string_view name, std::uint32_t after);

/// Help where `name` has no part of that name, as in `theta.dot`.
std::string help_for_part(std::string_view name, std::string_view part);

/// A sign that the language does not have, after a complete expression.
struct UnexpectedSign {
  std::string message, label, help;
};
/// `sign` and `written`: of the token (expr/lexer.h); 0 for a token that is no sign. `before`: the text before it.
UnexpectedSign unexpected_sign(char sign, std::string_view written, std::string_view before);

}  // namespace dalembert

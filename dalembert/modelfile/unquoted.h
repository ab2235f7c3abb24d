// SPDX-License-Identifier: Apache-2.0
// Help for values without quotes, the most common mistake in a first model: `g = 9.81 m/s^2`.
#pragma once

#include <string>
#include <string_view>

namespace dalembert::modelfile {

/// What to write instead of the value around byte `at`, where the TOML parser failed: `write g = "9.81 m/s^2"`. Empty if missing quotes are not the problem.
std::string help_for_unquoted(std::string_view text, std::size_t at);

/// Whether the character is a typographic quote, which TOML does not know.
bool is_curly_quote(std::string_view character);

}  // namespace dalembert::modelfile

// SPDX-License-Identifier: Apache-2.0
// Values that lack their quotes, the commonest slip in a first model: `g = 9.81 m/s^2`.
#pragma once

#include <string>
#include <string_view>

namespace dalembert::modelfile {

/// What to write instead of the value around byte `at`, where TOML could not go on: `write g = "9.81 m/s^2"`. Empty
/// when quotes are not what is missing.
std::string help_for_unquoted(std::string_view text, std::size_t at);

}  // namespace dalembert::modelfile

// SPDX-License-Identifier: Apache-2.0
// From argv to Arguments. CLI11 lives in cli.cpp alone.
#pragma once

#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"

namespace dalembert::app {

/// `words` is argv without the program's name. Options may be anywhere, even before the verb; nothing is
/// abbreviated. Throws Failure: E0401 unknown verb, E0402 unknown option, E0403 a value that is missing or not one of
/// the choices, E0407 promised but not there yet, E0408 wrong number of operands. `--help` lifts the demands on
/// operands.
Arguments parse_command_line(const std::vector<std::string>& words);

/// Whether a flag is in `words`; for what must be known before parsing, or when parsing failed.
bool mentions(const std::vector<std::string>& words, const std::string& flag);

}  // namespace dalembert::app

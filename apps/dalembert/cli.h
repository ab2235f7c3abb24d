// SPDX-License-Identifier: Apache-2.0
// Parses argv into Arguments. CLI11 is used only in cli.cpp.
#pragma once

#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"

namespace dalembert::app {

/// `words` is argv without the program name. Options may be anywhere, even before the verb; abbreviations are not
/// accepted. Throws Failure: E0401 unknown verb, E0402 unknown option, E0403 missing or invalid value, E0408 wrong
/// number of operands. With `--help` operands may be missing.
Arguments parse_command_line(const std::vector<std::string>& words);

/// Whether a flag is among `words`. For use before parsing, or after it failed.
bool mentions(const std::vector<std::string>& words, const std::string& flag);

}  // namespace dalembert::app

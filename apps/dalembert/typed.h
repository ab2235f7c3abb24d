// SPDX-License-Identifier: Apache-2.0
// The command line as a text that messages can point into, as they point into a model file.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"

namespace dalembert::app {

/// What was typed after `dalembert`; once, before anything can fail.
void remember_typed(const std::vector<std::string>& words);

/// Gives an error that has no place one on the command line: the last thing that its message names in backquotes and
/// that was typed, `abc` in "`--rtol` does not take `abc`". Where nothing was, E04xx point at the line as a whole, and
/// others stay as they are.
void point_at_typed(Diagnostic& diagnostic);

}  // namespace dalembert::app

// SPDX-License-Identifier: Apache-2.0
// The command line as a source text, so that messages can point into it as into a model file.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"

namespace dalembert::app {

/// Stores the words after `dalembert`. Call it once, before anything can fail.
void remember_typed(const std::vector<std::string>& words);

/// Gives an error without position one on the command line: the last typed word that its message names in backquotes,
/// such as `abc` in "`--rtol` does not take `abc`". If there is none, errors E04xx point to the whole line, and others
/// stay as they are.
void point_at_typed(Diagnostic& diagnostic);

}  // namespace dalembert::app

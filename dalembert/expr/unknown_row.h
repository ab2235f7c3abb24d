// SPDX-License-Identifier: Apache-2.0
// The error for lambda(…), actuation(…) and friction(…) with an unknown name.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/scope.h"

namespace dalembert {

/// Error E0102. `name` is a row, "pin[3]", or a force as it is written, "actuation(alpha)".
Diagnostic unknown_row(const std::string& name, const Span& span, Scope& scope);

}  // namespace dalembert

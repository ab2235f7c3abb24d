// SPDX-License-Identifier: Apache-2.0
// What to say of lambda(…), actuation(…) and friction(…) of something that is not there.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/scope.h"

namespace dalembert {

/// E0102. `name`: of a row, "pin[3]", or of a force as it is written, "actuation(alpha)".
Diagnostic unknown_row(const std::string& name, const Span& span, Scope& scope);

}  // namespace dalembert

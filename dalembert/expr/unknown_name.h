// SPDX-License-Identifier: Apache-2.0
// The error message for a name that an expression uses and nothing declares.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/scope.h"

namespace dalembert {

/// E0102 at `span`, with the name that was probably meant: another spelling, or a rate written in another way.
Diagnostic unknown_name(const std::string& name, const Span& span, Scope& scope);

}  // namespace dalembert

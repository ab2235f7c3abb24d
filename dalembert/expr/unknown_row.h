// SPDX-License-Identifier: Apache-2.0
// Errors for what has a name in parentheses or brackets that is not known: lambda(…), actuation(…), frame.R[i,j], functions of a run.
#pragma once

#include <cstdint>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/scope.h"

namespace dalembert {

/// Error E0102. `name` is a row, "pin[3]", or a force as it is written, "actuation(alpha)".
Diagnostic unknown_row(const std::string& name, const Span& span, Scope& scope);
/// Error E0102: there is no point of that name, or it is planar and has no component z.
Diagnostic unknown_component(const std::string& point, int axis, const Span& span, Scope& scope);
/// Error E0102: there is no frame of that name, or no quaternion turns it. `written` is the whole name, "top.omega.x".
Diagnostic unknown_angular_velocity(const std::string& frame, const std::string& written, const Span& span,
                                    Scope& scope);
/// Error E0102: there is no frame of that name, or it has no entry R[i,j].
Diagnostic unknown_frame_entry(const std::string& frame, std::int64_t i, std::int64_t j, const Span& span,
                               Scope& scope);
/// Error E0103, or E0104 where a function of that name takes more arguments: the function of a run has no meaning here.
Diagnostic unknown_of_run(const FunctionOfRun& function, const Span& span);

}  // namespace dalembert

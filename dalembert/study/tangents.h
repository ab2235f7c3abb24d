// SPDX-License-Identifier: Apache-2.0
// By what the gradients of a run are taken.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

/// Fills in `options.tangents` by every parameter and every initial value that the model holds, and their exact derivatives, which are null if the model has
/// none. A parameter that the start does not leave free, or at whose value the model has a kink, has a derivative of the start that is not a number.
Diagnostics find_all_tangents(const BuiltModel& system, IntegrateOptions& options);

/// Why a model has no exact derivatives.
inline constexpr const char* kWhyNoDerivatives = "its equations are too long";

/// E0440: the model has no output of that name.
Diagnostic no_such_output(const BuiltModel& system, const std::string& name, const Span& span = {});

}  // namespace dalembert
